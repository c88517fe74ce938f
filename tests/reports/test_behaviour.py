from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.statistics import clustered_mean, t_95
from tests import factories
from trajectories.behaviour.facts import store
from trajectories.models import PageEvent, PageEventTally, Run
from trajectories.reports.behaviour import MeasureMean, run_behaviour


def _tried(
    run: Run, *thoughts: str, task: Any = None, arm: str = "gym", outcome: str = "correct", **fields: Any
) -> None:
    group = factories.group(run=run, arm=arm, **({"task": task} if task else {}))
    for thought in thoughts:
        episode = factories.episode(group=group, **fields)
        factories.step(episode, 1, thought=thought)
        factories.verdict(episode, outcome)
        store.facts_compute([episode.pk])


def _measure(run: Run, name: str) -> MeasureMean:
    (arm,) = run_behaviour(run_id=run.pk).results
    return next(measure for measure in arm.measures if measure.name == name)


@pytest.mark.parametrize(
    ("degrees", "t"), [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (10, 2.2281), (100, 1.9840)]
)
def test_students_t_agrees_with_published_tables(degrees: int, t: float) -> None:
    assert t_95(degrees) == pytest.approx(t, rel=0.005)


def test_samples_of_one_task_count_as_one_cluster() -> None:
    apart = clustered_mean([(1, 1.0), (1, 0.0), (1, 1.0), (1, 0.0)])
    together = clustered_mean([(2, 2.0), (2, 0.0)])
    assert apart
    assert together
    assert apart.mean == together.mean == 0.5
    # By hand: residuals 4 * 0.25, T/(T-1) = 4/3, t(3) = 3.1824; n = 4.
    assert apart.high == pytest.approx(0.5 + 3.1824 * (4 / 3) ** 0.5 / 4, rel=0.005)
    assert together.high is not None
    assert apart.high is not None
    assert together.high > apart.high


def test_no_tasks_have_no_mean_and_one_task_has_no_interval() -> None:
    assert clustered_mean([]) is None
    one = clustered_mean([(3, 6.0)])
    assert one
    assert (one.mean, one.low, one.high, one.tasks) == (2.0, None, None, 1)


@pytest.mark.django_db
def test_means_average_episodes_and_intervals_cluster_tasks() -> None:
    run = factories.run()
    _tried(run, "abcd", "abcdef")
    _tried(run, "ab")
    measure = _measure(run, "thought_chars")
    assert (measure.mean, measure.episodes, measure.tasks) == (4.0, 3, 2)
    assert measure.low is not None
    assert measure.low < 4.0


@pytest.mark.django_db
def test_guided_void_and_unfinished_episodes_are_left_out() -> None:
    run = factories.run()
    _tried(run, "abcd")
    _tried(run, "abcdefgh", guidance={"kind": "prefix"})
    _tried(run, "abcdefgh", outcome="void")
    factories.episode(group=factories.group(run=run))
    assert _measure(run, "thought_chars").episodes == 1


@pytest.mark.django_db
def test_the_report_counts_episodes_not_yet_computed() -> None:
    run = factories.run()
    _tried(run, "abcd")
    factories.verdict(factories.episode(group=factories.group(run=run)))
    behaviour = run_behaviour(run_id=run.pk)
    assert (behaviour.computed, behaviour.ended) == (1, 2)


@pytest.mark.django_db
def test_the_api_returns_measures_by_arm_to_keys_that_may_read(api: Callable[..., Any]) -> None:
    run = factories.run()
    _tried(run, "abcd")
    _tried(run, "abcdef", arm="text_agent", task=factories.task(split="test"))
    status, body = api("read").json("GET", f"/runs/{run.pk}/behaviour")
    assert status == 200
    assert [arm["arm"] for arm in body["results"]] == ["gym", "text_agent"]
    assert body["results"][0]["measures"][1] == {
        "name": "thought_chars",
        "mean": 4.0,
        "low": None,
        "high": None,
        "episodes": 1,
        "tasks": 1,
    }
    assert api().json("GET", f"/runs/{run.pk}/behaviour")[0] == 401
    assert api("read").json("GET", "/runs/999999/behaviour")[0] == 404
    limited = api("read", splits=["test"]).json("GET", f"/runs/{run.pk}/behaviour")[1]
    assert [arm["arm"] for arm in limited["results"]] == ["text_agent"]


SEEN = ("not_seen", "different", "extra", "extra_events")


def _acted(run: Run, action: dict[str, Any], *, saw: tuple[str, ...] = (), **fields: Any) -> None:
    """An episode of one step whose page reported events of these kinds."""
    result = fields.pop("action_result", "ok")
    episode = factories.episode(group=factories.group(run=run, arm=fields.pop("arm", "gym")), **fields)
    factories.step(episode, 1, action=action, action_type=action["type"], action_result=result)
    for seq, kind in enumerate(saw, start=1):
        PageEvent.objects.create(episode=episode, page="p", seq=seq, step=1, kind=kind, at_ms=seq, data={})
    if saw:
        PageEventTally.objects.create(episode=episode, events=len(saw))
    factories.verdict(episode)
    store.facts_compute([episode.pk])


@pytest.mark.django_db
def test_action_checks_are_averaged_over_the_episodes_where_they_are_known() -> None:
    run = factories.run()
    click = {"type": "click", "x": 1, "y": 1}
    _acted(run, click, saw=("scroll",))
    _acted(run, {"type": "wait"}, saw=("click", "key"))
    _acted(run, click)
    _acted(run, click, action_result="refused")
    _acted(run, {"type": "answer", "text": "42"}, saw=("load",))
    measures = {name: _measure(run, name) for name in ("steps", *SEEN)}
    assert measures["steps"].episodes == 5
    assert {name: (measures[name].episodes, measures[name].mean) for name in SEEN} == {
        "not_seen": (2, 0.5),
        "different": (2, 0.0),
        "extra": (2, 0.5),
        "extra_events": (2, 1.0),
    }


@pytest.mark.django_db
def test_an_arm_without_a_page_has_no_means_of_action_checks() -> None:
    run = factories.run()
    _acted(run, {"type": "answer", "text": "42"}, arm="text_agent")
    (arm,) = run_behaviour(run_id=run.pk).results
    names = {measure.name for measure in arm.measures}
    assert "steps" in names
    assert names.isdisjoint(SEEN)


@pytest.mark.django_db
def test_episodes_with_hidden_thoughts_do_not_shorten_the_mean_thought() -> None:
    run = factories.run()
    _tried(run, "one two three four")
    episode = factories.episode(group=factories.group(run=run))
    factories.step(episode, 1, thought="", more={"thought_hidden": True})
    factories.verdict(episode, "correct")
    store.facts_compute([episode.pk])
    words, hidden = _measure(run, "thought_words"), _measure(run, "hidden_thoughts")
    assert (words.mean, words.episodes) == (4.0, 1)
    assert (hidden.mean, hidden.episodes) == (0.5, 2)
