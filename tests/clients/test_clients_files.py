"""A client's file as a whole: planned, written, backed up, taken back; and left alone whenever something is wrong."""

from __future__ import annotations

import codecs
import errno
import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_desktop.clients import CLIENTS, ClientError, apply, entry, plan_connect, plan_remove, state
from footnote_desktop.clients.plan import Plan
from footnote_desktop.clients.receipts import KEPT, Store

CLAUDE = CLIENTS["claude-desktop"]
OTHER = '{\n  "theme": "dark",\n  "mcpServers": {\n    "other": {"command": "x", "env": {"TOKEN": "t"}}\n  }\n}\n'
ENTRY = entry(CLAUDE, "Production", ["/opt/foot note/footnote"])


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "Application Support" / "claude_desktop_config.json"
    path.parent.mkdir()
    path.write_bytes(OTHER.encode())
    return path


def connect(path: Path, backups: Path, key: str = "claude-desktop", profile: str = "Production") -> Path | None:
    client = CLIENTS[key]
    return apply(plan_connect(client, path, entry(client, profile, ["/opt/foot note/footnote"]), backups=backups))


def disconnect(path: Path, backups: Path, key: str = "claude-desktop") -> Plan:
    plan = plan_remove(CLIENTS[key], path, backups=backups)
    apply(plan)
    return plan


def test_planned_shown_written_and_taken_back(file: Path, backups: Path) -> None:
    plan = plan_connect(CLAUDE, file, ENTRY, backups=backups)
    assert file.read_bytes() == OTHER.encode()
    assert not backups.exists()
    assert '+    "footnote": {' in plan.diff
    assert "-  " not in plan.diff.replace('-    "other"', "")
    backup = apply(plan)
    assert backup is not None
    assert backup.read_bytes() == OTHER.encode()
    data = json.loads(file.read_bytes())
    assert data["mcpServers"]["footnote"] == {
        "command": "/opt/foot note/footnote",
        "args": ["serve", "--profile", "Production"],
    }
    assert data["mcpServers"]["other"] == {"command": "x", "env": {"TOKEN": "t"}}
    assert not plan_connect(CLAUDE, file, ENTRY, backups=backups).changed
    disconnect(file, backups)
    assert file.read_bytes() == OTHER.encode()
    assert not plan_remove(CLAUDE, file, backups=backups).changed
    assert os.listdir(file.parent) == [file.name]


@pytest.mark.parametrize("key", list(CLIENTS))
def test_every_client_from_nothing_and_back(key: str, tmp_path: Path, backups: Path) -> None:
    path = tmp_path / "a" / "b" / ("config.toml" if CLIENTS[key].toml else "mcp.json")
    assert connect(path, backups, key) is None
    assert path.stat().st_mode & 0o077 == 0 or os.name == "nt"
    wanted = entry(CLIENTS[key], "Production", ["/opt/foot note/footnote"])
    assert state(CLIENTS[key], path, wanted) == "connected"
    assert state(CLIENTS[key], path, {**wanted, "command": "/else"}) == "changed"
    disconnect(path, backups, key)
    assert not (tmp_path / "a").exists()
    assert state(CLIENTS[key], path, wanted) == "not connected"


def test_a_folder_of_somebody_else_stays(tmp_path: Path, backups: Path) -> None:
    path = tmp_path / "a" / "b" / "mcp.json"
    connect(path, backups)
    (tmp_path / "a" / "theirs").write_text("x")
    disconnect(path, backups)
    assert os.listdir(tmp_path / "a") == ["theirs"]


