"""Rejudging of past submissions with the current verifiers and golds, and a report of outcomes that flip."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db import IntegrityError, transaction

from core.database.sql import Statement
from palaestra.protocol.outcomes import REWARDS, VOID
from trajectories.models import Verdict, VerdictEvidence
from trajectories.record import hot_sql
from trajectories.rollouts.judging import services
from verifiers.limits import TOGETHER_MAX

PAGE = 500
TOGETHER = TOGETHER_MAX // 2  # This is half of the maximum, because two verifiers may judge an episode.

# After an import has changed a task, its current gold is no longer the answer to what earlier episodes
# showed.
AS_SHOWN = "(t.changed_at IS NULL OR t.changed_at < e.opened_at)"

JUDGED = Statement(__file__, "judged", columns=hot_sql.CLAIM_COLUMNS, as_shown=AS_SHOWN)
COUNT = Statement(__file__, "judged_count", as_shown=AS_SHOWN)


class Judged(NamedTuple):
    """An episode with its current verdict and everything needed to judge it again."""

    episode_id: int
    outcome: str
    verifier: str
    gold_version: int | None
    claim: hot_sql.Claim


class Flip(NamedTuple):
    """An outcome that changes. ``conflict`` is the reason why it was not written, empty if it was."""

    episode_id: int
    before: str
    after: str
    verifier: str
    gold_version: int | None
    conflict: str


def judged_count(*, benchmark: str | None) -> tuple[int, int]:
    """Count the episodes that can be judged again, and those that cannot because their task has changed."""
    ((again, changed),) = COUNT.rows(benchmark=benchmark)
    return int(again), int(changed)


def rejudge(*, benchmark: str | None, is_dry_run: bool) -> Iterator[Flip | None]:
    """Judge every submission again, in the order of episodes. Yield a ``Flip``, or None if nothing changes.

    A new verdict becomes the episode's current one, but is not added to the run's stream, which never repeats
    an episode. Episodes that were voided by a failure of ours are judged like the others.
    """
    with ThreadPoolExecutor(settings.VERIFY_CHILDREN) as threads:
        for page in _pages(benchmark):
            parts = [page[first : first + TOGETHER] for first in range(0, len(page), TOGETHER)]
            for part, endings in zip(parts, threads.map(_endings, parts), strict=True):
                for judged, ending in zip(part, endings, strict=True):
                    yield _compare(judged, ending, is_dry_run=is_dry_run)


def _endings(part: list[Judged]) -> list[hot_sql.Ending]:
    return services.endings_of([(judged.episode_id, judged.claim) for judged in part])


def _pages(benchmark: str | None) -> Iterator[list[Judged]]:
    after = 0
    while True:
        rows = [_judged(row) for row in JUDGED.rows(after=after, benchmark=benchmark, page=PAGE)]
        if not rows:
            return
        yield rows
        after = rows[-1].episode_id


def _judged(row: tuple[Any, ...]) -> Judged:
    episode_id, outcome, verifier, gold_version = row[:4]
    return Judged(episode_id, outcome, verifier, gold_version, hot_sql.claim_read(row[4:]))


def _compare(judged: Judged, ending: hot_sql.Ending, *, is_dry_run: bool) -> Flip | None:
    is_same_judge = (ending.verifier, ending.gold_version) == (judged.verifier, judged.gold_version)
    if ending.outcome == VOID:
        return None  # A failure of ours does not overturn a verdict.
    if ending.outcome == judged.outcome and is_same_judge:
        return None
    conflict = "" if is_dry_run else _write(judged, ending)
    if ending.outcome == judged.outcome:
        return None
    return Flip(
        judged.episode_id, judged.outcome, ending.outcome, ending.verifier, ending.gold_version, conflict
    )


def _write(judged: Judged, ending: hot_sql.Ending) -> str:
    """Store the verdict as the current one.

    Returns an empty string, or the reason if this verifier once ruled differently on the same gold.
    """
    try:
        with transaction.atomic():
            verdict = Verdict.objects.create(
                episode_id=judged.episode_id,
                run_id=judged.claim.run_id,
                outcome=ending.outcome,
                reward=REWARDS[ending.outcome],
                reason=ending.reason,
                terminated=True,
                truncated=False,
                score=ending.score,
                metrics=ending.metrics,
                verifier=ending.verifier,
                gold_version=ending.gold_version,
                official=ending.official,
            )
            VerdictEvidence.objects.create(verdict=verdict, data=msgspec.to_builtins(ending.evidence))
            hot_sql.verdict_replace(
                run_id=judged.claim.run_id, episode_id=judged.episode_id, verdict_id=verdict.pk
            )
    except IntegrityError:
        return f"{ending.verifier} has ruled differently on this gold: a change of scores needs a new version"
    return ""
