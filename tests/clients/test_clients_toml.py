"""Our table in TOML: added and removed again, byte for byte."""

from __future__ import annotations

import tomllib

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_desktop.clients.faults import TextError
from footnote_desktop.clients.toml_edit import add, read_entry, remove

PATH = ("mcp_servers", "footnote")
BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
ENTRY = {"command": "C:\\Programme\\Fußnote\\footnote.exe", "args": ["serve", "--profile", "sample"]}

VALUES = st.sampled_from(
    [
        "1",
        '"# no comment"',
        "'[mcp_servers.footnote]'",
        '"""\n[mcp_servers.footnote]\n\\""" still """',
        "'''\n[x]\n''''",
        "[\n  1, # one\n  [2],\n]",
        '{ a = "}", b = [1] }',
        "1979-05-27T07:32:00Z",
        "nan",
    ]
)
FILLER = st.sampled_from(["", "\n", "# [mcp_servers.footnote]\n", "  # ünd\n", "\t\n"])
HEADERS = st.lists(
    st.sampled_from(
        ["[a]", "[ a . 'b]' ]", "[mcp_servers.other]", '[mcp_servers."x.y".env] # e', "[[list]]", "[mcp_servers]"]
    ),
    unique=True,
    max_size=4,
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    parts = [draw(FILLER)]
    for number, header in enumerate(["", *draw(HEADERS)]):
        parts.append(header + "\n" if header else "")
        for index in range(draw(st.integers(0, 2))):
            parts.append(f"k{number}{index} = {draw(VALUES)}\n")
            parts.append(draw(FILLER))
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    try:
        tomlkit.parse(text)
        tomllib.loads(text)
    except (ValueError, tomlkit.exceptions.TOMLKitError):
        text = ""
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@BUSY
@given(texts())
def test_added_and_removed_is_byte_identical(text: str) -> None:
    new, undo = add(text, PATH, ENTRY)
    assert new.startswith(text)
    assert tomllib.loads(new)["mcp_servers"]["footnote"] == ENTRY
    assert remove(new, PATH, undo) == text


@BUSY
@given(texts())
def test_what_was_written_below_stays(text: str) -> None:
    new, undo = add(text, PATH, ENTRY)
    below = "\n# about later\n[later]\nx = 1\n"
    left = remove(new + below, PATH, undo)
    assert left.endswith(below.lstrip("\n"))
    assert repr(tomllib.loads(left)) == repr({**tomllib.loads(text), "later": {"x": 1}})


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { a = { command = "x" } } # inline\nz = 1\n',
        'mcp_servers.a.command = "x"\nz = 1\n',
        '[mcp_servers]\na = { command = "x" }\n\n[z]\n',
    ],
)
def test_other_ways_to_write_the_servers(text: str) -> None:
    new, undo = add(text, PATH, ENTRY)
    assert read_entry(new, PATH) == ENTRY
    assert remove(new, PATH, undo) == text


def test_our_table_in_the_middle_with_tables_below_it() -> None:
    text = (
        '# top\n[mcp_servers.footnote]\ncommand = "/old"\nstartup_timeout_sec = 30 # slow disk\n\n'
        '[mcp_servers.footnote.env]\nX = "1"\n\n# about b\n[b]\nx = 1\n'
    )
    new, _ = add(text, PATH, ENTRY)
    assert "startup_timeout_sec = 30 # slow disk" in new
    assert tomllib.loads(new)["mcp_servers"]["footnote"] == {**ENTRY, "startup_timeout_sec": 30, "env": {"X": "1"}}
    assert remove(new, PATH).endswith("# about b\n[b]\nx = 1\n")
    assert "footnote" not in remove(new, PATH)


def test_a_fault_is_said_with_its_place() -> None:
    text = "a = 1\nb = = 2\n"
    with pytest.raises(TextError) as caught:
        add(text, PATH, ENTRY)
    assert text.count("\n", 0, caught.value.offset) == 1


def test_servers_that_are_no_table() -> None:
    with pytest.raises(TextError, match="not a table"):
        add("mcp_servers = 1\n", PATH, ENTRY)
