"""The score of an episode's tool calls, which several components and reports read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from palaestra.protocol.arms import ARMS
from tasks_app import kinds
from tasks_app.tool_tasks.scores import Score, score_calls
from tasks_app.tool_tasks.types import Call, Truth
from tasks_app.tools.data import draw_data
from tasks_app.worlds.evidence import TOOL_CALLED
from trajectories.rewards.types import Reading


def score_read(reading: Reading) -> Score | None:
    """Score an episode's tool calls; None for an episode that has no tools."""
    if reading.kind != kinds.TOOLS or "graphs" not in reading.extra or not ARMS[reading.arm].has_tools:
        return None
    truth = msgspec.convert(
        {name: reading.extra[name] for name in ("graphs", "harmless") if name in reading.extra}, Truth
    )
    return score_calls(calls_of(reading), truth, draw_data(reading.payload["seed"]))


def calls_of(reading: Reading) -> list[Call]:
    """Return the policy's calls in order; those of a person are not its own."""
    others = {step.index for step in reading.steps if step.actor == "person"}
    return [
        _call(event["data"])
        for event in reading.events
        if event["kind"] == TOOL_CALLED and event["step"] not in others
    ]


def _call(data: Mapping[str, Any]) -> Call:
    return Call(data["tool"], data.get("arguments", {}), bool(data.get("is_ok", True)))
