"""Where things are: what is installed with the program, and the user's own folders."""

from __future__ import annotations

from pathlib import Path


def data_folder(name: str) -> Path:
    """The folder ``resources`` or ``migrations``: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package.parent / name, package / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the folder {name} is missing from this installation; install it again")


def default_log(name: str) -> str:
    """The log of a profile that names none: in the user's data folder, never in memory."""
    import platformdirs

    return str(Path(platformdirs.user_data_dir("Footnote", appauthor=False)) / "logs" / f"{name}.sqlite3")


def profiles_folder() -> Path:
    """Where profiles are stored, one file each; it may not exist yet."""
    import platformdirs

    return Path(platformdirs.user_config_dir("Footnote", appauthor=False)) / "profiles"
