"""Questions with a panel of tools, which are plain forms whose results the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gymsite.arena import accessible_text, answer_interactions
from tasks_app import prose
from tasks_app.questions import Payload, QuestionKind, ToolCall, Visit, questions
from tasks_app.tools import calls

_decode = msgspec.json.Decoder(dict[str, str]).decode


def render(payload: Payload, visit: Visit, /) -> Mapping[str, object]:
    """Build the context. The payload has ``text``, ``tools`` (ids in order), and ``seed`` for their data."""
    return {
        "prose": prose.cut_prose(payload),
        "has_lines": False,
        "panel": [calls.get_tool(tool) for tool in payload["tools"] if tool in visit.tools],
        "result": result_shown(visit.call) if visit.call and visit.call.tool in visit.tools else None,
    }


def result_shown(call: ToolCall) -> dict[str, Any]:
    """Describe the last call for the template: the tool, its arguments by label, and its result."""
    tool, arguments = calls.get_tool(call.tool), _decode(call.input)
    return {
        "call": call,
        "title": tool.title,
        "arguments": [(field.label, arguments.get(field.name, "")) for field in tool.fields],
        "lines": str(call.output.get("text", "")).split("\n"),
        "is_ok": bool(call.output.get("is_ok")),
    }


def own_tools(payload: Payload, /) -> tuple[str, ...]:
    """Return the ids of the tools in the question's own panel."""
    return tuple(payload.get("tools", ()))


questions.register(
    "tools",
    QuestionKind(
        template="arena/tools.html",
        form_template="arena/_answer_form.html",
        render=render,
        text=prose.write_markdown,
        axtree_text=accessible_text.question_text,
        transcript=accessible_text.transcript,
        moves=answer_interactions.moves_typed,
        more_moves=answer_interactions.more_moves,
        own_tools=own_tools,
    ),
)
