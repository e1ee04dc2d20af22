"""Passwords are kept in the keyring or in memory, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import chainer, fail, null
from keyring.errors import KeyringLocked, PasswordDeleteError

from footnote_desktop import secrets


class Memory(KeyringBackend):
    """A keyring as an operating system has one."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked("locked")
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not there")
        del self.kept[service, username]


class PlaintextKeyring(Memory):
    """What keyrings.alt brings: a readable file."""


@pytest.fixture
def ring() -> Iterator[Memory]:
    before = keyring.get_keyring()
    memory = Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)
    secrets.forget("P")


def test_a_password_is_kept_given_and_forgotten(ring: Memory) -> None:
    assert secrets.keyring_state().usable
    assert secrets.get_password("P") is None
    secrets.set_password("P", "pässword")
    assert ring.kept == {("Footnote", "P"): "pässword"}  # the password alone, under the profile's name
    assert secrets.password_for("P", "keyring") == "pässword"
    secrets.delete_password("P")
    secrets.delete_password("P")
    assert ring.kept == {}
    with pytest.raises(secrets.SecretError, match="holds no password"):
        secrets.password_for("P", "keyring")


@pytest.mark.parametrize("backend", [fail.Keyring, null.Keyring, PlaintextKeyring, chainer.ChainerBackend])
def test_without_a_real_keyring_nothing_is_kept(
    ring: Memory, monkeypatch: pytest.MonkeyPatch, backend: type[KeyringBackend]
) -> None:
    if backend is chainer.ChainerBackend:
        monkeypatch.setattr(chainer.ChainerBackend, "backends", [PlaintextKeyring()])
    made = backend()
    keyring.set_keyring(made)
    state = secrets.keyring_state()
    assert not state.usable
    for word in ("pgpass", "service file", "ask"):
        assert word in state.advice
    with pytest.raises(secrets.SecretError) as caught:
        secrets.set_password("P", "s3cr3t")
    assert "s3cr3t" not in caught.value.message + caught.value.advice
    assert not getattr(made, "kept", None)


def test_a_locked_keyring(ring: Memory) -> None:
    ring.locked = True
    with pytest.raises(secrets.SecretError, match="did not give") as caught:
        secrets.password_for("P", "keyring")
    assert "Unlock" in caught.value.advice
    with pytest.raises(secrets.SecretError, match="did not keep") as caught:
        secrets.set_password("P", "s3cr3t")
    assert caught.value.__cause__ is None


def test_a_long_password_is_refused_before_windows_would(ring: Memory) -> None:
    with pytest.raises(secrets.SecretError, match="longer than"):
        secrets.set_password("P", "x" * 1001)


def test_asking_each_time_keeps_it_in_memory(ring: Memory) -> None:
    with pytest.raises(secrets.SecretError, match="not given yet"):
        secrets.password_for("P", "ask")
    secrets.keep_for_session("P", "typed")
    assert secrets.password_for("P", "ask") == "typed"
    assert ring.kept == {}
    secrets.forget("P")
    with pytest.raises(secrets.SecretError):
        secrets.password_for("P", "ask")


def test_libpq_finds_it_itself(ring: Memory) -> None:
    assert secrets.password_for("P", "libpq") is None
