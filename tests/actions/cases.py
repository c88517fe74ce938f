"""Steps and page events for action checks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from trajectories.actions.types import DeclaredStep, ReportedEvent
from trajectories.behaviour.facts.action_check import episode_check
from trajectories.behaviour.facts.types import ActionCheck, CheckContext, EpisodeCheck

PAGE = """page "Problem" https://gym/
[e1] link "Home" -> https://gym/
[e2] textbox "Your answer" value=""
[e3] button "Submit"
[e4] combobox "Unit" value="m" options: "m" | "km" | "cm"
[e5] textbox "Notes" value=""
[e6] checkbox "I am sure" unchecked
[e7] button "Solve $x^2$"
"""
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SUBMIT = {"role": "button", "name": "Submit", "x": 412, "y": 388, "trusted": True}
ANSWER = {"role": "textbox", "name": "Your answer"}


def event(
    kind: str, step: int | None = 1, page: str = "p1", after_s: float = 0.2, **data: Any
) -> ReportedEvent:
    return ReportedEvent(page=page, kind=kind, step=step, data=data, at=START + timedelta(seconds=after_s))


def step(index: int = 1, result: str = "ok", at_s: float | None = 0, **action: Any) -> DeclaredStep:
    return DeclaredStep(
        index=index,
        action=action or None,
        result=result,
        observation=PAGE,
        started_at=None if at_s is None else START + timedelta(seconds=at_s),
        duration_ms=500,
    )


LOADED = event("load", None, after_s=-5, path="", width=1280)


def served(path: str, step: int | None = 1, after_s: float = 0.1) -> ReportedEvent:
    """Return the event with which the server itself reports that it served a page."""
    at = START + timedelta(seconds=after_s)
    return ReportedEvent(kind="page_served", step=step, data={"path": path}, at=at)


def steps_checked(
    steps: list[DeclaredStep],
    events: list[ReportedEvent],
    *,
    pages: Sequence[ReportedEvent] = (),
    is_silent: bool = False,
    **context: Any,
) -> EpisodeCheck:
    before = [] if is_silent else [LOADED]
    return episode_check(steps, [*before, *events], CheckContext(**context), served=pages)


def checked(declared: DeclaredStep, *events: ReportedEvent, **context: Any) -> ActionCheck:
    return steps_checked([declared], list(events), **context).checks[declared.index]
