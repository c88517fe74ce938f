"""Reads about stored successes: those of a run, and those replayed in its groups."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from core.sql import Statement
from palaestra.protocol.arms import PROBE_ARMS
from palaestra.protocol.outcomes import CORRECT, INCORRECT, REWARDS
from trajectories.rollouts.runs.replays.plans import ReplayPlan
from trajectories.rollouts.runs.replays.records import CHANGED, Replayed, SuccessRecord

REPLAYS = Statement(__file__, "replays")
SUCCESSES = Statement(__file__, "successes")
SCAN_MAX = 20_000
"""Places of the verdict stream that one page of successes reads."""


def replays_of(*, run_id: int, groups: Sequence[int], plan: ReplayPlan) -> dict[int, Replayed]:
    """Return the replays of those of some completed groups that are degenerate, mostly wrong and of a task
    with a stored success, by group."""
    rows = REPLAYS.rows(run=run_id, groups=list(groups), **plan.parameters())
    return {row[0]: _replayed(*row[1:]) for row in rows}


def _replayed(
    episodes: Sequence[int], rewards: Sequence[float | None], success: int, policy_version: int | None
) -> Replayed:
    """Replace the first incorrect sample with the success."""
    place = rewards.index(REWARDS[INCORRECT])
    mixed = [*rewards[:place], REWARDS[CORRECT], *rewards[place + 1 :]]
    judged = [reward for reward in mixed if reward is not None]
    return Replayed(
        episode=success,
        policy_version=policy_version,
        instead_of=episodes[place],
        place=place,
        episodes=[*episodes[:place], success, *episodes[place + 1 :]],
        rewards=mixed,
        mean=fmean(judged),
        std=stdev(judged),
        degenerate=len(set(judged)) == 1,
    )


def successes_before(
    *,
    run_id: int,
    before: int,
    limit: int,
    splits: Sequence[str] = (),
    task: int | None = None,
    arm: str = "",
    policy_version_min: int | None = None,
    steps: str = "",
) -> tuple[list[SuccessRecord], int | None]:
    """Return successes of a run ``before`` a place in its verdict stream, the newest first, and the place
    before which the next ones are; None at the end.

    A page may hold fewer than ``limit`` although others follow: it reads at most ``SCAN_MAX`` places.
    """
    lowest = max(1, before - SCAN_MAX)
    rows = SUCCESSES.rows(
        run=run_id,
        before=before,
        lowest=lowest,
        limit=limit,
        tasks=[] if task is None else [task],
        probes=list(PROBE_ARMS),
        arm=arm,
        version_min=policy_version_min,
        splits=list(splits),
        is_changed=steps == CHANGED,
    )
    following = rows[-1][0] if len(rows) == limit else lowest
    return [SuccessRecord(*row[1:]) for row in rows], following if following > 1 else None
