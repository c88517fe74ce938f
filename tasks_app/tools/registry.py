"""Tools by id: one file of ``tasks_app/tools/builtin`` is one tool."""

from __future__ import annotations

from core.registry import Registry
from tasks_app.tools.types import Tool

TOOLS: Registry[Tool] = Registry("tool")


def tool_register(tool: Tool) -> None:
    TOOLS.register(tool.id, tool)
