"""Judges held against people, from the blind queue to what is paid."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from core.errors import GymError
from tests.annotation import scene as labels
from tests.judges import scene
from tests.judges.scene import BAD, GOOD, endpoint, grade, toml
from trajectories.annotation.machines.endpoint import Endpoint
from trajectories.annotation.queues import services as queues
from trajectories.judges.certification import figures_of, judge_certify
from trajectories.judges.report import criteria_rates
from trajectories.judges.samples import SamplePlan, field_name, fields_of, grades_latest, sample_draw
from trajectories.judges.services import body_of, component_name, episodes_judge, judge_store
from trajectories.models import (
    AnnotationSlot,
    AnnotationUnit,
    Episode,
    Judge,
    JudgeAttack,
    RewardComponents,
    Submission,
)
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.profiles.judge_terms import check_certified
from trajectories.rewards.profiles.store import profile_store

pytestmark = pytest.mark.django_db
# What every label of a trajectory says besides.
BESIDES = {"success": "succeeded", "loops": "none", "first_wrong_step": "none"}
Answers = Callable[[str], str]


def graded(answer: scene.Answer, *, name: str = "strict", url: str = "http://judge.test/v1") -> Judge:
    judge, _ = judge_store(toml(url, name=name, criteria=scene.ONE))
    with endpoint(answer) as address, httpx.Client() as client:
        one = Endpoint(url=address, model="m", client=client, tries=1)
        episodes_judge(judge, one, lambda *_: None, runs=[])
    return judge


def drawn(judge: Judge, person: User, *, units: int = 100) -> None:
    sample_draw(judge, SamplePlan(units=units, seed=1, people=[person]))


def by_truth(answer: str) -> str:
    return "yes" if answer.startswith(GOOD) else "no"


def label_all(judge: Judge, person: User, *, says: Answers = by_truth, most: int = 10_000) -> None:
    """Label what the queue hands out, by the answer that the episode shows."""
    annotator = labels.annotator(judge.sample.project, person)
    for _ in range(most):
        slot = queues.slot_next(annotator.pk)
        if slot is None:
            return
        unit = AnnotationSlot.objects.get(pk=slot).unit
        answer = Submission.objects.get(pk=unit.episode_id).answer
        labels.label(slot, values={**BESIDES, field_name("grounded"): says(answer)})


@pytest.fixture
def person() -> User:
    return labels.labeller("one")


def episodes(count: int) -> list[Episode]:
    """Half of them good, of two strata."""
    return [
        scene.episode(
            f"{GOOD if place % 2 else BAD} {place}", outcome="correct" if place % 3 else "incorrect"
        )
        for place in range(count)
    ]


def test_people_answer_the_questions_of_the_judge(person: User) -> None:
    judge, _ = judge_store(toml())
    grounded, direct = fields_of(body_of(judge))
    assert (grounded.id, grounded.question) == ("judge_grounded", body_of(judge).criteria[0].question)
    assert [option.id for option in grounded.options] == ["yes", "no", "no_page"]
    keys = [option.key for one in (grounded, direct) for option in one.options]
    assert len(set(keys)) == 5


def test_a_sample_is_of_graded_episodes_and_measures_one_judge(person: User) -> None:
    episodes(4)
    judge = graded(lambda *_: grade("yes"))
    ungraded = scene.episode(GOOD)
    drawn(judge, person)
    units = AnnotationUnit.objects.filter(project=judge.sample.project)
    assert units.count() == 4
    assert ungraded.pk not in units.values_list("episode_id", flat=True)
    assert {unit.stratum for unit in units} == {"gym · correct · gsm8k", "gym · incorrect · gsm8k"}
    with pytest.raises(GymError, match="measured once") as raised:
        drawn(judge, person)
    assert raised.value.status == 409
    other = graded(lambda *_: grade("yes"), name="other", url="http://other.test/v1")
    drawn(other, person)
    assert [one.episode_id for one in other.sample.project.units.all()] == [ungraded.pk]


def test_a_judge_is_measured_by_the_whole_sample_and_once(person: User) -> None:
    episodes(6)
    judge = graded(lambda *_: grade("yes"))
    with pytest.raises(GymError, match="has no sample"):
        judge_certify(judge)
    drawn(judge, person)
    label_all(judge, person, most=5)
    with pytest.raises(GymError, match="1 of 6 labels are missing"):
        judge_certify(judge)
    label_all(judge, person)
    (first,) = judge_certify(judge)
    figures = figures_of(first)
    assert (figures.measurement.true_positive.value, figures.measurement.true_negative.value) == (1.0, 0.0)
    assert not first.is_certified
    RewardComponents.objects.all().delete()
    assert judge_certify(judge) == [first]


def test_units_without_label_or_grade_count_for_neither_rate(person: User) -> None:
    made = episodes(6)
    judge = graded(lambda _, attempt: "?" if scene.answer_in(attempt) == f"{BAD} 0" else grade("yes"))
    drawn(judge, person)
    label_all(judge, person, says=lambda answer: "no_page" if answer == f"{GOOD} 1" else by_truth(answer))
    (one,) = judge_certify(judge)
    figures = figures_of(one)
    assert (figures.units, figures.without_label, figures.without_grade) == (len(made), 1, 1)
    assert [figures.measurement.true_positive.units, figures.measurement.true_negative.units] == [2, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("true_positive", "true_negative", "is_certified"), [(0.95, 0.93, True), (0.92, 0.65, False)]
)
def test_planted_error_rates_are_recovered_from_end_to_end(
    person: User, true_positive: float, true_negative: float, is_certified: bool
) -> None:
    made = episodes(170)
    judge = graded(scene.erring(true_positive=true_positive, true_negative=true_negative))
    drawn(judge, person, units=160)
    label_all(judge, person)
    (one,) = judge_certify(judge)
    measured = figures_of(one).measurement
    for planted, rate in ((true_positive, measured.true_positive), (true_negative, measured.true_negative)):
        assert rate.low <= planted <= rate.high
    assert one.is_certified == is_certified

    (rates,) = criteria_rates(judge, grades_latest(judge).values())
    assert rates.met.units == len(made)
    assert rates.corrected is not None
    assert rates.corrected.low <= 0.5 <= rates.corrected.high

    terms = [{"component": "outcome"}, {"component": component_name("strict", "grounded"), "weight": 0.5}]
    profile = profile_store({"name": "by-judge", "terms": terms}, viewer=EVERYTHING)[0].profile
    if is_certified:
        JudgeAttack.objects.create(
            judge=judge, criterion="grounded", is_open=False, attempts=0, is_fooled=False, figures=[]
        )
        check_certified(profile)
    else:
        with pytest.raises(GymError, match="is not certified"):
            check_certified(profile)


def test_the_commands_draw_a_sample_and_print_the_rates(
    person: User, capsys: pytest.CaptureFixture[str]
) -> None:
    episodes(6)
    judge = graded(lambda _, attempt: grade(by_truth(scene.answer_in(attempt))))
    with pytest.raises(CommandError, match="no account nobody"):
        call_command("sample_judge", "strict", "nobody")
    with pytest.raises(CommandError, match="2 people"):
        call_command("sample_judge", "strict", person.username, people_each=2)
    call_command("sample_judge", "strict", person.username)
    with pytest.raises(CommandError, match="6 of 6 labels"):
        call_command("certify_judge", "strict")
    label_all(judge, person)
    call_command("certify_judge", "strict")
    out = capsys.readouterr().out
    assert "has 6 episodes to label" in out
    assert (
        "grounded: not certified (a lower bound is below 80%). true positives 100.0% [43.9%, 100.0%] of 3"
        in out
    )


def test_a_report_says_what_is_known_of_a_judge(person: User, capsys: pytest.CaptureFixture[str]) -> None:
    made = episodes(8)
    judge = graded(lambda _, attempt: "?" if scene.answer_in(attempt) == f"{BAD} 0" else grade("yes"))
    call_command("report_judge", "strict")
    unmeasured = capsys.readouterr().out
    assert "grounded: not measured." in unmeasured
    assert "grounded: not tested." in unmeasured
    assert "grounded: graded as met 100.0% [64.6%, 100.0%] of 7, true share not known; 1 void." in unmeasured
    call_command("report_judge", "strict", run=[made[0].run_id])
    none = "grounded: graded as met none [0.0%, 100.0%] of 0, true share not known; 1 void."
    assert none in capsys.readouterr().out

    drawn(judge, person)
    says = {f"{GOOD} {place}": "yes" for place in (1, 3, 5, 7)}
    label_all(judge, person, says=lambda answer: says.get(answer, "no"))
    judge_certify(judge)
    call_command("report_judge", "strict")
    measured = capsys.readouterr().out
    assert "grounded: not certified" in measured
    # It says yes to everything, so its grades say nothing.
    assert "true share not known" in measured
