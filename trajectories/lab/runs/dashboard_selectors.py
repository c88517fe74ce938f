"""The queries of a run's dashboard: they read only what is new, however many episodes the run has.

A run's verdicts are a stream without gaps (``VerdictCounter``), so counting goes on from where it stopped.
All statements use an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection, transaction

from core.sql import Statement

PAGE = 20_000
# Steps are counted in a sample: so many unfinished and so many ended episodes, and the last steps of each.
EPISODES_SAMPLED = 150
STEPS_READ = 60
STEPS_WINDOW_S = 60
_POSITION = Statement(__file__, "run_position")
_VERDICT_GROUPS = Statement(__file__, "verdict_groups")
_UNFINISHED = Statement(__file__, "unfinished_episodes")
_STEP_PACE = Statement(__file__, "step_pace")


class Position(NamedTuple):
    """``verdicts`` is the last place in the run's stream, ``now`` the database's clock in seconds."""

    verdicts: int
    rejudged: int
    now: float


class VerdictGroup(NamedTuple):
    """Verdicts that share all of these values; ``second`` is when they were written."""

    arm: str
    version: int | None
    task: int
    outcome: str
    reason: str
    is_guided: bool
    second: int
    episodes: int


class Unfinished(NamedTuple):
    """Episodes of one arm without a verdict; ``guided`` are among the others."""

    open: int = 0
    submitted: int = 0
    guided: int = 0


@dataclass(frozen=True, kw_only=True)
class StepPace:
    """Steps of the last minute, scaled up where only ``sampled`` of ``episodes`` were read."""

    steps: float
    sampled: int
    episodes: int

    @property
    def is_estimate(self) -> bool:
        return self.sampled < self.episodes

    @property
    def steps_per_s(self) -> float:
        return self.steps / STEPS_WINDOW_S


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything read within is of the moment of the first statement, whatever is written meanwhile.

    Inside a caller's transaction it sees what that transaction sees.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def position_of(run_id: int) -> Position:
    verdicts, rejudged, now = _POSITION.rows(run=run_id)[0]
    return Position(verdicts=int(verdicts), rejudged=int(rejudged), now=float(now))


def verdict_groups(*, run_id: int, after: int, upto: int) -> Iterator[VerdictGroup]:
    """The current verdicts of the episodes whose place in the stream is in (``after``, ``upto``]."""
    for first in range(after, upto, PAGE):
        last = min(first + PAGE, upto)
        groups = _VERDICT_GROUPS.rows(run=run_id, after=first, upto=last)
        yield from (VerdictGroup(*row) for row in groups)


def unfinished_by_arm(run_id: int) -> dict[str, Unfinished]:
    rows = _UNFINISHED.rows(run=run_id)
    return {arm: Unfinished(*counts) for arm, *counts in rows}


def step_pace(*, run_id: int, unfinished: int, after: int, upto: int) -> StepPace:
    """Verdicts of the last minute have a place in (``after``, ``upto``] of the run's stream."""
    stride = -(-(upto - after) // EPISODES_SAMPLED) or 1
    episodes = {False: unfinished, True: upto - after}
    rows = _STEP_PACE.rows(
        run=run_id,
        places=list(range(upto, after, -stride)),
        window=STEPS_WINDOW_S,
        sampled=EPISODES_SAMPLED,
        read=STEPS_READ,
    )
    return StepPace(
        steps=sum(float(steps) * episodes[is_ended] / sampled for is_ended, sampled, steps in rows),
        sampled=sum(sampled for _, sampled, _ in rows),
        episodes=sum(episodes[is_ended] for is_ended, _, _ in rows),
    )
