"""The queries of a run's dashboard. They read sums and recent rows, however many episodes the run has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Sum

from core.database.sql import Statement
from core.statistics import Clusters, Rate, rate_of
from trajectories.models import Episode, Step
from trajectories.models.origins import CONDITIONS, Origin
from trajectories.models.sums import RateSum, Scope
from trajectories.record.hot_sql import UNFINISHED

# The pace of verdicts is measured over this period.
PACE_S = 300
# Steps are counted in a sample: the last steps of this many unfinished and this many ended episodes.
EPISODES_SAMPLED = 150
STEPS_READ = 60
STEPS_WINDOW_S = 60
_POSITION = Statement(__file__, "run_position")
_ENDINGS = Statement(__file__, "endings")
_STEP_PACE = Statement(__file__, "step_pace", unfinished=UNFINISHED)


@dataclass(frozen=True, kw_only=True)
class Position:
    """The end of a run's verdict stream.

    ``verdicts`` is its last position, and ``last_at`` the time when that verdict was written. ``lately``
    counts the verdicts of the last ``STEPS_WINDOW_S`` + 1 seconds, ``in_pace`` those of the last ``PACE_S``
    seconds.
    """

    verdicts: int
    last_at: datetime | None
    lately: int
    in_pace: int


class Ending(NamedTuple):
    """The number of episodes that ended with one outcome and reason."""

    outcome: str
    reason: str
    episodes: int


@dataclass(frozen=True, kw_only=True)
class PersonShare:
    """The number of a run's steps that people took after a takeover, and of episodes with such steps."""

    episodes: int
    steps: int
    steps_in_all: int

    @property
    def rate(self) -> float:
        return self.steps / max(self.steps_in_all, 1)


@dataclass(frozen=True, kw_only=True)
class StepPace:
    """The number of steps in the last minute, estimated if only ``sampled`` of ``episodes`` were read."""

    steps: float
    sampled: int
    episodes: int

    @property
    def is_estimate(self) -> bool:
        return self.sampled < self.episodes

    @property
    def steps_per_s(self) -> float:
        return self.steps / STEPS_WINDOW_S


def position_of(run_id: int) -> Position:
    ((newest, last_at, older),) = _POSITION.rows(run=run_id, seconds=[STEPS_WINDOW_S + 1, PACE_S])
    return Position(verdicts=newest, last_at=last_at, lately=newest - older[0], in_pace=newest - older[1])


def endings(run_id: int) -> list[Ending]:
    """Count episodes by outcome and end reason, most frequent first."""
    return [Ending(*row) for row in _ENDINGS.rows(run=run_id)]


def origins(run_id: int) -> dict[Origin, int]:
    """Count the episodes that are not plain by origin, whether they have ended or not.

    Origins without episodes are left out.
    """
    counts = {origin.value: Count("pk", filter=is_it) for origin, is_it in CONDITIONS.items()}
    del counts[Origin.PLAIN]
    counted = Episode.objects.filter(run=run_id, is_plain=False).aggregate(**counts)
    return {Origin(origin): number for origin, number in counted.items() if number}


def person_share(run_id: int) -> PersonShare | None:
    """Return the share of steps that people took, or None if nobody took over."""
    taken = Episode.objects.filter(run=run_id, person_steps__gt=0)
    counts = taken.aggregate(episodes=Count("pk"), steps=Sum("person_steps"))
    if not counts["episodes"]:
        return None
    return PersonShare(**counts, steps_in_all=Step.objects.filter(episode__run=run_id).count())


def version_rates(run_id: int) -> dict[int | None, Rate]:
    """Return the rates by policy version. Episodes without a version are under the key None."""
    return version_rates_by_run([run_id])[run_id]


def version_rates_by_run(run_ids: Collection[int]) -> dict[int, dict[int | None, Rate]]:
    """Return the rates of each run, by policy version."""
    rows = RateSum.objects.filter(run_id__in=run_ids, scope=Scope.VERSION, judged__gt=0)
    rates: dict[int, dict[int | None, Rate]] = {run_id: {} for run_id in run_ids}
    for row in rows.values("run_id", "part", *(count.name for count in fields(Clusters))):
        run_id, part = row.pop("run_id"), row.pop("part")
        if (rate := rate_of(Clusters(**row))) is not None:
            rates[run_id][int(part) if part else None] = rate
    return rates


def step_pace(*, run_id: int, unfinished: int, after: int, upto: int) -> StepPace:
    """Measure the pace of steps.

    The last minute's verdicts are at the positions (``after``, ``upto``] of the run's stream.
    """
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
