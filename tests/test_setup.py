"""The project's base: two commands set everything up, versions are pinned, the layout holds, the wheel is whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

SCRIPTS = ("setup.sh", "run.sh", "test.sh")
TOP_LEVEL = {
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "footnote_desktop",
    "resources",
    "migrations",
    "tests",
    "packaging",
}
#: Present in Python installations of their own accord.
NOT_PINNED = {"footnote-desktop", "pip", "setuptools", "wheel"}


def tracked(root: Path) -> list[str]:
    """The files that are, or are about to be, in the repository."""
    if not (root / ".git").exists() or not shutil.which("git"):
        pytest.skip("needs a git checkout and git, to know which files belong to the project")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


# --- The scripts as text ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_posix_sh(root: Path, name: str) -> None:
    script = root / "packaging" / name
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n")
    assert "\nset -eu\n" in text
    for shell in ("sh", "dash"):
        if shutil.which(shell):
            subprocess.run([shell, "-n", script], check=True)
    code = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    bashisms = r"\[\[|\blocal |\bfunction |\bsource |<<<|&>|\$'|\becho -|\$\{\w+(//|\^|,)|\bpipefail|\b==\s"
    assert not re.findall(bashisms, re.sub(r"'[^']*'", "''", code))


def test_ci_calls_test_sh_and_nothing_else(root: Path) -> None:
    lines = [line.strip() for line in (root / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    commands = [line for line in lines if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == ["sh packaging/test.sh"]


# --- Pinned versions --------------------------------------------------------------------------------------------------


def pins(root: Path) -> dict[str, str]:
    lines = (root / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9][a-z0-9-]*==[a-z0-9.+!]+", line)] == []
    found = dict(line.split("==") for line in lines)
    assert len(found) == len(lines), "a name stands twice"
    return {canonicalize_name(name): version for name, version in found.items()}


def needed(root: Path) -> set[str]:
    """Every distribution that this project and its test extra bring in on this machine, directly or not."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    first = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    waiting = [(Requirement(line), "") for line in first]
    done: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for wanted in ("", *requirement.extras):
            if (name, wanted) not in done:
                done.add((name, wanted))
                waiting += [(Requirement(line), wanted) for line in distribution(name).requires or ()]
    return {name for name, _ in done} - NOT_PINNED


def test_constraints_pin_everything_that_is_installed(root: Path) -> None:
    pinned = pins(root)
    installed = {name: distribution(name).version for name in needed(root)}
    assert {name: pinned.get(name) for name in installed} == installed


