"""The queries of a run's dashboard: they read sums and what is new, however many episodes the run has."""

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

# The period over which the pace of verdicts is measured.
PACE_S = 300
# Steps are counted in a sample: so many unfinished and so many ended episodes, and the last steps of each.
EPISODES_SAMPLED = 150
STEPS_READ = 60
STEPS_WINDOW_S = 60
_POSITION = Statement(__file__, "run_position")
_ENDINGS = Statement(__file__, "endings")
_STEP_PACE = Statement(__file__, "step_pace", unfinished=UNFINISHED)


@dataclass(frozen=True, kw_only=True)
class Position:
    """``verdicts`` is the last place in the run's stream, ``last_at`` when its verdict was written.

    ``lately`` and ``in_pace``: verdicts of the last ``STEPS_WINDOW_S`` and one, and of ``PACE_S`` seconds.
    """

    verdicts: int
    last_at: datetime | None
    lately: int
    in_pace: int


class Ending(NamedTuple):
    """The number of episodes that ended for one reason."""

    outcome: str
    reason: str
    episodes: int


@dataclass(frozen=True, kw_only=True)
class PersonShare:
    """Number of a run's steps performed by people who took over, and of episodes with such steps."""

    episodes: int
    steps: int
    steps_in_all: int

    @property
    def rate(self) -> float:
        return self.steps / max(self.steps_in_all, 1)


@dataclass(frozen=True, kw_only=True)
class StepPace:
    """Steps of the last minute, scaled up if only ``sampled`` of ``episodes`` were read."""

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
    """Count endings by outcome and reason, the most frequent first."""
    return [Ending(*row) for row in _ENDINGS.rows(run=run_id)]


def origins(run_id: int) -> dict[Origin, int]:
    """Count episodes that are not plain, ended or not, by origin; origins without episodes are left out."""
    counts = {origin.value: Count("pk", filter=is_it) for origin, is_it in CONDITIONS.items()}
    del counts[Origin.PLAIN]
    counted = Episode.objects.filter(run=run_id, is_plain=False).aggregate(**counts)
    return {Origin(origin): number for origin, number in counted.items() if number}


def person_share(run_id: int) -> PersonShare | None:
    """Return the share of people's steps, or None if nobody took over."""
    taken = Episode.objects.filter(run=run_id, person_steps__gt=0)
    counts = taken.aggregate(episodes=Count("pk"), steps=Sum("person_steps"))
    if not counts["episodes"]:
        return None
    return PersonShare(**counts, steps_in_all=Step.objects.filter(episode__run=run_id).count())


def version_rates(run_id: int) -> dict[int | None, Rate]:
    """Return the rates by policy version; the key None has the episodes without a version."""
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
    """Measure the pace. The last minute's verdicts have places in (``after``, ``upto``] of the stream."""
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
