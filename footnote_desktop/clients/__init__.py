"""Writes the configuration of Claude Desktop and other MCP clients: our entry in, our entry out, nothing else."""

from footnote_desktop.clients.entry import entry, our_command
from footnote_desktop.clients.faults import ClientError
from footnote_desktop.clients.places import Place, System, choose, places
from footnote_desktop.clients.plan import Plan, apply, plan_connect, plan_remove, state
from footnote_desktop.clients.table import CLIENTS, OURS, Client

__all__ = [
    "CLIENTS",
    "OURS",
    "Client",
    "ClientError",
    "Place",
    "Plan",
    "System",
    "apply",
    "choose",
    "entry",
    "our_command",
    "places",
    "plan_connect",
    "plan_remove",
    "state",
]
