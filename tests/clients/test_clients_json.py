"""Our key in JSON and JSONC: added and removed again, byte for byte, whatever the text looks like."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_desktop.clients.faults import TextError, line_and_column
from footnote_desktop.clients.json_edit import add, read_entry, remove
from footnote_desktop.clients.jsonc import parse

PATH = ("mcpServers", "footnote")
BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
ENTRY = {"command": "/opt/Ünser Ordner/footnote", "args": ["serve", "--profile", "sample"]}

SPACE = st.sampled_from(["", " ", "\n", "\r\n", "\r", "\t", "\n\n    ", "  \n\t"])
COMMENT = st.sampled_from(["/* a, b */", '// {"x": 1,\n', "//\r\n", "/**/", '// "footnote": {}\n  '])
NAMES = st.one_of(st.sampled_from(["mcpServers", "a", "footnotes", ""]), st.text(max_size=5)).filter(
    lambda name: (name != "footnote" and name.isprintable()) or name == ""
)


@st.composite
def texts(draw: st.DrawFn, lenient: bool, depth: int = 0, servers: bool = False) -> str:
    """An object as a person, or a program, might have written it."""

    def gap() -> str:
        parts = st.lists(st.one_of(SPACE, COMMENT) if lenient else SPACE, max_size=3)
        return "".join(draw(parts))

    def value(level: int) -> str:
        kind = draw(st.sampled_from(["scalar", "object", "array"] if level < 3 else ["scalar"]))
        if kind == "object":
            return draw(texts(lenient, level))
        if kind == "array":
            items = [f"{gap()}{value(level + 1)}{gap()}" for _ in range(draw(st.integers(0, 3)))]
            return "[" + ",".join(items) + ("," if items and lenient and draw(st.booleans()) else "") + gap() + "]"
        scalar = st.one_of(st.text(max_size=6), st.integers(), st.booleans(), st.none(), st.just("}], // /*"))
        return draw(st.one_of(scalar.map(json.dumps), st.sampled_from(["1.50", "-0.0e+7", '"\\u00e4\\/"'])))

    names = draw(st.lists(NAMES, max_size=4, unique=True))
    members = []
    for name in names:
        inner = draw(texts(lenient, depth + 1)) if name == "mcpServers" else value(depth + 1)
        members.append(f"{gap()}{json.dumps(name)}{gap()}:{gap()}{inner}{gap()}")
    comma = "," if members and lenient and draw(st.booleans()) else ""
    outer = (gap(), gap()) if depth == 0 else ("", "")
    return outer[0] + "{" + ",".join(members) + comma + gap() + "}" + outer[1]


@pytest.mark.parametrize("lenient", [False, True])
def test_added_and_removed_is_byte_identical(lenient: bool) -> None:
    @BUSY
    @given(texts(lenient))
    def check(text: str) -> None:
        new, undo = add(text, PATH, ENTRY, comments=lenient)
        assert read_entry(new, PATH, comments=lenient) == ENTRY
        before, after = (parse(t, comments=lenient).root.plain() for t in (text, new))
        assert isinstance(before, dict)
        assert after == {**before, "mcpServers": {**before.get("mcpServers", {}), "footnote": ENTRY}}
        assert remove(new, PATH, undo, comments=lenient) == text
        if not lenient:
            assert json.loads(new) == after
        for start, end in parse(text, comments=lenient).comments:
            assert text[start:end] in new

    check()


@BUSY
@given(texts(True), texts(True))
def test_another_key_written_since_stays(text: str, other: str) -> None:
    new, undo = add(text, PATH, ENTRY, comments=True)
    root = parse(new, comments=True).root
    value = parse(other, comments=True).root
    since = new[: root.start + 1] + f'"since":{other[value.start : value.end]},' + new[root.start + 1 :]
    left = parse(remove(since, PATH, undo, comments=True), comments=True).root.plain()
    expected = parse(since, comments=True).root.plain()
    assert isinstance(expected, dict)
    del expected["mcpServers"]["footnote"]
    assert left == expected or left == {key: v for key, v in expected.items() if key != "mcpServers"}


@BUSY
@given(texts(True))
def test_removal_knows_nothing_and_still_touches_no_other_key(text: str) -> None:
    new, _ = add(text, PATH, ENTRY, comments=True)
    before, left = (parse(t, comments=True).root.plain() for t in (text, remove(new, PATH, comments=True)))
    assert isinstance(before, dict)
    assert left in (before, {**before, "mcpServers": {}})


@BUSY
@given(st.text(alphabet='{}[]",:/*\\ \n0123456789.eE+-truefalsn', max_size=12))
def test_strict_parser_accepts_what_json_accepts(text: str) -> None:
    try:
        expected = json.loads(text)
        accepted = True
    except ValueError:
        accepted = False
    try:
        got = parse(text, comments=False).root.plain()
    except TextError:
        assert not accepted
    else:
        assert accepted
        assert got == expected


@BUSY
@given(texts(True), texts(True), st.booleans())
def test_an_entry_of_our_name_is_brought_up_to_date_and_no_other_key(text: str, old: str, command: bool) -> None:
    value = parse(old, comments=True).root
    inner = old[value.start + 1 : value.end]
    held = "{" + ('"command": "x",' if command else "") + inner
    root = parse(text, comments=True).root
    if any(member.name == "mcpServers" for member in root.members):
        return
    whole = text[: root.start + 1] + f'"mcpServers": {{"footnote": {held}}},' + text[root.start + 1 :]
    new, _ = add(whole, PATH, ENTRY, comments=True)
    before, after = (parse(t, comments=True).root.plain() for t in (whole, new))
    assert isinstance(before, dict)
    kept = before["mcpServers"]["footnote"] if command else {}
    assert after == {**before, "mcpServers": {"footnote": {**kept, **ENTRY}}}
    assert list(after) == list(before)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{\n  "a": 1,\n  "b": 2,\n}', 3, 9, "comma before }"),
        ("{\r\n  // no\r\n}", 2, 3, "comment"),
        ('{"a": 1\r  "b": 2}', 2, 3, "comma or }"),
        ('{"a": NaN}', 1, 7, "'N'"),
        ('{"a": "x\ny"}', 1, 7, "string"),
        ('{"a": 1', 1, 8, "ends where"),
        ("{} {}", 1, 4, "goes on"),
        ("[]", 1, 1, "not an object"),
        ('{"mcpServers": null}', 1, 16, "mcpServers is not an object"),
        ('{"mcpServers": {}, "mcpServers": {}}', 1, 20, "twice"),
        ("[" * 300, 1, 201, "nesting"),
    ],
)
def test_a_fault_is_said_with_its_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(TextError, match=words.replace("}", r"\}")) as caught:
        add(text, PATH, ENTRY, comments=False)
    assert line_and_column(text, caught.value.offset) == (line, column)


def test_it_looks_like_the_file() -> None:
    text = '{\r\n\t"theme": "x", // mine\r\n\t"mcpServers": {\r\n\t\t"a": {} // about a\r\n\t}\r\n}\r\n'
    new, _ = add(text, PATH, {"command": "/f", "args": ["serve"]}, comments=True)
    assert new == (
        '{\r\n\t"theme": "x", // mine\r\n\t"mcpServers": {\r\n\t\t"a": {}, // about a\r\n'
        '\t\t"footnote": {\r\n\t\t\t"command": "/f",\r\n\t\t\t"args": [\r\n'
        '\t\t\t\t"serve"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n'
    )


def test_minified_stays_minified() -> None:
    new, _ = add('{"mcpServers":{"a":{}}}', PATH, {"command": "/f", "args": []}, comments=False)
    assert new == '{"mcpServers":{"a":{},"footnote":{"command":"/f","args":[]}}}'


def test_an_entry_of_ours_keeps_what_a_person_wrote_into_it() -> None:
    text = (
        '{\n  "mcpServers": {\n    "footnote": {"command": "/old", "disabled": true, "args": ["x"]} // mine\n  }\n}\n'
    )
    new, _ = add(text, PATH, {"type": "stdio", "command": "/new", "args": ["serve"]}, comments=True)
    assert '"disabled": true' in new
    assert "// mine" in new
    assert read_entry(new, PATH, comments=True) == {
        "command": "/new",
        "disabled": True,
        "args": ["serve"],
        "type": "stdio",
    }


def test_a_remote_entry_of_our_name_is_replaced_whole() -> None:
    new, _ = add('{"mcpServers": {"footnote": {"url": "http://x"}}}', PATH, ENTRY, comments=False)
    assert json.loads(new) == {"mcpServers": {"footnote": ENTRY}}


def test_what_follows_a_comment_does_not_become_one() -> None:
    text = '{"mcpServers": {"a": 1, // note\n "footnote": {"command": "x"}}, "b": 2}'
    assert parse(remove(text, PATH, comments=True), comments=True).root.plain() == {"mcpServers": {"a": 1}, "b": 2}
