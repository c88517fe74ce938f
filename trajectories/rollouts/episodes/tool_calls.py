"""Calls of a task's tools, in arms without a page that shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.schema import call
from core.database.integers import INT_MAX
from core.errors import GymError
from core.structs.bodies import struct_read
from tasks_app.questions import CALLS_MAX
from tasks_app.tools import calls
from tasks_app.tools.data import draw_data
from tasks_app.tools.types import Result
from tasks_app.worlds.evidence import TOOL_CALLED
from trajectories.models import Episode, SiteEvent, ToolCall
from trajectories.record.api.auth import Principal, caller
from trajectories.rollouts.episodes.drafts import list_called_tools
from trajectories.rollouts.episodes.services import episode_get

NAME_MAX_CHARS = 200
VALUE_MAX_CHARS = 1_000
ARGUMENTS_MAX = 50
TOOL_CHARS = 32
"""A tool's name is cut to this many characters, because a policy may call tools that do not exist."""
Name = Annotated[str, Meta(max_length=NAME_MAX_CHARS)]


class ToolCallIn(Struct, forbid_unknown_fields=True):
    """A tool call. ``step`` is the number of the step that makes it.

    If a step sends the same call again, it is made only once.
    """

    step: Annotated[int, Meta(ge=1, le=INT_MAX)]
    tool: Name
    arguments: Annotated[
        dict[Name, Annotated[str, Meta(max_length=VALUE_MAX_CHARS)]], Meta(max_length=ARGUMENTS_MAX)
    ]


class ToolAnswer(Struct):
    """The result of a tool call.

    ``text`` is the tool's answer or, if ``is_ok`` is false, the reason why there is none. ``used`` is the
    number of calls that the episode has made, out of ``limit``."""

    number: int
    text: str
    is_ok: bool
    used: int
    limit: int


class ToolCallsView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "tool_call",
        "Call a tool of an episode's task",
        description="For a task with tools, in arms without a page; on pages, tools are forms. A call that "
        "cannot be parsed is answered with the reason.",
        body=ToolCallIn,
        answers={200: (ToolAnswer, "The tool's answer.")},
        errors=(400, 404, 409),
    )
    # There is no Idempotency-Key, because the step's number identifies a call.
    def post(self, request: Request, episode_id: int) -> Response:
        body = struct_read(request.data, ToolCallIn)
        answer = tool_call(episode_id=episode_id, made=body, principal=caller(request))
        return Response(msgspec.to_builtins(answer))


def tool_call(*, episode_id: int, made: ToolCallIn, principal: Principal) -> ToolAnswer:
    """Call a tool, and record the call as a page does: with its result, and as a site event.

    Raises ``GymError``: 404 ``unknown_episode``; 409 ``no_tools``, ``episode_final``, ``no_calls_left``.
    """
    episode = episode_get(episode_id=episode_id, principal=principal)
    tools = list_called_tools(episode.task, arm=episode.arm, variation=episode.variation)
    if not tools:
        message = (
            f"Episode {episode_id} cannot call tools this way. If its task has tools, its page shows them."
        )
        raise GymError("no_tools", message, status=409)
    result = calls.call(made.tool, made.arguments, draw_data(episode.task.payload["seed"]), among=tools)
    with transaction.atomic():
        # The episode is locked, so that its calls are numbered and counted one after another.
        rows = Episode.objects.select_for_update(no_key=True).filter(pk=episode_id)
        status = rows.values_list("status", flat=True).get()
        earlier = list(ToolCall.objects.filter(episode=episode_id).order_by("number"))
        stored = next((one for one in earlier if _is_same(one, made)), None)
        if stored is None:
            _check(status, used=len(earlier))
            stored = _store(episode_id, made, result, number=len(earlier) + 1)
            earlier.append(stored)
    output: Any = stored.output
    return ToolAnswer(number=stored.number, **output, used=len(earlier), limit=CALLS_MAX)


def _check(status: str, *, used: int) -> None:
    if status != Episode.Status.OPEN:
        raise GymError("episode_final", "The episode has ended and can call no more tools.", status=409)
    if used >= CALLS_MAX:
        message = f"{used} of {CALLS_MAX} calls used. There are no more."
        raise GymError("no_calls_left", message, status=409)


def _is_same(stored: ToolCall, made: ToolCallIn) -> bool:
    """Return whether a call was sent again, either by a client that got no answer or by its successor."""
    return (stored.step, stored.tool, stored.input) == (made.step, *_recorded(made))


def _recorded(made: ToolCallIn) -> tuple[str, str]:
    """Return the tool and the arguments in the form in which they are recorded."""
    return made.tool[:TOOL_CHARS], msgspec.json.encode(_cut(made.arguments)).decode()


def _cut(arguments: Mapping[str, str]) -> dict[str, str]:
    return {name: value[: calls.ARGUMENT_CHARS + 1] for name, value in arguments.items()}


def _store(episode_id: int, made: ToolCallIn, result: Result, *, number: int) -> ToolCall:
    tool, text = _recorded(made)
    seq = SiteEvent.objects.filter(episode=episode_id).aggregate(last=Max("seq"))["last"] or 0
    noted = {"tool": tool, "number": number, "arguments": _cut(made.arguments), "is_ok": result.is_ok}
    SiteEvent.objects.create(episode_id=episode_id, seq=seq + 1, step=made.step, kind=TOOL_CALLED, data=noted)
    return ToolCall.objects.create(
        episode_id=episode_id,
        number=number,
        step=made.step,
        tool=tool,
        input=text,
        status=ToolCall.Status.DONE,
        output={"text": result.text, "is_ok": result.is_ok},
        finished_at=Now(),
    )
