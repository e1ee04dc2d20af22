"""Where each client's file is on each system, which one is meant, and what is written into it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from footnote_desktop import cli_clients
from footnote_desktop.cli import main
from footnote_desktop.clients import CLIENTS, ClientError, System, choose, entry, our_command, places


def system(tmp_path: Path, platform: str, **environ: str) -> System:
    if platform == "win32":
        environ |= {"APPDATA": str(tmp_path / "Roaming"), "LOCALAPPDATA": str(tmp_path / "Local")}
    return System(platform, tmp_path / "home", environ, tmp_path / "project")


EXPECTED = {
    "linux": {
        "claude-desktop": "home/.config/Claude/claude_desktop_config.json",
        "claude-code": "home/.claude.json",
        "cursor": "home/.cursor/mcp.json",
        "vscode": "home/.config/Code/User/mcp.json",
        "windsurf": "home/.codeium/windsurf/mcp_config.json",
        "zed": "home/.config/zed/settings.json",
        "lm-studio": "home/.lmstudio/mcp.json",
        "gemini-cli": "home/.gemini/settings.json",
        "codex": "home/.codex/config.toml",
        "cline": "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    },
    "darwin": {
        "claude-desktop": "home/Library/Application Support/Claude/claude_desktop_config.json",
        "vscode": "home/Library/Application Support/Code/User/mcp.json",
        "zed": "home/.config/zed/settings.json",
    },
    "win32": {
        "claude-desktop": "Roaming/Claude/claude_desktop_config.json",
        "vscode": "Roaming/Code/User/mcp.json",
        "zed": "Roaming/Zed/settings.json",
        "codex": "home/.codex/config.toml",
    },
}


@pytest.mark.parametrize(("platform", "key"), [(p, k) for p, keys in EXPECTED.items() for k in keys])
def test_the_usual_place(tmp_path: Path, platform: str, key: str) -> None:
    found = places(CLIENTS[key], system(tmp_path, platform))
    assert not any(place.installed for place in found)
    assert choose(CLIENTS[key], found).path == tmp_path / EXPECTED[platform][key]


def test_the_store_version_reads_its_own_file(tmp_path: Path) -> None:
    claude, windows = CLIENTS["claude-desktop"], system(tmp_path, "win32")
    package = tmp_path / "Local" / "Packages" / "Claude_pzs8sxrjxfjjc"
    package.mkdir(parents=True)
    store = package / "LocalCache" / "Roaming" / "Claude" / "claude_desktop_config.json"
    assert choose(claude, places(claude, windows)).path == store
    (tmp_path / "Roaming" / "Claude").mkdir(parents=True)
    with pytest.raises(ClientError, match="more than once") as caught:
        choose(claude, places(claude, windows))
    assert str(store) in caught.value.message
    assert "--config" in caught.value.advice


def test_variables_move_the_place(tmp_path: Path) -> None:
    for key, name, file in (
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
    ):
        (tmp_path / "home" / ".codex").mkdir(parents=True, exist_ok=True)
        found = places(CLIENTS[key], system(tmp_path, "linux", **{name: str(tmp_path / "else")}))
        assert choose(CLIENTS[key], found).path == tmp_path / "else" / file
    linux = system(tmp_path, "linux", XDG_CONFIG_HOME=str(tmp_path / "xdg"))
    assert choose(CLIENTS["zed"], places(CLIENTS["zed"], linux)).path == tmp_path / "xdg" / "zed" / "settings.json"


def test_a_project_file_is_shown_and_never_chosen_unasked(tmp_path: Path) -> None:
    file = tmp_path / "project" / ".mcp.json"
    file.parent.mkdir()
    file.write_text("{}")
    found = places(CLIENTS["claude-code"], system(tmp_path, "linux"))
    assert [place.path for place in found if place.project] == [file]
    assert choose(CLIENTS["claude-code"], found).path == tmp_path / "home" / ".claude.json"


def test_our_command_is_absolute_and_answers() -> None:
    command = our_command()
    assert os.path.isabs(command[0])
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("footnote ")


def test_a_packaged_app_names_its_console_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = tmp_path / "FootnoteDesktop"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(window))
    monkeypatch.delenv("APPIMAGE", raising=False)
    assert our_command() == [str(window)]
    console = tmp_path / ("footnote.exe" if sys.platform == "win32" else "footnote")
    console.write_text("")
    assert our_command() == [str(console)]
    monkeypatch.setenv("APPIMAGE", str(tmp_path / "Footnote.AppImage"))
    assert our_command() == [str(tmp_path / "Footnote.AppImage")]


def test_shapes() -> None:
    command = ["/f"]
    args = ["serve", "--profile", "P"]
    assert entry(CLIENTS["vscode"], "P", command) == {"type": "stdio", "command": "/f", "args": args}
    assert entry(CLIENTS["codex"], "P", command) == {"command": "/f", "args": args}
    assert CLIENTS["vscode"].servers == "servers"
    assert CLIENTS["zed"].servers == "context_servers"
    assert all(client.restart for client in CLIENTS.values())


# -- the command ---------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, object], str]:
    code = main(["connect", "--json", *args])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_the_command_knows_every_client() -> None:
    assert tuple(CLIENTS) == cli_clients.NAMES


def test_dry_run_write_and_remove(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "claude.json"
    file.write_text("{}\n")
    where = ("claude-desktop", "--config", str(file))
    code, shown, _ = run(capsys, *where, "--dry-run")
    assert (code, shown["path"], shown["changed"], shown["backup"]) == (0, str(file), True, None)
    assert "footnote" in str(shown["diff"])
    assert file.read_text() == "{}\n"
    code, written, err = run(capsys, *where)
    assert written["diff"] == shown["diff"]
    assert "sample" in err
    assert Path(str(written["backup"])).read_text() == "{}\n"
    args = json.loads(file.read_text())["mcpServers"]["footnote"]["args"]
    assert args[-3:] == ["serve", "--profile", "sample"]
    code, again, _ = run(capsys, *where)
    assert (code, again["changed"], again["diff"], again["backup"]) == (0, False, "", None)
    code, removed, _ = run(capsys, *where, "--remove")
    assert (code, removed["changed"]) == (0, True)
    assert file.read_text() == "{}\n"


def test_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.toml"
    assert main(["connect", "codex", "--config", str(file), "--tricky"]) == 0
    out = capsys.readouterr().out
    assert "+[mcp_servers.footnote]" in out
    assert f"Written: {file}" in out
    assert "/quit" in out
    assert main(["connect", "codex", "--config", str(file), "--remove"]) == 0
    assert f"Deleted: {file}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--profile", "environment"), "DATABASE_URL"),
        (("--profile", "missing"), "missing"),
        (("--log", "x"), "--log"),
    ],
)
def test_what_cannot_go_into_a_client(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: tuple[str, ...], words: str
) -> None:
    file = tmp_path / "x.json"
    code, document, _ = run(capsys, "cursor", "--config", str(file), *args)
    assert code == 2
    assert words in str(document["error"])
    assert not file.exists()


def test_a_broken_file_and_an_unknown_client(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    file.write_text('{\n "a": }\n')
    code, document, _ = run(capsys, "cursor", "--config", str(file))
    assert code == 2
    assert "line 2, column 7" in str(document["error"])
    code, document, _ = run(capsys, "nobody")
    assert code == 2
    assert "claude-desktop" in str(document["error"])


def test_what_is_written_starts_and_answers_with_no_path_at_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "Ordner mit Leerzeichen äöü" / "mcp.json"
    run(capsys, "cursor", "--config", str(file))
    written = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["footnote"]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    done = subprocess.run(
        [written["command"], *written["args"]],
        input=json.dumps(hello) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "PATH": ""},
        cwd=tmp_path,
        check=False,
    )
    answer = json.loads(done.stdout.splitlines()[0])
    assert answer["id"] == 1
    assert "serverInfo" in answer["result"]