def test_another_profile_later_and_still_the_first_original_comes_back(file: Path, backups: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbf{"mcpServers" :{ } }')
    before = file.read_bytes()
    connect(file, backups)
    assert not file.read_bytes().startswith(codecs.BOM_UTF8)
    connect(file, backups, profile="Other")
    assert json.loads(file.read_bytes())["mcpServers"]["footnote"]["args"][-1] == "Other"
    disconnect(file, backups)
    assert file.read_bytes() == before


def test_changed_since_by_the_client_our_key_alone_is_spliced_out(file: Path, backups: Path) -> None:
    file.write_text('{"theme": "dark"}')
    connect(file, backups)
    file.write_text(file.read_text().replace('"dark"', '"light"'))
    disconnect(file, backups)
    assert file.read_text() == '{"theme": "light"}'


def test_an_entry_from_before_is_not_brought_back(file: Path, backups: Path) -> None:
    file.write_text('{"mcpServers": {"footnote": {"command": "/old"}}}')
    connect(file, backups)
    disconnect(file, backups)
    assert json.loads(file.read_text()) == {"mcpServers": {}}


def test_the_last_ten_backups_and_the_original(file: Path, backups: Path) -> None:
    first = connect(file, backups)
    for number in range(KEPT + 4):
        connect(file, backups, profile=f"P{number}")
    kept = sorted(Store(file, backups).folder.glob("*.bak"))
    assert len(kept) == KEPT + 1
    assert kept[0] == first
    assert stat.S_IMODE(kept[0].stat().st_mode) == 0o600 or os.name == "nt"
    disconnect(file, backups)
    assert file.read_text() == OTHER


def test_a_backup_that_was_tampered_with_is_not_brought_back(file: Path, backups: Path) -> None:
    backup = connect(file, backups)
    assert backup is not None
    backup.write_text("{}")
    disconnect(file, backups)
    assert file.read_text() == OTHER


# -- what is kept --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="modes and owners are POSIX's")
def test_mode_owner_and_link_stay(file: Path, backups: Path, tmp_path: Path) -> None:
    os.chmod(file, 0o640)
    if os.getuid() == 0:
        os.chown(file, 1234, 2345)
    held = file.stat()
    link = tmp_path / "link.json"
    link.symlink_to(file)
    plan = plan_connect(CLAUDE, link, ENTRY, backups=backups)
    assert str(file) in plan.notes[-1]
    apply(plan)
    assert link.is_symlink()
    now = file.stat()
    assert (now.st_mode, now.st_uid, now.st_gid) == (held.st_mode, held.st_uid, held.st_gid)
    disconnect(link, backups)
    assert file.read_text() == OTHER


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_to_nothing_is_filled_and_a_loop_refused(tmp_path: Path, backups: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "new" / "target.json")
    connect(link, backups)
    assert link.is_symlink()
    assert (tmp_path / "new" / "target.json").is_file()
    loop = tmp_path / "loop.json"
    loop.symlink_to(loop)
    with pytest.raises(ClientError, match="leads to itself"):
        plan_connect(CLAUDE, loop, ENTRY, backups=backups)


# -- what is refused -----------------------------------------------------------------------------------------------


def test_a_file_that_does_not_parse_is_never_rewritten(file: Path, backups: Path) -> None:
    for broken in (b'{\n  "a": 1,\n}', b"{", b"\xff\xfe{\x00}\x00", b"// only a comment", b"[1"):
        file.write_bytes(broken)
        for plan in (lambda: plan_connect(CLAUDE, file, ENTRY, backups=backups), lambda: plan_remove(CLAUDE, file)):
            with pytest.raises(ClientError, match=r"at line \d+, column \d+|at byte 1") as caught:
                plan()
            assert str(file) in caught.value.message
        assert file.read_bytes() == broken


@pytest.mark.parametrize("after", [b'{"other": 1}', None])
def test_changed_between_plan_and_writing(file: Path, backups: Path, after: bytes | None) -> None:
    plan = plan_connect(CLAUDE, file, ENTRY, backups=backups)
    if after is None:
        file.unlink()
    else:
        file.write_bytes(after)
    with pytest.raises(ClientError, match="changed by another program"):
        apply(plan)
    assert (file.read_bytes() if file.exists() else None) == after


def test_changed_while_writing(file: Path, backups: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from footnote_desktop.clients import replacing

    plan = plan_connect(CLAUDE, file, ENTRY, backups=backups)
    monkeypatch.setattr(replacing, "_dress", lambda target, temporary: target.write_text('{"theirs": 1}'))
    with pytest.raises(ClientError, match="changed by another program"):
        apply(plan)
    assert file.read_text() == '{"theirs": 1}'
    assert os.listdir(file.parent) == [file.name]
    assert Store(file, backups).receipt() is None


def test_a_read_only_file(file: Path, backups: Path) -> None:
    os.chmod(file, 0o444)
    with pytest.raises(ClientError, match="read-only"):
        connect(file, backups)
    os.chmod(file, 0o644)
    assert file.read_text() == OTHER


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EACCES, "no permission"), (errno.EROFS, "read-only disk")],
)
@pytest.mark.parametrize("where", ["backup", "file", "replace"])
def test_the_system_refuses(
    file: Path, backups: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str, where: str
) -> None:
    from footnote_desktop.clients import receipts, replacing

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    plan = plan_connect(CLAUDE, file, ENTRY, backups=backups)
    with monkeypatch.context() as patch:
        if where == "replace":
            patch.setattr(replacing.os, "replace", _only_for(file, refuse))
        else:
            patch.setattr(receipts if where == "backup" else replacing, "write_new", refuse)
        with pytest.raises(ClientError, match=words) as caught:
            apply(plan)
    assert caught.value.advice
    assert file.read_text() == OTHER
    assert os.listdir(file.parent) == [file.name]
    assert Store(file, backups).receipt() is None
    connect(file, backups)
    disconnect(file, backups)
    assert file.read_text() == OTHER


