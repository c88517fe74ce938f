"""The final state of an episode on a mock site, and metrics of how the episode got there.

The state is computed by applying the episode's events to the world of its task. The metrics never affect the
reward: pop-ups open at submission, an answer submitted before its evidence was shown, changes without a
matching page event, and milestones reached.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import msgspec
from django.conf import settings

from core.database.sql import Statement
from palaestra.protocol.arms import ARMS
from tasks_app.families import milestones
from tasks_app.worlds import evidence
from tasks_app.worlds.registry import state_plain, worlds
from trajectories.behaviour import ui_evidence
from trajectories.record.hot_sql import Claim

logger = logging.getLogger(__name__)

T = TypeVar("T")


HISTORY = Statement(
    __file__,
    "site_history",
    is_hot=True,
    acted=ui_evidence.ACTED,
    is_without=ui_evidence.IS_WITHOUT,
    answered=evidence.ANSWER_RECORDED,
    page_served=evidence.PAGE_SERVED,
)


@dataclass(frozen=True, kw_only=True)
class Left:
    """The state in which an episode left its mock site.

    ``state`` is that state as JSON, None for a task judged by its values alone. ``first_state`` is the state
    at the first answer, None if there was none. ``conditions`` are the requirements on the state, each with
    its result; they are as secret as the gold.
    """

    state: dict[str, Any] | None
    first_state: dict[str, Any] | None
    metrics: dict[str, float]
    conditions: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class _Episode:
    payload: Mapping[str, Any]
    tags: Sequence[str]
    arm: str
    is_recorded: bool
    events: Sequence[Mapping[str, Any]]

    @property
    def history(self) -> list[tuple[str, Mapping[str, Any]]]:
        return [(event["kind"], event["data"]) for event in self.events]

    def state_after(self, site_events: int | None = None) -> dict[str, Any]:
        """Return the state after so many site events, or after all of them."""
        events = [event for event in self.events if site_events is None or event["seq"] <= site_events]
        history = [(event["kind"], event["data"]) for event in events]
        return state_plain(self.payload, history, salt=settings.WORLD_SALT)


def left_behind(*, episode_id: int, claim: Claim) -> Left:
    """Rebuild the final state of an episode.

    Raises ``ValueError`` if the task is judged by a state but was made with another world salt.
    """
    episode = _read(episode_id)
    extra = claim.gold_extra or {}
    state = first_state = None
    if "state" in extra:
        state = episode.state_after()
        if claim.first is not None:
            count = claim.first.site_events
            first_state = _or_default(episode_id, lambda: episode.state_after(count), None)
    answer = claim.gold_answer or ""
    return Left(
        state=state,
        first_state=first_state,
        metrics=_or_default(episode_id, lambda: _metrics(episode, answer=answer, extra=extra), {}),
        conditions=_or_default(episode_id, lambda: _conditions(episode, extra=extra, state=state), []),
    )


def _or_default(episode_id: int, compute: Callable[[], T], default: T) -> T:
    """Return the computed value, or the default if that fails.

    Diagnostics must not cost an episode its verdict.
    """
    try:
        return compute()
    except Exception:
        logger.exception("the diagnostics of episode %s could not be computed", episode_id)
        return default


def _conditions(
    episode: _Episode, *, extra: Mapping[str, Any], state: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    compare = worlds.get(episode.payload["site"]).compare if state is not None else None
    if compare is None or state is None:
        return []
    before = state_plain(episode.payload, [], salt=settings.WORLD_SALT)
    return [asdict(condition) for condition in compare(before, extra["state"], state)]


def _read(episode_id: int) -> _Episode:
    row = HISTORY.row(episode=episode_id, **ui_evidence.parameters(has_answer=False))
    payload, tags, arm, recording, events = row or ("{}", [], "", "off", "[]")
    return _Episode(
        payload=msgspec.json.decode(payload),
        tags=tags,
        arm=arm,
        is_recorded=recording != "off",
        events=msgspec.json.decode(events),
    )


def _metrics(episode: _Episode, *, answer: str, extra: Mapping[str, Any]) -> dict[str, float]:
    """Return the metrics of an episode; none in an arm without pages.

    If the prompt describes the world, the pages need not show the evidence, so the metric about it is left
    out.
    """
    if not ARMS[episode.arm].has_page:
        return {}
    metrics = {"pop_up_open_at_submit": float(bool(evidence.pop_ups_open(episode.history)))}
    if episode.is_recorded:
        metrics["no_ui_evidence"] = float(sum(bool(event["is_without"]) for event in episode.events))
    is_known = not ARMS[episode.arm].has_text and evidence.is_whole(episode.history)
    if is_known and extra.get("needs"):
        shown = evidence.facts_shown(episode.history)
        metrics["submitted_before_evidence"] = float(not all(map(shown.meets, extra["needs"])))
    return metrics | _milestones(episode, answer=answer, extra=extra)


def _milestones(episode: _Episode, *, answer: str, extra: Mapping[str, Any]) -> dict[str, float]:
    """Return 1.0 or 0.0 for each milestone of the task's family, and the share of milestones reached."""
    facts = milestones.gold_facts(answer=answer, extra=extra)
    events = milestones.parse_events(episode.events)
    reached = milestones.reached(milestones.find_by_tags(episode.tags), facts, events)
    if not reached:
        return {}
    marks = {f"{milestones.MARK}{m.name}": float(m.event is not None) for m in reached}
    return {"milestones_reached": sum(marks.values()) / len(marks), **marks}
