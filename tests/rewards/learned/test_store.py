"""Stored models: what they say of episodes, which may pay, and which are refused."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.db import ProgrammingError, transaction
from django.utils import timezone

from core.errors import GymError
from core.work.sweep import BEGINNING, Place
from palaestra.records.rewards import LearnedReward
from tests import factories
from tests.conftest import ApiClient
from tests.rewards.learned import planted
from trajectories.behaviour.facts.store import SETTLE_S
from trajectories.models import Episode, RewardComponents, RewardModel, RewardSource, Run, Step
from trajectories.record.projects import EVERYTHING
from trajectories.rewards import store
from trajectories.rewards.learned.source import read_recorded
from trajectories.rewards.learned.store import Model, list_shown_models, model_of, values_of
from trajectories.rewards.learned.types import Card
from trajectories.rewards.profiles.store import profile_get, profile_store
from trajectories.rewards.selectors import Rewards, profile_of_run, rewards_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> Model:
    return planted.stored()


@pytest.fixture
def poor() -> Model:
    """One whose error is too great."""
    return planted.stored(low=0.7499)


def profile(*components: str) -> dict[str, Any]:
    terms = [{"component": "outcome"}, *({"component": one, "weight": 0.3} for one in components)]
    return {"name": "learned", "terms": terms}


def paid(episode: Episode, *components: str) -> Rewards:
    named, _ = profile_store(profile(*components), viewer=EVERYTHING)
    return rewards_of([episode.pk], named=named)[episode.pk]


def test_the_verdict_is_no_feature(model: Model) -> None:
    right, wrong = (planted.played(factories.task(), "Look at it.", one) for one in ("correct", "incorrect"))
    values = values_of(model, read_recorded([right.pk, wrong.pk]))
    assert values[right.pk] == values[wrong.pk]


def test_values_are_paid_before_and_after_they_are_stored(model: Model) -> None:
    episode = planted.played(factories.task(), planted.RIGHT, "correct")
    before = paid(episode, model.component)
    value = before.components[model.component]
    assert 0.9 < value <= 1.0
    assert before.total == pytest.approx(1 + 0.3 * value)
    assert before.sources[f"learned {model.id}"] == model.sha256
    assert not RewardComponents.objects.exists()
    store.components_compute([episode.pk])
    assert paid(episode, model.component) == before


def test_a_new_model_adds_rows_and_removes_none(model: Model) -> None:
    episode = planted.played(factories.task(), planted.WRONG, "incorrect")
    factories.end_move(episode, at=timezone.now() - timedelta(seconds=60))

    def due() -> bool:
        seen = {row.key: row.is_due for row in store.episodes_after(Place(BEGINNING, 0), SETTLE_S)}
        return seen[episode.pk] and episode.pk in store.episodes_all(
            after=0, limit=999, run=None, again=False
        )

    assert due()
    store.components_compute([episode.pk])
    assert not due()
    first = list(RewardComponents.objects.values())
    another = planted.stored(low=0.5)
    assert due()
    store.components_compute([episode.pk])
    assert not due()
    rows = list(RewardComponents.objects.values())
    assert all(one in rows for one in first)
    versions = RewardSource.objects.filter(kind="learned").values_list("version", flat=True)
    assert set(versions) == {model.sha256, another.sha256}
    assert {model.component, another.component} <= paid(episode).components.keys()


def test_missing_is_not_null(model: Model) -> None:
    silent = planted.played(factories.task(), "", "incorrect")
    oracle = planted.played(factories.task(), planted.RIGHT, "correct")
    Step.objects.filter(episode=oracle).update(actor="oracle")
    other = planted.played(factories.task(), planted.RIGHT, "correct", run=factories.run(project="other"))
    void = planted.played(factories.task(), planted.RIGHT, "void")
    rewards = paid(silent, model.component)
    assert (rewards.components[model.component], rewards.total) == (None, None)
    for episode in (oracle, other, void):
        store.components_compute([episode.pk])
        assert model.component not in paid(episode, model.component).components
    assert paid(oracle, model.component).total == 1.0


def test_an_unanswered_episode_has_0(model: Model) -> None:
    episode = factories.episode()
    factories.step(episode, 1, raw=planted.RIGHT)
    factories.verdict(episode, "incorrect")
    assert paid(episode, model.component).components[model.component] == 0.0


def test_a_model_of_other_features_or_that_is_no_more_says_null(model: Model) -> None:
    old = planted.stored(features=0)
    episode = planted.played(factories.task(), planted.RIGHT, "correct")
    assert paid(episode, old.component).components[old.component] is None
    named, _ = profile_store(profile(model.component), viewer=EVERYTHING)
    RewardModel.objects.all().delete()
    assert rewards_of([episode.pk], named=named)[episode.pk].total is None


def test_the_worst_that_scores_can_be_is_stored_as_null(model: Model) -> None:
    odd = planted.stored(scales=[0.0] * len(model.parameters.scales))
    with pytest.warns(RuntimeWarning):
        values = values_of(odd, read_recorded([_one().pk]))
    assert [one.episode for parts in values.values() for one in parts.values()] == [None]


def _one() -> Episode:
    return planted.played(factories.task(), planted.RIGHT, "correct")


# ---- which may pay
def test_a_poor_model_is_shown_and_pays_no_training_run(poor: Model, api: Any) -> None:
    client: ApiClient = api("trainer")
    status, stored = client.json("POST", "/rewards/profiles", profile(poor.component))
    assert status == 201
    body = {"name": "r", "settings": {"reward_profile": "learned"}}
    status, answer = client.json("POST", "/runs", {**body, "kind": "train"})
    assert (status, answer["error"]["code"]) == (422, "profile_refused")
    assert "0.750" in answer["error"]["message"]
    assert "must be at least 0.75" in answer["error"]["message"]
    assert not Run.objects.filter(name="r").exists()
    assert client.json("POST", "/runs", {**body, "kind": "eval"})[0] == 201
    run = client.json("POST", "/runs", {"name": "t", "kind": "train"})[1]
    group = factories.group(run=Run.objects.get(pk=run["id"]))
    episode = planted.played(group.task, planted.RIGHT, "correct", group=group)
    for path in (
        f"/runs/{run['id']}/groups",
        f"/runs/{run['id']}/rewards",
        f"/episodes/{episode.pk}/rewards",
        f"/episodes/{episode.pk}/trajectory",
    ):
        status, answer = client.json("GET", f"{path}?profile={stored['reference']}")
        assert (status, answer["error"]["code"]) == (422, "profile_refused"), path


def test_a_good_model_pays_a_training_run(model: Model, api: Any) -> None:
    client: ApiClient = api("trainer")
    client.json("POST", "/rewards/profiles", profile(model.component))
    settings = {"reward_profile": "learned"}
    status, answer = client.json("POST", "/runs", {"name": "r", "kind": "train", "settings": settings})
    assert status == 201
    run = Run.objects.get(pk=answer["id"])
    assert profile_of_run(run, "", viewer=EVERYTHING).profile.terms[1].component == model.component


@pytest.mark.parametrize("name", ["learned/0123456789ab", "learned/x", "learned", "learned/"])
def test_a_profile_names_models_that_there_are(name: str) -> None:
    with pytest.raises(GymError) as raised:
        profile_store(profile(name), viewer=EVERYTHING)
    assert raised.value.code == "profile_refused"


def test_cards_are_listed_whether_the_model_may_pay_or_not(model: Model, poor: Model, api: Any) -> None:
    status, answer = api("read").json("GET", "/rewards/learned")
    assert status == 200
    listed = msgspec.convert(answer["results"], list[LearnedReward])
    assert [(one.component, one.may_pay) for one in listed] == [
        (poor.component, False),
        (model.component, True),
    ]
    assert msgspec.convert(listed[1].card, Card) == model.card
    assert "weights" not in str(answer), "what a model pays for in detail would help to fool it"


def test_models_of_other_projects_cannot_be_named(model: Model, api: Any) -> None:
    client: ApiClient = api("trainer", project="other")
    assert client.json("GET", "/rewards/learned") == (200, {"results": []})
    status, answer = client.json("POST", "/rewards/profiles", profile(model.component))
    assert (status, answer["error"]["code"]) == (422, "profile_refused")
    assert "There is no learned reward" in answer["error"]["message"]


# ---- models from elsewhere
@pytest.mark.parametrize(
    "change", [{"parameters": {"weights": "gASVIAAA"}}, {"card": {}}, {"sha256": "f" * 64}]
)
def test_a_model_from_elsewhere_is_refused(model: Model, change: dict[str, Any]) -> None:
    name = model.component
    RewardModel.objects.update(**change)
    if "sha256" in change:
        name = "learned/" + "f" * 12
    with pytest.raises(GymError, match=r"Only models that `manage\.py fit_reward` has fitted") as raised:
        profile_store(profile(name), viewer=EVERYTHING)
    assert raised.value.code == "model_refused"
    assert list_shown_models(EVERYTHING) == []
    episode = _one()
    store.components_compute([episode.pk])
    assert RewardComponents.objects.count() == 1, "those of the rules"


@pytest.mark.parametrize("role", ["gym_lab", "gym_worker", "gym_arena"])
def test_no_server_writes_a_model(model: Model, role: str, as_role: Any) -> None:
    with as_role(role), transaction.atomic(), pytest.raises(ProgrammingError, match="permission denied"):
        RewardModel.objects.update(sha256="0" * 64)
    with as_role(role), transaction.atomic(), pytest.raises(ProgrammingError, match="permission denied"):
        RewardModel.objects.create(name="x", sha256="0" * 64, features=1, parameters={}, card={})


def test_workers_compute_and_the_lab_reads(model: Model, as_role: Any) -> None:
    episode = _one()
    with as_role("gym_lab"):
        before = paid(episode, model.component)
        assert [one.id for one in list_shown_models(EVERYTHING)] == [model.id]
    with as_role("gym_worker"):
        store.components_compute([episode.pk])
    with as_role("gym_lab"):
        assert paid(episode, model.component) == before


def test_a_card_that_was_improved_is_refused(poor: Model) -> None:
    card = msgspec.to_builtins(poor.card)
    card["auroc"]["low"] = 0.9
    RewardModel.objects.filter(sha256=poor.sha256).update(card=card)
    with pytest.raises(GymError, match="does not match its hash"):
        profile_store(profile(poor.component), viewer=EVERYTHING)


def test_what_was_paid_by_default_stays(model: Model) -> None:
    episode = _one()
    rewards = rewards_of([episode.pk], named=profile_get("", viewer=EVERYTHING))[episode.pk]
    assert (rewards.total, rewards.terms) == (1.0, {"outcome": 1.0})


def test_a_card_from_before_a_figure_was_added_has_its_hash_still(model: Model) -> None:
    row = RewardModel.objects.get()
    del row.card["calibration"]
    # As the hash was taken when cards had no such figure.
    content = msgspec.json.encode([row.parameters, row.card], order="sorted")
    row.sha256 = hashlib.sha256(content).hexdigest()
    assert model_of(row).card == msgspec.structs.replace(model.card, calibration=[])
    row.card["people"] += 1
    with pytest.raises(GymError, match="does not match its hash"):
        model_of(row)
