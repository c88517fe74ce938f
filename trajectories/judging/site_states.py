"""What an episode on a mock site left behind: its events folded over the world of its task, and how it went.

How it went is never the reward: what lay open over the page when the answer came, whether the answer came
before what it rests on was shown, changes that no page saw being made, and the milestones reached.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import msgspec
from django.conf import settings

from core.arms import ARMS
from tasks_app.families import milestones
from tasks_app.worlds import evidence
from tasks_app.worlds.registry import state_plain, worlds
from trajectories import ui_evidence
from trajectories.hot_sql import Claim, hot_cursor

logger = logging.getLogger(__name__)

T = TypeVar("T")


# An episode's answer ends it: nothing that was stored after it counts.
_HISTORY = f"""
SELECT t.payload::text, t.tags, e.arm, e.recording, coalesce((
    WITH {ui_evidence.ACTED}
    SELECT json_agg(json_build_object('seq', x.seq, 'step', x.step, 'kind', x.kind, 'data', x.data,
        'is_without', {ui_evidence.IS_WITHOUT}) ORDER BY x.seq)
    FROM trajectories_siteevent x
    WHERE x.episode_id = e.id AND x.seq < coalesce((
        SELECT min(a.seq) FROM trajectories_siteevent a
        WHERE a.episode_id = e.id AND a.kind = '{ui_evidence.ANSWERED}'), 2147483647)), '[]')::text
FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
WHERE e.id = %(episode)s"""  # noqa: S608 (the parts are constants)


@dataclass(frozen=True, kw_only=True)
class Left:
    """``state`` is the folded state as JSON, None for a task that is judged by its values alone.

    ``conditions`` are those that the state has to meet, with what was found of each; as secret as the gold.
    """

    state: dict[str, Any] | None
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


def left_behind(*, episode_id: int, claim: Claim) -> Left:
    """``ValueError`` when a state is asked for and the task was made with another world salt."""
    episode = _read(episode_id)
    extra = claim.gold_extra or {}
    state = None
    if "state" in extra:
        state = state_plain(episode.payload, episode.history, salt=settings.WORLD_SALT)
    answer = claim.gold_answer or ""
    return Left(
        state=state,
        metrics=_told(episode_id, lambda: _metrics(episode, answer=answer, extra=extra), {}),
        conditions=_told(episode_id, lambda: _conditions(episode, extra=extra, found=state), []),
    )


def _told(episode_id: int, tell: Callable[[], T], nothing: T) -> T:
    """What only informs must not cost a verdict."""
    try:
        return tell()
    except Exception:
        logger.exception("how episode %s went cannot be told", episode_id)
        return nothing


def _conditions(
    episode: _Episode, *, extra: Mapping[str, Any], found: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    compare = worlds.get(episode.payload["site"]).compare if found is not None else None
    if compare is None or found is None:
        return []
    before = state_plain(episode.payload, [], salt=settings.WORLD_SALT)
    return [asdict(condition) for condition in compare(before, extra["state"], found)]


def _read(episode_id: int) -> _Episode:
    asked = {"episode": episode_id, **ui_evidence.parameters(has_answer=False)}
    with hot_cursor() as cursor:
        cursor.execute(_HISTORY, asked)
        payload, tags, arm, recording, events = cursor.fetchone() or ("{}", [], "", "off", "[]")
    return _Episode(
        payload=msgspec.json.decode(payload),
        tags=tags,
        arm=arm,
        is_recorded=recording != "off",
        events=msgspec.json.decode(events),
    )


def _metrics(episode: _Episode, *, answer: str, extra: Mapping[str, Any]) -> dict[str, float]:
    """Without pages nothing happened; where the prompt tells the world, its pages need not have."""
    if not ARMS[episode.arm].has_page:
        return {}
    found = {"pop_up_open_at_submit": float(bool(evidence.pop_ups_open(episode.history)))}
    if episode.is_recorded:
        found["no_ui_evidence"] = float(sum(bool(event["is_without"]) for event in episode.events))
    is_known = not ARMS[episode.arm].has_text and evidence.is_whole(episode.history)
    if is_known and extra.get("needs"):
        missing = set(extra["needs"]) - evidence.facts_shown(episode.history)
        found["submitted_before_evidence"] = float(bool(missing))
    return found | _milestones(episode, answer=answer, extra=extra)


def _milestones(episode: _Episode, *, answer: str, extra: Mapping[str, Any]) -> dict[str, float]:
    """Each milestone of the task's family, 1.0 where it was reached, and the share of them."""
    told = milestones.gold_facts(answer=answer, extra=extra)
    found = milestones.reached(milestones.of_tags(episode.tags), told, milestones.events_of(episode.events))
    if not found:
        return {}
    marks = {f"{milestones.MARK}{one.name}": float(one.event is not None) for one in found}
    return {"milestones_reached": sum(marks.values()) / len(marks), **marks}
