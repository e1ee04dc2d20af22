"""Passwords: in the operating system's keyring, or in memory while the program runs, and never in a file of ours."""

from __future__ import annotations

import threading
from dataclasses import dataclass

#: Under this name the keyring shows Footnote's entries; the account is the profile's name.
SERVICE = "Footnote"
#: Windows takes 2,560 bytes of UTF-16 (CRED_MAX_CREDENTIAL_BLOB_SIZE); this stays well below.
MAX_LENGTH = 1_000

OTHER_WAYS = (
    "Three other ways: put the password into pgpass (~/.pgpass, readable by you alone), name a service file that holds"
    " it, or let Footnote ask each time it starts."
)

_session: dict[str, str] = {}
_lock = threading.Lock()


class SecretError(Exception):
    """A password cannot be kept or read. ``message`` says why, ``advice`` what to do; neither holds it."""

    def __init__(self, message: str, advice: str = OTHER_WAYS):
        super().__init__(message)
        self.message = message
        self.advice = advice


@dataclass(frozen=True, slots=True)
class KeyringState:
    """Whether passwords can be kept, in a plain sentence."""

    usable: bool
    name: str
    sentence: str
    advice: str = ""


def keyring_state() -> KeyringState:
    """Whether this machine has a keyring that keeps secrets secret. Stores nothing to find out."""
    try:
        import keyring
        from keyring.backends import chainer, fail, null
    except ImportError:
        return KeyringState(False, "none", "The keyring package is missing from this installation.", OTHER_WAYS)
    try:
        backend = keyring.get_keyring()
        backends = list(backend.backends) if isinstance(backend, chainer.ChainerBackend) else [backend]
    except Exception as error:  # a broken desktop session shows itself here in many ways
        return KeyringState(False, "none", f"This machine's keyring does not answer ({error}).", OTHER_WAYS)
    usable = [b for b in backends if not isinstance(b, fail.Keyring | null.Keyring) and not _plaintext(b)]
    if not usable or len(usable) != len(backends):
        words = "keeps passwords in a readable file" if any(_plaintext(b) for b in backends) else "is not there"
        return KeyringState(False, "none", f"This machine's keyring {words}, so no password is kept.", OTHER_WAYS)
    name = str(usable[0].name)
    return KeyringState(True, name, f"Passwords are kept in this machine's keyring ({name}).")


def _plaintext(backend: object) -> bool:
    return "plaintext" in type(backend).__name__.lower() or type(backend).__module__.startswith("keyrings.alt")


def set_password(profile: str, password: str) -> None:
    """Keep the password of a profile in the keyring. Raises :class:`SecretError` when there is none to keep it."""
    if len(password) > MAX_LENGTH:
        raise SecretError(f"the password is longer than {MAX_LENGTH} characters, which not every keyring can keep")
    _require()
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(SERVICE, profile, password)
    except (KeyringError, OSError, RuntimeError) as error:
        raise SecretError(f"the keyring did not keep the password: {type(error).__name__}") from None


def get_password(profile: str) -> str | None:
    """The password of a profile from the keyring, or None. Raises :class:`SecretError` when the keyring is locked or
    is not there."""
    _require()
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, profile)
    except (KeyringError, OSError, RuntimeError) as error:
        raise SecretError(
            f"the keyring did not give the password: {type(error).__name__}", "Unlock the keyring, and try again."
        ) from None


def delete_password(profile: str) -> None:
    """Forget the password of a profile, if there is one. Raises :class:`SecretError` when the keyring refuses."""
    forget(profile)
    if not keyring_state().usable:
        return
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        keyring.delete_password(SERVICE, profile)
    except PasswordDeleteError:
        return
    except (KeyringError, OSError, RuntimeError) as error:
        raise SecretError(f"the keyring did not forget the password: {type(error).__name__}") from None


def keep_for_session(profile: str, password: str) -> None:
    """Keep the password in memory until the program ends."""
    with _lock:
        _session[profile] = password


def forget(profile: str) -> None:
    """Forget what :func:`keep_for_session` kept."""
    with _lock:
        _session.pop(profile, None)


def password_for(profile: str, source: str) -> str | None:
    """The password of a profile whose ``password_from`` is ``source``: keyring, libpq (None: libpq finds it) or ask.

    Raises :class:`SecretError` when it should be there and is not.
    """
    with _lock:
        if (kept := _session.get(profile)) is not None:
            return kept
    if source == "keyring":
        found = get_password(profile)
        if found is None:
            raise SecretError(
                f"the keyring holds no password for the profile {profile}",
                f"Give it again: footnote profile add {profile}, or the profile's page in the application.",
            )
        return found
    if source == "ask":
        raise SecretError(f"the password of the profile {profile} was not given yet", "Give it when you are asked.")
    return None


def _require() -> None:
    state = keyring_state()
    if not state.usable:
        raise SecretError(state.sentence.rstrip("."), state.advice)
