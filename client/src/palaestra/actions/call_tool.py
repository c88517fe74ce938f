"""Action that calls a task's tool in arms without a page; the episode does it, as tools are on the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palaestra.actions import fields
from palaestra.actions.base import Action, ActionFailed
from palaestra.actions.fields import ActionInvalid, Reader, as_text, field
from palaestra.pages.surface import Surface
from palaestra.protocol.actions import ACTION_SPECS

ARGUMENTS_MAX = 50
NO_TOOLS = "There is no tool here that this action could call."


def as_arguments(value: Any, name: str) -> dict[str, str]:
    """Return arguments by name, from an object or from a list of ``{"name": ..., "value": ...}``.

    Numbers are converted to text, and arguments that are null are left out. Raises ``ActionInvalid``.
    """
    if isinstance(value, list):
        value = dict(_named(item, name) for item in value)
    if not isinstance(value, Mapping) or len(value) > ARGUMENTS_MAX:
        raise ActionInvalid(f'"{name}" must be an object: {{"name of an argument": "its value"}}.')
    return {str(key): as_text(each, str(key)) for key, each in value.items() if each is not None}


def _named(item: Any, name: str) -> tuple[str, Any]:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
        raise ActionInvalid(f'Each item of "{name}" must be an object with a "name" and a "value".')
    return item["name"], item.get("value")


# A strict schema must name all keys of an object, but the keys of arguments depend on the tool.
ARGUMENTS = Reader(
    read=as_arguments,
    schema={
        "type": "array",
        "maxItems": ARGUMENTS_MAX,
        "items": {
            "type": "object",
            "properties": {"name": fields.TEXT.schema, "value": fields.TEXT.schema},
            "required": ["name", "value"],
            "additionalProperties": False,
        },
    },
)


class CallTool(Action):
    spec = ACTION_SPECS["call_tool"]
    touches_page = False
    tool: str = field(fields.TEXT)
    arguments: dict[str, str] = field(ARGUMENTS)

    async def perform(self, page: Surface) -> None:
        raise ActionFailed("refused", NO_TOOLS)
