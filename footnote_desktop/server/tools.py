"""The catalog's operations as MCP tools."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from mcp_types import Tool, ToolAnnotations

from footnote_desktop.catalog.registry import OPERATIONS, Operation


@functools.cache
def tools() -> list[Tool]:
    """All operations, in their order. Made once: the schemas take longer than everything else in a listing."""
    return [as_tool(operation) for operation in OPERATIONS.values()]


def as_tool(operation: Operation) -> Tool:
    """One operation with both of its schemas. A call changes nothing but the log, which is append-only."""
    return Tool(
        name=operation.name,
        title=operation.title,
        description=operation.description,
        input_schema=plain(operation.arguments.model_json_schema()),
        output_schema=plain(operation.result.model_json_schema(mode="serialization")),
        annotations=ToolAnnotations(
            title=operation.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without the titles that pydantic makes of names: they say nothing and cost the model tokens."""
    return {
        key: plain(value) if isinstance(value, dict) else value
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
