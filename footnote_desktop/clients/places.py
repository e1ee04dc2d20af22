"""Which of a client's places are there on this computer, and which one is meant."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from footnote_desktop.clients.faults import ClientError
from footnote_desktop.clients.table import Client, Spot


@dataclass(frozen=True, slots=True)
class System:
    """What the places depend on. ``platform`` as in ``sys.platform``."""

    platform: str = sys.platform
    home: Path = field(default_factory=Path.home)
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    project: Path = field(default_factory=Path.cwd)

    def folders(self) -> dict[str, Path]:
        """What stands for ``{home}``, ``{config}``, ``{local}`` and ``{project}``."""
        roaming, local = self.home / "AppData" / "Roaming", self.home / "AppData" / "Local"
        if self.platform == "win32":
            config = self._variable("APPDATA") or roaming
        elif self.platform == "darwin":
            config = self.home / "Library" / "Application Support"
        else:
            config = self._variable("XDG_CONFIG_HOME") or self.home / ".config"
        return {
            "home": self.home,
            "config": config,
            "local": self._variable("LOCALAPPDATA") or local,
            "project": self.project,
        }

    def _variable(self, name: str) -> Path | None:
        # A relative path in such a variable counts as not set (XDG Base Directory Specification).
        value = self.environ.get(name, "")
        return Path(value) if value and Path(value).is_absolute() else None

    def expand(self, template: str) -> list[Path]:
        """The paths a template stands for; more than one, or none, where it holds ``*`` or a variable."""
        first, _, rest = template.partition("/")
        if first.startswith("$"):
            root = self._variable(first[1:])
        else:
            root = self.folders()[first.strip("{}")]
        if root is None:
            return []
        paths = [root]
        for part in rest.split("/"):
            if "*" in part:
                paths = [found for path in paths for found in sorted(path.glob(part)) if found.is_dir()]
            else:
                paths = [path / part for path in paths]
        return paths


@dataclass(frozen=True, slots=True)
class Place:
    """A file a client reads or would read. ``installed``: traces of the client are there."""

    path: Path
    label: str
    exists: bool
    installed: bool
    project: bool = False

    def to_json(self) -> dict[str, object]:
        return {"path": str(self.path), "label": self.label, "exists": self.exists, "installed": self.installed}


def places(client: Client, system: System | None = None) -> list[Place]:
    """Every place of the client that this system can have, those that are there or not."""
    system = system or System()
    found: list[Place] = []
    environment_decides = False
    for spot in client.spots:
        if system.platform not in spot.systems and not (
            "linux" in spot.systems and system.platform not in ("darwin", "win32")
        ):
            continue
        named = spot.path.startswith("$")
        if environment_decides and not named and not spot.project:
            continue  # the client reads only where the variable says
        paths = system.expand(spot.path)
        environment_decides = environment_decides or (named and bool(paths))
        found += [_place(path, spot, system, named) for path in paths]
    return [place for place in found if not place.project or place.exists]


def _place(path: Path, spot: Spot, system: System, named: bool) -> Place:
    exists = os.path.lexists(path)
    if spot.marker is None:
        marked = path.parent.is_dir()
    else:
        marked = any(marker.exists() for marker in system.expand(spot.marker))
    return Place(path, spot.label, exists, exists or marked or named, spot.project)


def choose(client: Client, candidates: Sequence[Place]) -> Place:
    """The one place that is meant. Raises :class:`ClientError` where that is not clear, naming each."""
    usual = [place for place in candidates if not place.project]
    installed = [place for place in usual if place.installed]
    if len(installed) > 1:
        listed = "\n".join(f"  {place.path}  ({place.label})" for place in installed)
        raise ClientError(
            f"{client.title} is there more than once, and each reads its own file:\n{listed}",
            "Say which one with --config PATH.",
        )
    if not usual:
        raise ClientError(
            f"It is not known where {client.title} keeps its servers on this system.",
            "Name the file with --config PATH.",
        )
    return installed[0] if installed else usual[0]