def test_constraints_meet_the_floors_of_pyproject(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = pins(root)
    for line in [*project["dependencies"], *project["optional-dependencies"]["test"]]:
        requirement = Requirement(line)
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, line


def test_other_systems_are_pinned_too(root: Path) -> None:
    assert {"colorama", "pywin32", "pywin32-ctypes", "tzdata"} <= pins(
        root
    ).keys()  # Windows only, so never installed by CI


# --- What may be in the repository ------------------------------------------------------------------------------------


def test_no_machine_path_and_no_package_address_is_tracked(root: Path) -> None:
    # Written with a character class each, so that this file does not find itself.
    patterns = (
        r"/wor[k]/|/roo[t]/|/hom[e]/[a-z]|/User[s]/[A-Za-z]|/op[t]/pypi|C:\\User[s]|"
        r"index-ur[l]|/simpl[e]/|\"resolve[d]\":|pypi[.]org|pythonhosted[.]org|deb[.]debian[.]org|npmjs[.]org"
    )
    found = []
    for name in tracked(root):
        data = (root / name).read_bytes()
        if b"\0" in data[:8000]:
            continue
        for number, line in enumerate(data.decode("utf-8").splitlines(), 1):
            if re.search(patterns, line):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert found == []


def test_top_level_holds_the_agreed_names_only(root: Path) -> None:
    names = {name.split("/")[0] for name in tracked(root)}
    assert {name for name in names if not name.startswith(".")} == TOP_LEVEL


# --- The house --------------------------------------------------------------------------------------------------------

LINT = "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])"


@pytest.mark.parametrize(
    ("contract", "file", "line"),
    [
        pytest.param(
            "never sideways, never up", "provenance/evidence.py", "import footnote_desktop.erp", id="sideways"
        ),
        pytest.param("never sideways, never up", "catalog/result.py", "import footnote_desktop.answers", id="up"),
        pytest.param("never sideways, never up", "settings.py", "import footnote_desktop.catalog", id="settings-up"),
        pytest.param("never sideways, never up", "lounge.py", "", id="a-module-without-a-floor"),
        pytest.param("Only the desktop knows Qt", "answers/__init__.py", "import PySide6", id="qt-elsewhere"),
        pytest.param("The log knows nothing of the ERP", "provenance/record.py", "import sqlglot", id="sql-in-the-log"),
    ],
)
def test_import_contracts_bite(root: Path, tmp_path: Path, contract: str, file: str, line: str) -> None:
    """That they hold is checked by test.sh before the tests; here, that each would notice."""
    shutil.copy(root / "pyproject.toml", tmp_path)
    package = tmp_path / "footnote_desktop"
    shutil.copytree(root / "footnote_desktop", package, ignore=shutil.ignore_patterns("__pycache__"))
    with (package / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"}
    checked = subprocess.run(
        [sys.executable, "-c", LINT], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert f"{contract} BROKEN" in checked.stdout


# --- The scripts, run -------------------------------------------------------------------------------------------------


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A copy of what the scripts need, in a folder whose name has a space in it."""
    copy = tmp_path / "a checkout"
    for name in ("packaging", "footnote_desktop", "resources", "migrations"):
        shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, copy)
    return copy


@pytest.fixture
def environment(checkout: Path, tmp_path: Path) -> dict[str, str]:
    """No display, no network, and a virtual environment that sees the packages of the one that runs the tests, so that
    the scripts do all their work and nothing is fetched."""
    folder = checkout / ".venv"
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "parent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    hidden = ("CI", "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "FOOTNOTE_VENV", "FOOTNOTE_PYTHON", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "PIP_NO_INDEX": "1", "HOME": str(tmp_path / "home")}


def sh(checkout: Path, script: str, *arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [shutil.which("dash") or "sh", f"packaging/{script}", *arguments]
    nothing = subprocess.DEVNULL
    return subprocess.run(command, cwd=checkout, env=env, stdin=nothing, capture_output=True, text=True, check=False)


def test_two_first_runs_at_once_then_a_quick_one(checkout: Path, environment: dict[str, str]) -> None:
    command = ["sh", "packaging/setup.sh", "terminal"]
    runs = [subprocess.Popen(command, cwd=checkout, env=environment, stderr=subprocess.PIPE, text=True) for _ in "12"]
    said = [run.communicate(timeout=120)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    assert sum("Set up." in words for words in said) == 1, "one did the work, the other waited for it"

    began = time.monotonic()
    again = sh(checkout, "setup.sh", "terminal", env=environment)
    assert time.monotonic() - began < 2
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert not (checkout / ".venv" / ".setup-lock").exists()

    with (checkout / "pyproject.toml").open("a") as project:
        project.write("# changed\n")
    assert "Set up." in sh(checkout, "setup.sh", "terminal", env=environment).stderr


def test_lock_of_a_killed_run_does_not_stop_the_next(checkout: Path, environment: dict[str, str]) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    lock = checkout / ".venv" / ".setup-lock"
    lock.mkdir()
    (lock / "pid").write_text(f"{ended.pid}\n")
    done = sh(checkout, "setup.sh", "terminal", env=environment)
    assert done.returncode == 0, done.stderr
    assert not lock.exists()


def test_run_without_a_display_does_the_main_job(checkout: Path, environment: dict[str, str]) -> None:
    done = sh(checkout, "run.sh", env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    first = done.stdout.splitlines()[0]
    assert first == "There is no display here, so the window cannot open; this is the same job in the terminal."
    answer, refusal, chain = re.split(r"^\$ footnote ", done.stdout, flags=re.MULTILINE)[1:]
    assert "43.805,00\u00a0€" in answer
    invoices = [("8812", "18.450,00"), ("8834", "9.625,00"), ("8901", "8.400,00"), ("8977", "7.330,00")]
    for number, outstanding in invoices:
        assert number in answer
        assert outstanding in answer
    assert re.search(r"\[1\]|¹", answer), "footnotes are numbered"
    assert "Acme Corporation" in refusal
    assert "€" not in refusal
    assert chain.startswith("verify\n")


def tools(folder: Path, **fakes: str) -> Path:
    """A folder to use as PATH: the ordinary tools, and shell scripts in the place of those named."""
    folder.mkdir()
    ordinary = ["sh", "cat", "cksum", "dirname", "env", "find", "head", "ls", "mkdir", "mv", "rm", "sleep", "uname"]
    for name in ordinary:
        (folder / name).symlink_to(str(shutil.which(name)))
    for name, body in fakes.items():
        fake = folder / name.replace("_", "-")
        fake.write_text(f"#!/bin/sh\n{body}\n")
        fake.chmod(0o755)
    return folder


APT = """echo "$*" >>"$HOME/apt"; case $1 in update) : >"$HOME/lists";; *) [ -e "$HOME/lists" ];; esac"""


@pytest.mark.skipif(sys.platform != "linux", reason="system packages are installed on Linux only")
class TestSystemPackages:
    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path) -> Path:
        (tmp_path / "home").mkdir()
        return tmp_path / "home"

    def test_as_root_it_installs_what_is_missing(
        self, checkout: Path, environment: dict[str, str], tmp_path: Path, home: Path
    ) -> None:
        path = tools(tmp_path / "bin", ldconfig="echo ' libGL.so.1 (libc6) => x'", id="echo 0", apt_get=APT)
        done = sh(checkout, "setup.sh", "desktop", env={**environment, "PATH": str(path), "DISPLAY": ":0"})
        assert done.returncode == 0, done.stderr
        first, update, second = (home / "apt").read_text().splitlines()
        assert update.split() == ["update", "--quiet"]
        assert first == second
        words = second.split()
        assert words[:4] == ["install", "--yes", "--quiet", "--no-install-recommends"]
        assert {"libegl1", "libxcb-cursor0"} <= set(words)
        assert "libgl1" not in words, "it is there already"
        assert "which needs libraries that this machine does not have" in done.stderr

    def test_libraries_for_a_display_only_with_a_display(
        self, checkout: Path, environment: dict[str, str], tmp_path: Path, home: Path
    ) -> None:
        path = tools(tmp_path / "bin", ldconfig="echo", id="echo 0", apt_get=APT)
        done = sh(checkout, "setup.sh", "tests", env={**environment, "PATH": str(path), "DISPLAY": ":0"})
        assert done.returncode == 0, done.stderr
        assert "libgl1" in (home / "apt").read_text()
        assert "xcb" not in (home / "apt").read_text()

    def test_sudo_is_used_when_needed_and_there(
        self, checkout: Path, environment: dict[str, str], tmp_path: Path, home: Path
    ) -> None:
        sudo = 'echo "$*" >>"$HOME/sudo"; [ "$1" != -n ] || shift; exec "$@"'
        path = tools(tmp_path / "bin", ldconfig="echo", id="echo 1000", apt_get=APT, sudo=sudo, true=":")
        done = sh(checkout, "setup.sh", "tests", env={**environment, "PATH": str(path)})
        assert done.returncode == 0, done.stderr
        assert "env DEBIAN_FRONTEND=noninteractive apt-get install --yes" in (home / "sudo").read_text()

    def test_where_it_may_not_it_says_what_to_run(
        self, checkout: Path, environment: dict[str, str], tmp_path: Path, home: Path
    ) -> None:
        path = tools(tmp_path / "bin", ldconfig="echo", id="echo 1000", apt_get=APT)
        done = sh(checkout, "setup.sh", "tests", env={**environment, "PATH": str(path)})
        assert done.returncode == 1
        assert "apt-get update && apt-get install --yes --no-install-recommends libgl1 libegl1" in done.stderr
        assert not (home / "apt").exists()

    def test_without_python_it_says_what_to_run(
        self, checkout: Path, environment: dict[str, str], tmp_path: Path
    ) -> None:
        shutil.rmtree(checkout / ".venv")
        path = tools(tmp_path / "bin", python3="exit 1")
        done = sh(checkout, "setup.sh", "terminal", env={**environment, "PATH": str(path)})
        assert done.returncode == 1
        assert "Python 3.11 or newer is needed" in done.stderr
        assert "apt-get install --yes python3" in done.stderr


# --- The wheel --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_wheel_is_whole_and_works_by_itself(checkout: Path, root: Path, tmp_path: Path) -> None:
    built = tmp_path / "dist"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=checkout, check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())

    def files(folder: str) -> set[str]:
        return {p.relative_to(checkout).as_posix() for p in (checkout / folder).rglob("*") if p.is_file()}

    assert files("footnote_desktop") <= inside
    assert {f"footnote_desktop/{name}" for name in files("resources") | files("migrations")} <= inside
    assert not [name for name in inside if name.startswith(("resources/", "migrations/", "tests/", "packaging/"))]

    alone = tmp_path / "alone"
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(alone), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    asked = subprocess.run(
        [sys.executable, "-m", "footnote_desktop", "ask", "How much does Bergmann owe?", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(alone), "PROVENANCE_DB": str(tmp_path / "log.sqlite3")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    assert "43.805,00" in json.loads(asked.stdout)["answer"]
