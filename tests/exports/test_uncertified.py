"""Exported rewards follow the rule of paying: what has not been measured pays no training run."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import GymError
from tests import factories
from tests.exports import scene
from tests.judges.scene import toml
from tests.rewards.learned import planted
from tests.rewards.test_judge_terms import attack, certify, stored
from trajectories.exports import services
from trajectories.exports.jobs import EXPORTS
from trajectories.exports.parameters import Parameters
from trajectories.judges.services import judge_store
from trajectories.judges.services import source_of as judge_source
from trajectories.models import Episode, Export, Judge
from trajectories.rewards.learned.store import source_of as learned_source
from trajectories.rewards.profiles.store import Named
from trajectories.rewards.store import components_write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]
GRADES = {"judge/strict/grounded": 1.0, "judge/strict/direct": 0.0, "judge/strict": 0.75}


@pytest.fixture
def judge() -> Judge:
    return judge_store(toml())[0]


@pytest.fixture
def by_judge(judge: Judge) -> Named:
    return stored("judge/strict/grounded")


def graded(judge: Judge, kind: str) -> Episode:
    """A correct episode of a run of this kind, with a grade of each criterion."""
    episode = scene.played(scene.gym_group(factories.run(kind=kind, observation="axtree-v2")))
    components_write(episode.pk, source=judge_source(judge).pk, values=GRADES, steps={})
    return episode


def exported(named: Named, **parameters: Any) -> Export:
    return scene.exported("rewards", reward_profile=named.reference, **parameters)


def test_what_is_not_certified_pays_no_training_run_in_an_export(judge: Judge, by_judge: Named) -> None:
    graded(judge, "train")
    other = graded(judge, "eval")
    with pytest.raises(GymError, match="has not been compared with people's labels") as raised:
        exported(by_judge)
    assert (raised.value.code, raised.value.status) == ("judge_not_certified", 422)
    assert list(raised.value.fields) == ["reward_profile"]
    assert not Export.objects.exists()
    (row,) = scene.rows_of(exported(by_judge, runs=[other.run_id]))
    assert (row["total"], row["may_pay"]["judge/strict/grounded"]) == (1.5, False)


def test_a_run_that_came_after_the_request_is_not_paid_either(judge: Judge, by_judge: Named) -> None:
    graded(judge, "eval")
    requested = services.export_request(
        "rewards", Parameters(reward_profile=by_judge.reference), author=scene.AUTHOR
    )
    graded(judge, "train")
    EXPORTS.run(requested.pk)
    requested.refresh_from_db()
    assert (requested.state, requested.result.get("files", [])) == ("failed", [])
    assert "A training run may be paid only for certified criteria" in requested.problem


def test_components_stay_raw_with_their_source_and_whether_they_may_pay(judge: Judge) -> None:
    episode = graded(judge, "train")
    able, unable = planted.stored(low=0.8), planted.stored(low=0.7)
    for model in (able, unable):
        components_write(episode.pk, source=learned_source(model), values={model.component: 0.5}, steps={})
    certify(judge, "grounded")
    (row,) = scene.rows_of(scene.exported("rewards"))
    assert (row["profile"].partition("@")[0], row["total"]) == ("outcome-v1", 1.0)
    assert GRADES.items() <= row["components"].items()
    assert (row["components"][unable.component], row["components"]["outcome"]) == (0.5, 1.0)
    assert row["sources"]["judge strict"] == judge.sha256
    assert row["may_pay"] == {
        "judge/strict/grounded": True,
        "judge/strict/direct": False,
        "judge/strict": False,
        able.component: True,
        unable.component: False,
    }


def test_certified_criteria_pay_until_texts_raise_them(judge: Judge, by_judge: Named) -> None:
    graded(judge, "train")
    certify(judge, "grounded")
    export = exported(by_judge)
    (row,) = scene.rows_of(export)
    assert (row["total"], row["may_pay"]["judge/strict/grounded"]) == (1.5, True)
    attack(judge, "grounded", is_fooled=True)
    services.export_again(export)
    EXPORTS.run(export.pk)
    export.refresh_from_db()
    assert (export.state, "is raised by texts" in export.problem) == ("failed", True)
