"""The clients: where each keeps its servers, in which shape, and how it is quit. Data only.

In a place, ``{home}``, ``{config}`` (the user's configuration folder), ``{local}`` (Windows: LOCALAPPDATA) and
``{project}`` stand for folders; ``*`` stands for any one folder's name. ``$NAME`` as the first part is an environment
variable, and the place does not exist where that is not set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

OURS = "footnote"  #: the name of our entry in every client


@dataclass(frozen=True, slots=True)
class Spot:
    """A place where a client may read its servers from."""

    path: str
    label: str
    systems: tuple[str, ...] = ("linux", "darwin", "win32")
    marker: str | None = None  #: exists where the client is installed; else the folder of ``path``
    project: bool = False  #: read in one project's folder only, so never chosen unasked


@dataclass(frozen=True, slots=True)
class Client:
    """One client's configuration. ``comments``: whether it reads JSON with comments and trailing commas."""

    key: str
    title: str
    spots: tuple[Spot, ...]
    servers: str = "mcpServers"
    extra: Mapping[str, object] = field(default_factory=dict)  #: what its entries hold before command and args
    comments: bool = False
    toml: bool = False
    restart: str = ""


_BACKGROUND = " Closing its window is not enough: it goes on running."

_CODE_MARKER = "globalStorage/saoudrizwan.claude-dev"
_CODE_HOSTS = (
    ("{config}/Code/User", "VS Code"),
    ("{config}/Code - Insiders/User", "VS Code Insiders"),
    ("{config}/VSCodium/User", "VSCodium"),
)

_ALL = (
    Client(
        "claude-desktop",
        "Claude Desktop",
        (
            Spot("{config}/Claude/claude_desktop_config.json", "Claude Desktop"),
            # The Store version sees its own copy of %APPDATA%, and never the file that "Edit config" opens.
            Spot(
                "{local}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
                "Claude Desktop from the Microsoft Store",
                ("win32",),
                marker="{local}/Packages/Claude_*",
            ),
        ),
        restart="Quit Claude Desktop fully, then start it again: on Windows and Linux right-click its icon in the tray"
        " and choose Quit; on a Mac press Command-Q." + _BACKGROUND,
    ),
    Client(
        "claude-code",
        "Claude Code",
        (
            Spot("$CLAUDE_CONFIG_DIR/.claude.json", "Claude Code, all projects"),
            Spot("{home}/.claude.json", "Claude Code, all projects", marker="{home}/.claude"),
            Spot("{project}/.mcp.json", "Claude Code, this project", project=True),
        ),
        extra={"type": "stdio"},
        restart="Leave every running session of Claude Code with /exit, then start it again.",
    ),
    Client(
        "cursor",
        "Cursor",
        (
            Spot("{home}/.cursor/mcp.json", "Cursor"),
            Spot("{project}/.cursor/mcp.json", "Cursor, this project", project=True),
        ),
        comments=True,
        restart="Close all windows of Cursor (File > Exit; on a Mac Command-Q), then start it again.",
    ),
    Client(
        "vscode",
        "VS Code",
        (
            *(Spot(f"{folder}/mcp.json", label) for folder, label in _CODE_HOSTS),
            Spot("{home}/.var/app/com.visualstudio.code/config/Code/User/mcp.json", "VS Code from Flatpak", ("linux",)),
            Spot("{project}/.vscode/mcp.json", "VS Code, this workspace", project=True),
        ),
        servers="servers",
        extra={"type": "stdio"},
        comments=True,
        restart='Run "MCP: List Servers" in VS Code\'s command palette and start footnote, or start VS Code again.',
    ),
    Client(
        "windsurf",
        "Windsurf",
        (Spot("{home}/.codeium/windsurf/mcp_config.json", "Windsurf"),),
        restart="Close all windows of Windsurf (File > Exit; on a Mac Command-Q), then start it again.",
    ),
    Client(
        "zed",
        "Zed",
        (
            Spot("{config}/zed/settings.json", "Zed", ("linux",)),
            Spot("{home}/.var/app/dev.zed.Zed/config/zed/settings.json", "Zed from Flatpak", ("linux",)),
            Spot("{home}/.config/zed/settings.json", "Zed", ("darwin",)),
            Spot("{config}/Zed/settings.json", "Zed", ("win32",)),
        ),
        servers="context_servers",
        extra={"source": "custom"},  # versions before mid-2025 read no entry without it
        comments=True,
        restart="Zed reads its settings at once; if footnote does not appear, quit Zed and start it again.",
    ),
    Client(
        "lm-studio",
        "LM Studio",
        (Spot("{home}/.lmstudio/mcp.json", "LM Studio"),),
        restart="Quit LM Studio fully, then start it again: right-click its icon in the tray or menu bar, Quit."
        + _BACKGROUND,
    ),
    Client(
        "gemini-cli",
        "Gemini CLI",
        (
            Spot("{home}/.gemini/settings.json", "Gemini CLI"),
            Spot("{project}/.gemini/settings.json", "Gemini CLI, this project", project=True),
        ),
        comments=True,
        restart="Leave every running session of Gemini CLI with /quit, then start it again.",
    ),
    Client(
        "codex",
        "Codex CLI",
        (Spot("$CODEX_HOME/config.toml", "Codex CLI"), Spot("{home}/.codex/config.toml", "Codex CLI")),
        servers="mcp_servers",
        toml=True,
        restart="Leave every running session of Codex with /quit, then start it again.",
    ),
    Client(
        "cline",
        "Cline",
        tuple(
            Spot(
                f"{folder}/{_CODE_MARKER}/settings/cline_mcp_settings.json",
                f"Cline in {label}",
                marker=f"{folder}/{_CODE_MARKER}",
            )
            for folder, label in (*_CODE_HOSTS, ("{config}/Cursor/User", "Cursor"))
        ),
        restart="Cline reads its file at once; if footnote does not appear, start the editor again.",
    ),
)

#: By the name that the command line takes, in the order in which they are shown.
CLIENTS: Mapping[str, Client] = {client.key: client for client in _ALL}
