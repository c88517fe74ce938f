"""A course of stages: when it moves on, what it draws, and which courses are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy
import pytest

from tasks_app.models import Task
from tests import factories
from tests.rewards.test_components import over
from tests.rewards.test_tool_components import called, opened, oracle_calls
from tests.rollouts.samplers.pools import pool
from trajectories.models import Episode, RewardComponents, RewardSource, Run
from trajectories.rewards import registry
from trajectories.rewards.store import RULES
from trajectories.rollouts.samplers.course import (
    Criterion,
    Measured,
    Progress,
    Stage,
    Values,
    measure_criteria,
    progress_make,
)
from trajectories.rollouts.samplers.strategies.stages import TOOL_USE, StagesStrategy
from trajectories.rollouts.samplers.types import Chance

WINDOW = 10
COURSE = {
    "kind": "stages",
    "window": WINDOW,
    "earlier": 0.25,
    "stages": [
        {"stage": 1, "until": [{"component": "outcome", "at_least": 0.6}]},
        {"stage": 2, "until": [{"component": "syntax", "at_least": 0.5}]},
    ],
}


def measured(value: float | None, *, at_least: float | None = 0.8, at_most: float | None = None) -> Measured:
    bounds = {"at_least": at_least, "at_most": at_most}
    return Measured(stage=1, component="c", measure="mean", **bounds, value=value, judged=9, episodes=9)


def progress(stage: int) -> Progress:
    return Progress(stage=stage, since=1, move="stays", criteria=[])


def moved(values: dict[int, float | None], *, before: int | None, back: float | None = None) -> Progress:
    stages = [Stage(stage=one, until=(Criterion(component="c", at_least=0.8),)) for one in values]
    return progress_make(
        stages,
        lambda stage: [measured(values[stage.stage])],
        before=progress(before) if before else None,
        number=7,
        back_beyond=back,
    )


def chosen(count: int, *, reached: int, earlier: float = 0.25) -> list[tuple[str, int]]:
    """Reason and stage of what is drawn from eight tasks of each of four stages."""
    tasks = replace(pool(32, stages=numpy.repeat([1, 2, 3, 4], 8)), progress=progress(reached))
    choices = StagesStrategy(earlier=earlier).choose(tasks, count=count, chance=Chance(1, 1))
    assert len({choice.row for choice in choices}) == len(choices)
    assert {choice.why["reached"] for choice in choices} == {reached}
    return [(choice.why["reason"], choice.why["stage"]) for choice in choices]


# ---- what is measured
def test_precision_and_recall_are_those_of_the_decision_to_call() -> None:
    """Of ten episodes five need a call: four of them have one, and so has one of the others."""
    right: Values = {"needed": 1.0, "called": 1.0}
    missed: Values = {"needed": 0.0, "called": 0.0}
    needless: Values = {"needed": 0.0, "called": 1.0}
    idle: Values = {"needed": 1.0, "called": 0.0}
    either_way: Values = {"needed": 1.0}
    episodes = [*[right] * 4, missed, needless, *[idle] * 4, either_way]

    precision, recall = measure_criteria(TOOL_USE[0], episodes, window=10, judged=11)

    assert (precision.value, precision.episodes) == (4 / 5, 5)
    assert (recall.value, recall.episodes) == (4 / 5, 5)


def test_a_value_of_too_few_episodes_is_none() -> None:
    stage = Stage(stage=2, until=(Criterion(component="selection", at_least=0.8),))

    def value(known: int, *, judged: int) -> float | None:
        episodes: list[Values] = [*[{"selection": 1.0}] * known, *[{"selection": None}] * 4]
        (criterion,) = measure_criteria(stage, episodes, window=12, judged=judged)
        return criterion.value

    assert (value(8, judged=12), value(8, judged=11), value(2, judged=12)) == (1.0, None, None)


def test_a_mark_that_is_not_known_is_neither_reached_nor_missed() -> None:
    assert not measured(None).holds
    assert not measured(None).misses(by=0.0)
    assert measured(0.1, at_least=None, at_most=0.1).holds
    assert measured(0.31, at_least=None, at_most=0.1).misses(by=0.2)
    assert not measured(0.29, at_least=None, at_most=0.1).misses(by=0.2)


# ---- moving on
def test_a_course_begins_stays_and_moves_on() -> None:
    begun = moved({1: None, 2: None}, before=None)
    stays = moved({1: 0.7, 2: None}, before=1)
    moves = moved({1: 0.8, 2: None}, before=1)

    assert (begun.stage, begun.since, begun.move) == (1, 7, "begins")
    assert (stays.stage, stays.since, stays.move, stays.because) == (1, 1, "stays", [])
    assert (moves.stage, moves.since, moves.move) == (2, 7, "moves_on")
    assert [one.value for one in moves.because] == [0.8]
    assert [one.value for one in moves.criteria] == [None]


def test_a_course_that_joins_late_passes_over_what_holds_already() -> None:
    late = moved({1: 0.9, 2: 0.9, 3: 0.5}, before=None)

    assert (late.stage, late.move, late.is_over) == (3, "moves_on", False)


def test_the_last_stage_stays_and_says_that_the_course_is_over() -> None:
    over = moved({1: 0.1, 2: 0.9}, before=2)

    assert (over.stage, over.move, over.is_over) == (2, "stays", True)


def test_a_course_goes_back_only_where_it_is_set_and_only_beyond_the_margin() -> None:
    fallen: dict[int, float | None] = {1: 0.65, 2: 0.5}

    assert moved(fallen, before=2).stage == 2
    assert moved(fallen, before=2, back=0.2).stage == 2
    back = moved(fallen, before=2, back=0.1)
    assert (back.stage, back.since, back.move, back.because[0].value) == (1, 7, "goes_back", 0.65)


# ---- what is drawn
def test_a_share_of_a_draw_is_of_earlier_stages_and_none_of_later_ones() -> None:
    drawn = chosen(8, reached=3)

    assert drawn.count(("stage", 3)) == 6
    assert [stage for reason, stage in drawn if reason == "earlier_stage" and stage < 3] != []
    assert len(drawn) == 8


def test_the_first_stage_has_no_earlier_ones() -> None:
    assert chosen(4, reached=1, earlier=1.0) == [("stage", 1)] * 4


def test_earlier_stages_fill_a_draw_and_later_ones_never_do() -> None:
    assert chosen(12, reached=2).count(("earlier_stage", 1)) == 4
    assert len(chosen(20, reached=2)) == 16
    assert set(chosen(20, reached=1)) == {("stage", 1)}


def test_those_that_were_drawn_least_come_first() -> None:
    drawn = numpy.array([3, 0, 2, 1])

    choices = StagesStrategy().choose(pool(4, drawn=drawn), count=4, chance=Chance(1, 1))

    assert [choice.row for choice in choices] == [1, 3, 2, 0]


# ---- refused
@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ([{"stage": 1, "until": [{"component": "outcome", "at_least": 1}]}, {"stage": 1}], "in a circle"),
        ([{"stage": 1}, {"stage": 2}], "stage 2 never begins"),
        ([{"stage": 1, "until": [{"component": "outcome"}]}], "needs at_least or at_most"),
        ([{"stage": 1, "until": [{"component": "outcome", "measure": "recall", "at_least": 1}]}], "'needed'"),
        ([{"stage": 1, "until": [{"component": "outcome", "at_least": 1, "at_most": 0}]}], "not exceed"),
        ([{"stage": 0}], "stage"),
    ],
)
def test_a_course_that_contradicts_itself_is_refused_with_words(stages: list[Any], words: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=words):
        msgspec.convert({"kind": "stages", "stages": stages}, StagesStrategy)


# ---- through the API
@pytest.fixture
def run(db: None) -> Run:
    return factories.run(kind="train")


def tasks_of(stage: int, count: int = 8, **fields: Any) -> list[Task]:
    return [factories.task(tags=[f"stage:{stage}", "family:any"], **fields) for _ in range(count)]


def sampler_of(trainer: Any, run: Run, **strategy: Any) -> tuple[int, Any]:
    body = {"run": run.pk, "strategy": {**COURSE, **strategy}, "seed": 7}
    status, answer = trainer.json("POST", "/samplers", body)
    return int(status), answer


def draw(trainer: Any, sampler: Any, number: int, count: int = 4) -> Any:
    body = {"count": count, "number": number}
    status, made = trainer.json("POST", f"/samplers/{sampler['id']}/draw", body)
    assert status == 200, made
    return made


def played(run: Run, task: Task, outcomes: str, *, syntax: float | None = None) -> list[Episode]:
    """Episodes that are right (``c``), wrong (``i``) or void (``v``), with a stored component."""
    names = {"c": ("correct", "answer"), "i": ("incorrect", "answer"), "v": ("void", "harness_error")}
    group = factories.group(run=run, task=task)
    made = [factories.episode(group=group) for _ in outcomes]
    source, _ = RewardSource.objects.get_or_create(kind="rule", name=RULES, version=registry.revision())
    for episode, letter in zip(made, outcomes, strict=True):
        factories.verdict(episode, *names[letter])
        values = {} if syntax is None else {"syntax": syntax}
        RewardComponents.objects.create(episode=episode, source=source, values=values, steps={})
    return made


def stages_drawn(made: Any) -> list[int]:
    return sorted(item["why"]["stage"] for item in made["items"])


def test_a_run_moves_on_by_its_own_results_and_never_goes_back(trainer: Any, run: Run) -> None:
    first, second = tasks_of(1), tasks_of(2)
    _, sampler = sampler_of(trainer, run)

    assert stages_drawn(draw(trainer, sampler, 1)) == [1, 1, 1, 1]
    played(run, first[0], "cccccciii" + "v" * 9)
    waiting = draw(trainer, sampler, 2)
    assert stages_drawn(waiting) == [1, 1, 1, 1]
    (criterion,) = waiting["summary"]["progress"]["criteria"]
    assert (criterion["judged"], criterion["value"]) == (9, None)

    played(run, first[1], "i")
    on = draw(trainer, sampler, 3)
    assert stages_drawn(on) == [1, 2, 2, 2]
    assert on["summary"]["progress"]["move"] == "moves_on"
    assert on["summary"]["progress"]["because"][0]["value"] == pytest.approx(0.6)
    assert on["summary"]["reasons"] == {"stage": 3, "earlier_stage": 1}

    played(run, first[2], "i" * 12)
    played(run, second[0], "i" * 10, syntax=0.4)
    stays = draw(trainer, sampler, 4)
    assert stages_drawn(stays) == [1, 2, 2, 2]
    assert (stays["summary"]["progress"]["since"], stays["summary"]["progress"]["is_over"]) == (3, False)
    assert stays["summary"]["progress"]["criteria"][0]["value"] == pytest.approx(0.4)
    assert draw(trainer, sampler, 3) == on


def test_a_course_that_may_go_back_does(trainer: Any, run: Run) -> None:
    first = tasks_of(1)
    tasks_of(2)
    _, sampler = sampler_of(trainer, run, back_beyond=0.3)
    played(run, first[0], "c" * 10)
    assert stages_drawn(draw(trainer, sampler, 1)) == [1, 2, 2, 2]
    played(run, first[0], "i" * 8)
    back = draw(trainer, sampler, 2)

    assert stages_drawn(back) == [1, 1, 1, 1]
    assert back["summary"]["progress"]["move"] == "goes_back"


def test_the_same_results_lead_to_the_same_draws(trainer: Any, run: Run) -> None:
    first = tasks_of(1)
    tasks_of(2)
    played(run, first[0], "c" * 10)
    samplers = [sampler_of(trainer, run)[1] for _ in range(2)]

    draws = [[draw(trainer, sampler, number)["items"] for number in (1, 2)] for sampler in samplers]

    assert draws[0] == draws[1]
    assert draws[0][0] != draws[0][1]


def test_episodes_of_other_runs_and_of_guided_tasks_do_not_count(trainer: Any, run: Run) -> None:
    first = tasks_of(1)
    tasks_of(2)
    _, sampler = sampler_of(trainer, run)
    played(factories.run(kind="train"), first[0], "c" * 10)
    for episode in played(run, first[0], "c" * 10):
        Episode.objects.filter(pk=episode.pk).update(guidance={"kind": "hint"})

    assert stages_drawn(draw(trainer, sampler, 1)) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("until", "code", "words"),
    [
        ({"component": "outcom", "at_least": 0.5}, "unknown_reward_component", "outcom"),
        (
            {"component": "outcome", "at_least": 1.5},
            "criterion_refused",
            "outside the range of 'outcome', 0 to 1",
        ),
        ({"component": "length", "at_most": -1}, "criterion_refused", "0 up"),
        ({"component": "selection", "at_least": 0.5}, "criterion_refused", "has no 'selection'"),
        ({"component": "milestone/none", "at_least": 0.5}, "criterion_refused", "milestone"),
        ({"component": "judge/nobody", "at_least": 0.5}, "criterion_refused", "no judge 'nobody'"),
        ({"component": "learned/none", "at_least": 0.5}, "criterion_refused", "no learned reward"),
    ],
)
def test_a_criterion_that_no_task_can_have_is_refused(
    trainer: Any, run: Run, until: dict[str, Any], code: str, words: str
) -> None:
    tasks_of(1)

    status, answer = sampler_of(trainer, run, stages=[{"stage": 1, "until": [until]}])

    assert (status, answer["error"]["code"]) == (422, code)
    assert words in answer["error"]["message"]


def test_tasks_of_tools_take_the_course_of_the_default(trainer: Any, run: Run) -> None:
    for stage in range(1, 5):
        tasks_of(stage, 2, kind="tools")

    status, answer = trainer.json("POST", "/samplers", {"run": run.pk, "strategy": {"kind": "stages"}})

    assert status == 201, answer
    made = draw(trainer, answer, 1, count=2)
    assert stages_drawn(made) == [1, 1]
    assert [one["measure"] for one in made["summary"]["progress"]["criteria"]] == ["precision", "recall"]


@pytest.mark.parametrize(("needless", "stage", "precision"), [(0, 2, 1.0), (1, 1, 5 / 6)])
def test_a_run_leaves_the_first_stage_of_tools_once_it_calls_where_it_should(
    trainer: Any, run: Run, needless: int, stage: int, precision: float
) -> None:
    """From recorded calls alone: nothing has computed their components yet."""
    for later in range(1, 5):
        tasks_of(later, 3, kind="tools")
    body = {"run": run.pk, "strategy": {"kind": "stages", "window": 10}}
    sampler = trainer.json("POST", "/samplers", body)[1]
    for place in range(10):
        family = "one_tool" if place < 5 else "no_tool"
        episode = opened(family, run=run)
        if place < 5 + needless:
            called(episode, oracle_calls("one_tool"))
        over(episode)

    progress = draw(trainer, sampler, 1, count=2)["summary"]["progress"]

    assert progress["stage"] == stage
    measured = {one["measure"]: one["value"] for one in progress["because"] or progress["criteria"]}
    assert measured == {"precision": pytest.approx(precision), "recall": 1.0}


def test_a_stage_without_tasks_is_refused(trainer: Any, run: Run) -> None:
    tasks_of(1)

    status, answer = sampler_of(trainer, run)

    assert (status, answer["error"]["code"]) == (422, "stage_without_tasks")
    assert "'stage:2'" in answer["error"]["message"]
