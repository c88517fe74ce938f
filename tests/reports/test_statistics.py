from __future__ import annotations

import random

import pytest

from core.statistics import Clusters, effective_n, rate_of, wilson


def clusters(counts: list[tuple[int, int]]) -> Clusters:
    return Clusters(
        tasks=len(counts),
        correct=sum(k for k, _ in counts),
        judged=sum(n for _, n in counts),
        correct_squared=sum(k * k for k, _ in counts),
        correct_times_judged=sum(k * n for k, n in counts),
        judged_squared=sum(n * n for _, n in counts),
    )


def test_with_one_try_per_task_the_interval_is_wilsons() -> None:
    rate = rate_of(clusters([(1, 1)] * 6 + [(0, 1)] * 4))
    assert rate is not None
    assert (rate.low, rate.high) == pytest.approx(wilson(share=0.6, n=10))


def test_samples_of_a_task_that_all_agree_count_once() -> None:
    assert effective_n(clusters([(4, 4)] * 5 + [(0, 4)] * 5)) == pytest.approx(10, rel=0.15)
    assert effective_n(clusters([(8, 8)])) == 1
    assert effective_n(clusters([(4, 4)] * 3)) == 3


def test_without_verdicts_there_is_no_rate() -> None:
    assert rate_of(clusters([])) is None


def test_the_interval_has_its_stated_coverage_when_tasks_differ_in_difficulty() -> None:
    """The published trap: plain Wilson on 200 tasks x 4 samples covers about 80% here."""
    rng = random.Random(20)
    covered = plain = 0
    for _ in range(400):
        counts = []
        for _task in range(200):
            ease = rng.betavariate(0.6, 0.6)
            counts.append((sum(rng.random() < ease for _ in range(4)), 4))
        rate = rate_of(clusters(counts))
        assert rate is not None
        covered += rate.low <= 0.5 <= rate.high
        low, high = wilson(share=rate.value, n=rate.judged)
        plain += low <= 0.5 <= high
    assert covered / 400 > 0.92
    assert plain / 400 < 0.88
