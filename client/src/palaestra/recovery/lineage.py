"""The recorded line of an episode: for a fork the steps that it inherited, followed by its own steps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import msgspec

from palaestra.api import Client
from palaestra.errors import ApiError
from palaestra.observation import Observation
from palaestra.protocol.arms import arm_of
from palaestra.protocol.conversation import took_over
from palaestra.protocol.observations import has_picture
from palaestra.records import Resumed, Usage
from palaestra.turn.element_ids import keys_read
from palaestra.turn.histories import Past, PastTurn
from palaestra.turn.steps import is_answer

PERSON = "person"
LINES_MAX = 16
"""The number of parents' lines that a client caches, because hundreds of forks may share a parent."""
Picture = Callable[[str], Awaitable[bytes]]
Steps = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Line:
    """The recorded ``steps`` from the first one on, and the turn of each."""

    steps: Steps = ()
    turns: Sequence[PastTurn] = ()

    def cut_after(self, step: int) -> Line:
        """Return the line up to and including ``step``."""
        return Line(steps=self.steps[:step], turns=self.turns[:step])

    def find_text(self, step: int) -> str:
        """Return the page text that was shown after a step; step 0 is the beginning."""
        observation = self.steps[step].get("observation") if step < len(self.steps) else None
        return (observation or {}).get("text") or ""

    def to_past(self) -> Past:
        """Return the state from which an episode continues after these steps."""
        last = self.steps[-1] if self.steps else {}
        return Past(
            turns=self.turns,
            steps=last.get("index", 0),
            used=[(_read_usage(step), not step["parse_error"]) for step in self.steps],
            element_ids=keys_read(self.steps),
            is_answered=any(is_answer(step["action"], step["action_result"]) for step in self.steps),
            result=last.get("action_result"),
            result_message=_build_message(self.steps),
        )


def _build_message(before: Steps) -> str:
    """Return the message about the last result, with a note if a person took some of the steps."""
    message = (before[-1].get("result_message") or "") if before else ""
    taken = [*takewhile(lambda step: step.get("actor") == PERSON, reversed(before))]
    if not taken:
        return message
    return took_over(message, first=taken[-1]["index"], last=taken[0]["index"])


def _read_usage(step: Mapping[str, Any]) -> Usage | None:
    return msgspec.convert(step["usage"], Usage) if step.get("usage") else None


async def resumed_read(client: Client, episode: int) -> Resumed:
    """Resume an open episode and return its state; a fork that was never restored is restored first.

    Raises ``ApiError``, for example if the parent's record was deleted.
    """
    try:
        return await client.episode_resume(episode)
    except ApiError as failure:
        if failure.code != "not_restored":
            raise
    await client.episode_restore(episode)
    return await client.episode_resume(episode)


async def line_read(client: Client, trajectory: Mapping[str, Any], *, picture: Picture | None = None) -> Line:
    """Return the line of a trajectory.

    ``picture`` returns the content of a screenshot by its SHA-256; by default the client fetches it.
    """
    before = Line()
    if trajectory.get("parent") is not None:
        parent, until = trajectory["parent"], trajectory["begins_after"]
        line = await (read_parent_line(client, parent) if picture is None else _read(client, parent, picture))
        before = line.cut_after(until)
    own = await _read_turns(trajectory, before.steps, picture or client.blob_get)
    return Line(steps=[*before.steps, *trajectory["steps"]], turns=[*before.turns, *own])


async def read_parent_line(client: Client, parent: int) -> Line:
    """Return the line of an ended episode, which is read only once for all its forks."""
    reading = client.lines.get(parent)
    if reading is None or (reading.done() and (reading.cancelled() or reading.exception())):
        reading = client.lines[parent] = asyncio.ensure_future(_read(client, parent))
        for oldest in list(client.lines)[:-LINES_MAX]:
            del client.lines[oldest]
    line: Line = await asyncio.shield(reading)
    return line


async def _read(client: Client, episode: int, picture: Picture | None = None) -> Line:
    return await line_read(client, await client.trajectory(episode), picture=picture)


async def _read_turns(trajectory: Mapping[str, Any], before: Steps, picture: Picture) -> list[PastTurn]:
    own: Steps = trajectory["steps"]
    has_page = arm_of(trajectory["arm"]).has_page
    line = [*before, *own]
    return [
        PastTurn(
            shown=await _read_observation(step, picture, before=line[:index]) if has_page or index else None,
            raw=step["raw"],
        )
        for index, step in enumerate(own, start=len(before))
    ]


async def _read_observation(step: Mapping[str, Any], picture: Picture, *, before: Steps) -> Observation:
    """Return the observation before a step: the result of the previous action, and the page."""
    last = before[-1] if before else {}
    observation = step["observation"] or {"kind": "text", "text": None}
    is_persons = step.get("actor") == PERSON
    is_seen = has_picture(observation["kind"]) and step["screenshot"] is not None
    return Observation(
        kind=observation["kind"],
        text=observation["text"] or "",
        screenshot=await picture(step["screenshot"]) if is_seen else None,
        result=last.get("action_result"),
        result_message=(last.get("result_message") or "") if is_persons else _build_message(before),
    )
