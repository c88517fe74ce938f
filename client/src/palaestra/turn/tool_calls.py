"""Calls to a task's tools, which the server carries out."""

from __future__ import annotations

from palaestra.actions import Outcome
from palaestra.actions.call_tool import NO_TOOLS, CallTool
from palaestra.api import Client
from palaestra.errors import ApiError
from palaestra.records import OpenedEpisode
from palaestra.turn.steps import text_clean

# Longer names and values are invalid anyway, and the tool refuses them just as well when they are cut.
NAME_MAX_CHARS = 200
VALUE_MAX_CHARS = 1_000


async def tool_call(client: Client, opened: OpenedEpisode, action: CallTool, *, step: int) -> Outcome:
    """Call a tool, and return its response as an outcome, which is ``refused`` if the tool cannot answer.

    Raises ``ApiError`` if the call cannot be made.
    """
    if not opened.tools:
        return Outcome(result="refused", message=NO_TOOLS)
    arguments = {
        _cut(name, NAME_MAX_CHARS): _cut(value, VALUE_MAX_CHARS) for name, value in action.arguments.items()
    }
    try:
        answer = await client.tool_call(
            opened.id, step=step, tool=_cut(action.tool, NAME_MAX_CHARS), arguments=arguments
        )
    except ApiError as failure:
        if not failure.refuses_content:
            raise
        return Outcome(result="refused", message=failure.message)
    message = f"{answer.text}\n{answer.used} of {answer.limit} calls used."
    return Outcome(result="ok" if answer.is_ok else "refused", message=message)


def _cut(text: str, limit: int) -> str:
    return text_clean(text[:limit])
