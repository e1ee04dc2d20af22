"""A client that we did not write: the protocol's own inspector, from npm, in both eras."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from server_rpc import environment

PACKAGE = "@modelcontextprotocol/inspector@2.12.0"
SERVE = (sys.executable, "-u", "-m", "footnote_desktop", "serve")
#: Exit codes: a tool's own error, and everything as it should be.
TOOL_ERROR, FINE = 5, 0

Inspect = Callable[..., tuple[int, str]]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm, which is not installed")
    folder = tmp_path_factory.mktemp("inspector")
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    try:
        subprocess.run(install, check=True, capture_output=True, timeout=240)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm could not install {PACKAGE}: {error}")
    return folder / "node_modules" / ".bin" / "mcp-inspector"


@pytest.fixture(params=["legacy", "modern"])
def inspect(request: pytest.FixtureRequest, inspector: Path, tmp_path: Path) -> Inspect:
    def run(*arguments: str) -> tuple[int, str]:
        command = [str(inspector), "--cli", *SERVE, "--protocol-era", request.param, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=90, env=environment(tmp_path))
        return done.returncode, done.stdout

    return run


def test_the_tools_are_portable(inspect: Inspect) -> None:
    code, out = inspect("--method", "tools/list", "--strict")
    assert code == FINE
    assert len(json.loads(out)["tools"]) == 10


def test_a_tool_answers(inspect: Inspect) -> None:
    arguments = ("--tool-name", "getOverdueInvoices", "--tool-arg", "customer=Bergmann")
    code, out = inspect("--method", "tools/call", *arguments)
    assert code == FINE
    assert json.loads(out)["structuredContent"]["totalOutstandingCents"] == 4380500


def test_a_refusal_is_a_tool_error(inspect: Inspect) -> None:
    arguments = ("--tool-name", "getOverdueInvoices", "--tool-arg", "customer=Acme Corporation")
    assert inspect("--method", "tools/call", *arguments)[0] == TOOL_ERROR


def test_resources_are_read(inspect: Inspect) -> None:
    assert inspect("--method", "resources/templates/list")[0] == FINE
    code, out = inspect("--method", "resources/read", "--uri", "erp://customer/4471")
    assert code == FINE
    assert "Bergmann Logistik GmbH" in out