def _only_for(file: Path, refuse: object) -> object:
    really = os.replace

    def replace(source: object, target: object) -> None:
        if Path(str(target)) == file:
            refuse()  # type: ignore[operator]
        really(source, target)  # type: ignore[arg-type]

    return replace


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(file: Path, backups: Path) -> None:
    os.chmod(file.parent, 0o555)
    try:
        with pytest.raises(ClientError, match="no permission"):
            connect(file, backups)
    finally:
        os.chmod(file.parent, 0o755)
    assert file.read_text() == OTHER


def test_a_folder_in_the_place_of_the_file(tmp_path: Path, backups: Path) -> None:
    with pytest.raises(ClientError, match="is a folder"):
        connect(tmp_path, backups)
    (tmp_path / "plain").write_text("x")
    with pytest.raises(ClientError, match="is a file"):
        connect(tmp_path / "plain" / "mcp.json", backups)


def test_the_diff_of_a_file_without_a_last_line_end(file: Path, backups: Path) -> None:
    file.write_bytes(b'{"mcpServers": {}}')
    diff = plan_connect(CLAUDE, file, ENTRY, backups=backups).diff
    assert '-{"mcpServers": {}}\\ No newline' not in diff
    assert diff.count("\n\\ No newline at end of file\n") >= 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(
    st.dictionaries(st.text(max_size=8), JSON, max_size=4),
    st.sampled_from([None, 2, "\t"]),
    st.sampled_from([b"", codecs.BOM_UTF8]),
)
def test_any_file_comes_back_byte_for_byte(
    tmp_path: Path, data: dict[str, object], indent: int | str | None, mark: bytes
) -> None:
    path, backups = tmp_path / "any.json", tmp_path / "backups"
    content = mark + json.dumps(data, indent=indent).encode()
    path.write_bytes(content)
    if not isinstance(data.get("mcpServers", {}), dict):
        return
    connect(path, backups)
    assert {**json.loads(path.read_bytes()), "mcpServers": None} == {**data, "mcpServers": None}
    disconnect(path, backups)
    assert path.read_bytes() == content
