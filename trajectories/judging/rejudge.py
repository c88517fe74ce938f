"""Judges past submissions again with today's verifiers and golds, and reports the outcomes that flip."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db import IntegrityError, connection, transaction

from trajectories import hot_sql
from trajectories.judging import services
from trajectories.models import Episode, Verdict, VerdictEvidence
from verifiers.limits import TOGETHER_MAX

PAGE = 500
TOGETHER = TOGETHER_MAX // 2  # an episode may be judged by two verifiers

# After an import has changed a task, its current gold no longer answers what earlier episodes showed.
_AS_SHOWN = "(t.changed_at IS NULL OR t.changed_at < e.opened_at)"

# The columns of a claim, for episodes that have a verdict; nothing is claimed.
_JUDGED = f"""
SELECT e.id, v.outcome, v.verifier, v.gold_version, {hot_sql.CLAIM_COLUMNS}
FROM trajectories_submission s
JOIN trajectories_episode e ON e.id = s.episode_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
JOIN trajectories_run r ON r.id = e.run_id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE e.id > %(after)s AND (%(benchmark)s::text IS NULL OR t.benchmark_id = %(benchmark)s) AND {_AS_SHOWN}
ORDER BY e.id LIMIT %(page)s"""  # noqa: S608 (a constant)

_COUNT = f"""
SELECT count(*) FILTER (WHERE {_AS_SHOWN}), count(*) FILTER (WHERE NOT {_AS_SHOWN})
FROM trajectories_submission s JOIN trajectories_episode e ON e.id = s.episode_id
JOIN tasks_app_task t ON t.id = e.task_id
WHERE e.verdict_id IS NOT NULL
    AND (%(benchmark)s::text IS NULL OR t.benchmark_id = %(benchmark)s)"""  # noqa: S608 (a constant)


class Judged(NamedTuple):
    """An episode with its current verdict and everything needed to judge it again."""

    episode_id: int
    outcome: str
    verifier: str
    gold_version: int | None
    claim: hot_sql.Claim


class Flip(NamedTuple):
    """An outcome that changes. ``conflict`` says why it could not be written; empty otherwise."""

    episode_id: int
    before: str
    after: str
    verifier: str
    gold_version: int | None
    conflict: str


def judged_count(*, benchmark: str | None) -> tuple[int, int]:
    """How many episodes can be judged again, and how many cannot because their task has changed."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"benchmark": benchmark})
        again, changed = cursor.fetchone()
    return int(again), int(changed)


def rejudge(*, benchmark: str | None, is_dry_run: bool) -> Iterator[Flip | None]:
    """Judge every submission again, in order of episodes; yields a ``Flip``, or None when nothing changes.

    A new verdict becomes the episode's current one but does not enter the run's stream, which never repeats.
    Episodes voided by a failure of ours are judged like the others.
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
        with connection.cursor() as cursor:
            cursor.execute(_JUDGED, {"after": after, "benchmark": benchmark, "page": PAGE})
            rows = [_judged(row) for row in cursor.fetchall()]
        if not rows:
            return
        yield rows
        after = rows[-1].episode_id


def _judged(row: tuple[Any, ...]) -> Judged:
    episode_id, outcome, verifier, gold_version = row[:4]
    return Judged(episode_id, outcome, verifier, gold_version, hot_sql.claim_read(row[4:]))


def _compare(judged: Judged, ending: hot_sql.Ending, *, is_dry_run: bool) -> Flip | None:
    is_same_judge = (ending.verifier, ending.gold_version) == (judged.verifier, judged.gold_version)
    if ending.outcome == "void":
        return None  # a failure of ours does not overturn a verdict
    if ending.outcome == judged.outcome and is_same_judge:
        return None
    conflict = "" if is_dry_run else _write(judged, ending)
    if ending.outcome == judged.outcome:
        return None
    return Flip(
        judged.episode_id, judged.outcome, ending.outcome, ending.verifier, ending.gold_version, conflict
    )


def _write(judged: Judged, ending: hot_sql.Ending) -> str:
    """Store the verdict as the current one; returns why not if this verifier has ruled differently before."""
    try:
        with transaction.atomic():
            verdict = Verdict.objects.create(
                episode_id=judged.episode_id,
                run_id=judged.claim.run_id,
                outcome=ending.outcome,
                reward=1.0 if ending.outcome == "correct" else 0.0,
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
            Episode.objects.filter(pk=judged.episode_id).update(verdict=verdict)
    except IntegrityError:
        return f"{ending.verifier} has said otherwise of this gold: what changes a score is a new version"
    return ""
