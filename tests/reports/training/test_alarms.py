"""The rules of alarms, and how often they err on simulated runs."""

from __future__ import annotations

import math

import pytest

from trajectories.reports.training.alarms import RULES, RUN_RATE, Evaluated, alarms_of, level, text_alarm
from trajectories.reports.training.figures import Figure, Sums, figure_of


def figures(*values: float, error: float = 0.005, count: float = 1_000) -> list[tuple[int, Figure]]:
    return [
        (version, Figure(value=value, variance=error**2, degrees=31, count=count, tasks=32))
        for version, value in enumerate(values)
    ]


def raised(measure: str, *values: float, **settings: float) -> list[tuple[str, int]]:
    return [(alarm.rule, alarm.version) for alarm in alarms_of({measure: figures(*values, **settings)})]


def test_a_spike_of_invalid_actions_is_seen_at_its_version() -> None:
    assert raised("invalid_actions", 0.03, 0.03, 0.04, 0.03, 0.03, 0.2, 0.03) == [("invalid_actions", 5)]


def test_a_spike_within_the_sampling_error_is_none() -> None:
    assert not raised("invalid_actions", 0.03, 0.03, 0.04, 0.03, 0.03, 0.2, error=0.08)


def test_a_spike_among_versions_that_vary_as_much_is_none() -> None:
    assert not raised("invalid_actions", 0.02, 0.2, 0.03, 0.22, 0.02, 0.25, 0.02)


def test_thoughts_that_shrink_to_half_are_seen_and_those_that_grow_are_not() -> None:
    assert raised("thought_words", 40, 41, 40, 39, 30, 22, 20, 19, error=1.0) == [("thoughts", 6)]
    assert not raised("thought_words", 40, 41, 40, 55, 60, 70, 80, 90, error=1.0)


def test_one_bad_version_is_no_rising_void_rate() -> None:
    assert not raised("void", 0, 0, 0, 0.3, 0, 0, 0, 0)
    assert raised("void", 0, 0, 0, 0.1, 0.1, 0.1, 0.1) == [("void", 5)]


def test_no_void_in_few_episodes_is_no_proof_of_a_rate_of_zero() -> None:
    few = figures(0, 0, 0, 0.05, 0.05, 0.05, error=0.0, count=20)

    assert not alarms_of({"void": few})


def test_a_gap_that_closes_because_the_page_gains_raises_nothing() -> None:
    before = {"text_before": 0.7, "page_before": 0.4}
    learning = [Evaluated(version=5, text=0.72, page=0.6, p=0.9, **before)]
    forgetting = [Evaluated(version=5, text=0.55, page=0.42, p=1e-5, **before)]
    mostly_learning = [Evaluated(version=5, text=0.66, page=0.6, p=1e-5, **before)]
    both_fall = [Evaluated(version=5, text=0.55, page=0.2, p=1e-5, **before)]

    assert text_alarm(learning) is None
    assert text_alarm(mostly_learning) is None
    assert text_alarm(both_fall) is None
    alarm = text_alarm(forgetting, scope="math")
    assert alarm is not None
    assert (alarm.version, alarm.scope, alarm.value) == (5, "math", 0.55)


def test_the_levels_of_all_tests_of_all_rules_add_up_to_the_rate_of_a_run() -> None:
    rules = len(RULES) + 1

    total = math.fsum(level(test, rules=rules) for test in range(1, 200_000)) * rules

    assert total == pytest.approx(RUN_RATE, rel=1e-4)


def test_the_error_of_a_mean_is_clustered_by_task() -> None:
    """Two tasks with four equal samples each say as much as two samples do."""
    figure = figure_of(
        Sums(tasks=2, count=8, total=4, count_squared=32, count_times_total=16, total_squared=16)
    )

    assert figure is not None
    assert (figure.value, figure.variance) == (0.5, pytest.approx(0.25))
    assert (
        figure_of(Sums(tasks=0, count=0, total=0, count_squared=0, count_times_total=0, total_squared=0))
        is None
    )
