"""The actor is the account that the operating system vouches for."""

from __future__ import annotations

import os
import socket
import sys

import pytest

from footnote_desktop.provenance.actor import current_actor


def test_a_stated_name_is_only_a_label(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(variable, "the-chief-accountant")
    plain = current_actor()
    assert plain.id.endswith(f"@{socket.gethostname()}")
    assert "the-chief-accountant" not in plain.id
    assert plain.details["stated"] is None
    stated = current_actor("ana", "auditor")
    assert stated.id == f"{plain.id} (stated: ana)"
    assert stated.role == "auditor"
    assert stated.details["account"] == plain.details["account"]
    assert stated.details["stated"] == "ana"
    assert stated.details["knownBy"]


@pytest.mark.parametrize("label", ["", "  ", "\n"])
def test_an_empty_label_is_none(label: str) -> None:
    assert "stated:" not in current_actor(label).id


def test_a_label_cannot_pretend_to_be_a_line_of_its_own() -> None:
    assert "\n" not in current_actor("ana\n\nroot@server").id


@pytest.mark.skipif(sys.platform == "win32", reason="user ids are a thing of POSIX")
def test_an_account_without_a_name_is_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_001)
    assert current_actor().id.startswith("uid 4000000001@")
