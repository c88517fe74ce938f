"""Void rates by run, policy version, task and reason, from the latest episodes alone; and what is unusual."""

from __future__ import annotations

import pytest

from tests import factories
from trajectories.models import Run
from trajectories.rollouts.runs.void_rates import (
    EndedCount,
    VoidAlarm,
    VoidRate,
    VoidRates,
    void_alarms,
    void_rates,
)

SHARE_MAX = 0.02


def ended(run: Run, *endings: tuple[str, str], **fields: int) -> None:
    task = factories.task()
    for outcome, reason in endings:
        factories.verdict(factories.episode(run=run, task=task, **fields), outcome, reason)


def alarms(*counts: tuple[int | None, int, int, int]) -> list[VoidAlarm]:
    """The alarms of one run: policy version, task, void and judged episodes."""
    void = [EndedCount(1, version, task, "lease_lost", n) for version, task, n, _ in counts if n]
    judged = [EndedCount(1, version, task, "", n) for version, task, _, n in counts if n]
    return void_alarms(VoidRates([*void, *judged]), share_max=SHARE_MAX)


@pytest.mark.django_db
def test_rates_count_what_ended_but_for_what_was_nobodys_fault() -> None:
    run, other = factories.run(), factories.run()
    lost, ours = ("void", "lease_lost"), ("void", "harness_error")
    ended(run, ("correct", "answer"), ("incorrect", "page_crash"), lost, policy_version=1)
    ended(run, ("void", "cancelled"), ("void", "expired_unused"), lost, ours, policy_version=2)
    ended(other, ("correct", "answer"), ("correct", "answer"))
    factories.episode(run=run)
    rates = void_rates(run_id=run.pk)
    assert rates.total == VoidRate(void=3, ended=5)
    assert rates.by_policy_version == {
        (run.pk, 1): VoidRate(void=1, ended=3),
        (run.pk, 2): VoidRate(void=2, ended=2),
    }
    assert sorted((rate.void, rate.ended) for rate in rates.by_task.values()) == [(1, 3), (2, 2)]
    assert rates.by_reason == {
        "lease_lost": VoidRate(void=2, ended=5),
        "harness_error": VoidRate(void=1, ended=5),
    }
    assert rates.by_withdrawal == {
        "cancelled": VoidRate(void=1, ended=7),
        "expired_unused": VoidRate(void=1, ended=7),
    }
    assert void_rates().by_run == {run.pk: VoidRate(void=3, ended=5), other.pk: VoidRate(void=0, ended=2)}


@pytest.mark.django_db
def test_rates_of_a_run_are_of_all_its_episodes_and_those_of_tasks_of_its_latest() -> None:
    run = factories.run()
    ended(run, *[("void", "lease_lost")] * 3, *[("correct", "answer")] * 4)
    for latest, void in ((4, 0), (5, 1)):
        rates = void_rates(run_id=run.pk, latest=latest)
        assert rates.total == VoidRate(void=3, ended=7)
        assert list(rates.by_task.values()) == [rates.total_of_tasks] == [VoidRate(void=void, ended=latest)]
    assert void_rates(latest=5).total == VoidRate(void=1, ended=5)


@pytest.mark.django_db
def test_without_an_ended_episode_there_are_no_rates() -> None:
    rates = void_rates()
    assert (rates.total.share, rates.by_run, rates.by_reason) == (0.0, {}, {})
    assert void_alarms(rates, share_max=SHARE_MAX) == []


@pytest.mark.parametrize("voids", [0, 1, 2, 12])
def test_few_voids_among_many_episodes_are_usual(voids: int) -> None:
    assert alarms((1, 1, voids, 1_000)) == []


def test_a_run_with_many_voids_is_unusual() -> None:
    assert [alarm.kind for alarm in alarms((None, 1, 40, 960))] == ["run", "policy_version"]


def test_two_voids_at_the_start_of_a_run_are_no_alarm() -> None:
    assert alarms((1, 1, 2, 0)) == []


def test_a_version_that_learned_to_cause_voids_stands_out() -> None:
    (alarm,) = alarms((1, 1, 4, 4_996), (2, 1, 5, 4_995), (3, 1, 80, 4_920))
    assert (alarm.kind, alarm.key, alarm.rate, alarm.rest) == (
        "policy_version",
        3,
        VoidRate(void=80, ended=5_000),
        VoidRate(void=9, ended=10_000),
    )


def test_many_versions_with_equal_chances_raise_no_alarm() -> None:
    versions = [(version, 1, voids, 100) for version, voids in enumerate([0, 1, 0, 2, 0, 0, 3, 1, 0, 1] * 10)]
    assert alarms(*versions) == []


def test_a_task_that_causes_voids_stands_out_alone() -> None:
    tasks = [(1, task, 0, 50) for task in range(1, 40)]
    (alarm,) = alarms((1, 99, 10, 40), *tasks)
    assert (alarm.kind, alarm.key) == ("task", 99)


def test_a_lab_that_fails_is_no_alarm_about_each_task() -> None:
    kinds = {alarm.kind for alarm in alarms(*[(1, task, 20, 20) for task in range(20)])}
    assert kinds == {"run", "policy_version"}
