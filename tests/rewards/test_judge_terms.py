"""What a profile may pay for grades of judges, and which runs."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from core.errors import GymError
from tests import factories
from tests.judges.scene import toml
from tests.rewards.test_components import over
from trajectories.judges.services import judge_store
from trajectories.models import ApiKey, Judge, JudgeAttack, JudgeCertification, Run
from trajectories.record.api.auth import Principal
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.profiles.judge_terms import check_certified
from trajectories.rewards.profiles.payment import Components, compute_payment
from trajectories.rewards.profiles.store import Named, profile_store
from trajectories.rewards.selectors import episode_rewards, profile_of_run
from trajectories.rollouts.runs.services import run_create

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> Judge:
    return judge_store(toml())[0]


def stored(component: str) -> Named:
    terms = [{"component": "outcome"}, {"component": component, "weight": 0.5}]
    return profile_store({"name": "by-judge", "terms": terms}, viewer=EVERYTHING)[0]


def certify(judge: Judge, criterion: str, *, is_certified: bool = True) -> None:
    JudgeCertification.objects.create(judge=judge, criterion=criterion, figures={}, is_certified=is_certified)
    attack(judge, criterion)


def attack(judge: Judge, criterion: str, **fields: Any) -> None:
    values = {"is_open": True, "attempts": 20, "is_fooled": False, "figures": [], **fields}
    JudgeAttack.objects.create(judge=judge, criterion=criterion, **values)


def create(kind: str, named: Named) -> Run:
    key = ApiKey.objects.create(name="test", digest=uuid.uuid4().hex, prefix="p", scopes=["trainer"])
    trainer = Principal(key_id=key.pk, name="test", scopes=frozenset({"trainer"}), splits=frozenset())
    fields: dict[str, Any] = {"name": "r", "kind": kind, "settings": {"reward_profile": named.reference}}
    return run_create(fields=fields, principal=trainer)


@pytest.mark.parametrize(
    ("component", "words"),
    [
        ("judge/lenient/grounded", "no judge 'lenient'"),
        ("judge/strict/grunded", "Did you mean grounded"),
        ("judge", "Write judge/ and a name"),
    ],
)
def test_a_term_names_a_judge_and_a_criterion_that_there_are(
    judge: Judge, component: str, words: str
) -> None:
    with pytest.raises(GymError, match=words) as raised:
        stored(component)
    assert raised.value.code == "profile_refused"


def test_a_training_run_is_paid_for_certified_criteria_alone(judge: Judge) -> None:
    one, both = stored("judge/strict/grounded"), stored("judge/strict")
    for named in (one, both):
        with pytest.raises(GymError, match="has not been compared with people's labels") as raised:
            create("train", named)
        assert (raised.value.code, raised.value.status) == ("judge_not_certified", 422)
        assert create("eval", named).pk
    certify(judge, "grounded")
    assert create("train", one).settings["reward_profile"] == one.reference
    certify(judge, "direct", is_certified=False)
    with pytest.raises(GymError, match="direct was compared with people's labels and is not certified"):
        create("train", both)


def test_a_call_cannot_pay_a_training_run_otherwise(judge: Judge) -> None:
    named = stored("judge/strict/grounded")
    with pytest.raises(GymError, match="certified"):
        profile_of_run(factories.run(kind="train"), named.reference, viewer=EVERYTHING)
    assert profile_of_run(factories.run(), named.reference, viewer=EVERYTHING) == named
    certify(judge, "grounded")
    assert profile_of_run(factories.run(kind="train"), named.reference, viewer=EVERYTHING) == named


def test_an_episode_without_a_grade_has_no_total_yet(judge: Judge) -> None:
    named = stored("judge/strict/grounded")
    values: dict[str, float | None] = {"outcome": 1.0}
    assert compute_payment(named.profile, Components(values=values)).total is None
    for grade, total in ((0.0, 1.0), (1.0, 1.5), (None, None)):
        graded = Components(values={**values, "judge/strict/grounded": grade})
        assert compute_payment(named.profile, graded).total == total


def test_a_grade_that_is_still_to_come_is_a_component_that_is_null(judge: Judge) -> None:
    episode = over(factories.episode(), "correct")
    rewards = episode_rewards(episode.pk, named=stored("judge/strict/grounded"))
    assert (rewards.total, rewards.terms["judge/strict/grounded"]) == (None, None)
    assert (rewards.components["outcome"], rewards.components["judge/strict/grounded"]) == (1.0, None)


def test_a_judge_alone_cannot_make_a_wrong_answer_worth_a_right_one(judge: Judge) -> None:
    terms = [{"component": "outcome"}, {"component": "judge/strict", "weight": 1}]
    with pytest.raises(
        GymError, match="outcome 0, judge/strict 1 is paid 1, and outcome 1, judge/strict 0 is paid 1"
    ):
        profile_store({"name": "loud", "terms": terms}, viewer=EVERYTHING)


def test_a_criterion_that_texts_raise_pays_nobody(judge: Judge) -> None:
    profile = stored("judge/strict/grounded").profile
    certify(judge, "grounded")
    check_certified(profile)
    attack(judge, "grounded", is_fooled=True)
    with pytest.raises(GymError, match="is raised by texts"):
        check_certified(profile)
    attack(judge, "grounded", attempts=19)
    with pytest.raises(GymError, match="has not been tried with texts"):
        check_certified(profile)
    attack(judge, "grounded", attempts=0, is_open=False)
    check_certified(profile)
