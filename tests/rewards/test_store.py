"""Stored components: which episodes are due, and what counts of what was stored."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from core.work.sweep import BEGINNING, Place
from tests import factories
from tests.rewards.test_components import acted, over
from trajectories.behaviour.facts.store import SETTLE_S, facts_compute
from trajectories.models import Episode, EpisodeFacts, RewardComponents, RewardSource
from trajectories.record.projects import EVERYTHING
from trajectories.rewards import registry, store
from trajectories.rewards.profiles.store import profile_get, profile_store
from trajectories.rewards.selectors import Rewards, compute_payments, rewards_of

pytestmark = pytest.mark.django_db

SHAPED = {
    "name": "shaped",
    "shape": "per_step",
    "terms": [{"component": "outcome"}, {"component": "syntax", "weight": 0.2}],
}


@pytest.fixture
def episode() -> Episode:
    episode = factories.episode()
    acted(episode, 1)
    acted(episode, 2, url="https://gym/two", observation_text="another page")
    over(episode, "correct")
    factories.end_move(episode, at=timezone.now() - timedelta(seconds=60))
    return episode


def due() -> list[int]:
    return [row.key for row in store.episodes_after(Place(BEGINNING, 0), SETTLE_S) if row.is_due]


def paid(episode: Episode, name: str = "") -> Rewards:
    return rewards_of([episode.pk], named=profile_get(name, viewer=EVERYTHING))[episode.pk]


def test_an_episode_is_due_until_its_components_are_stored(episode: Episode) -> None:
    assert due() == [episode.pk] == store.episodes_all(after=0, limit=10, run=None, again=False)
    assert store.components_compute([episode.pk]) == 2
    assert due() == [] == store.episodes_all(after=0, limit=10, run=None, again=False)
    assert store.episodes_all(after=0, limit=10, run=episode.run_id, again=True) == [episode.pk]


def test_a_late_step_adds_a_row_and_takes_none_away(episode: Episode) -> None:
    facts_compute([episode.pk])
    store.components_compute([episode.pk])
    factories.step(episode, 3, action=None, parse_error="No action.", action_result="invalid")
    facts_compute([episode.pk])
    EpisodeFacts.objects.update(computed_at=timezone.now())
    assert due() == [episode.pk]
    store.components_compute([episode.pk])
    assert due() == []
    first, second = RewardComponents.objects.order_by("computed_at")
    assert (first.values["syntax"], second.values["syntax"]) == (1.0, pytest.approx(2 / 3))
    assert paid(episode).components["syntax"] == pytest.approx(2 / 3)


def test_other_rules_are_another_source(episode: Episode, monkeypatch: pytest.MonkeyPatch) -> None:
    store.components_compute([episode.pk])
    monkeypatch.setattr(registry, "revision", lambda: "of tomorrow")
    assert due() == [episode.pk]
    store.components_compute([episode.pk])
    assert due() == []
    assert RewardComponents.objects.count() == 2
    assert set(RewardSource.objects.values_list("version", flat=True)) >= {"of tomorrow"}
    assert paid(episode).sources == {"rule rules": "of tomorrow"}


def test_what_is_paid_does_not_wait_for_what_is_stored(episode: Episode) -> None:
    profile_store(SHAPED, viewer=EVERYTHING)
    before = paid(episode, "shaped")
    assert not RewardComponents.objects.exists()
    store.components_compute([episode.pk])
    assert paid(episode, "shaped") == before
    assert before.total == pytest.approx(1.2)
    assert [(step.step, step.paid) for step in before.steps] == [(1, 0.1), (2, pytest.approx(1.1))]
    assert before.terms == {"outcome": 1.0, "syntax": 0.2}


def test_outcomes_alone_pay_by_default(episode: Episode) -> None:
    rewards = paid(episode)
    assert rewards.profile.startswith("outcome-v1@")
    assert (rewards.total, rewards.terms) == (1.0, {"outcome": 1.0})
    assert {"outcome", "syntax", "executed"} <= rewards.components.keys()


def test_a_void_episode_is_paid_nothing_that_is_a_number() -> None:
    episode = factories.episode()
    acted(episode, 1)
    over(episode, "void")
    profile_store(SHAPED, viewer=EVERYTHING)
    for name in ("", "shaped"):
        rewards = paid(episode, name)
        assert rewards.total is None
        assert rewards.steps == []
        assert rewards.components == {"outcome": None}


def test_a_component_that_failed_makes_the_total_unknown(episode: Episode) -> None:
    store.components_compute([episode.pk])
    RewardComponents.objects.update(values={"syntax": None, "executed": 1.0}, steps={})
    profile_store(SHAPED, viewer=EVERYTHING)
    assert paid(episode, "shaped").total is None
    assert paid(episode).total == 1.0, "it does not count there"


def test_schedules_go_by_the_trainer_step_of_the_policy_version() -> None:
    run = factories.run(kind="train")
    run.policy_versions.create(version=3, trainer_step=900)
    phases = [{"trainer_step": 500, "factor": 0.0}]
    body: dict[str, Any] = {
        **SHAPED,
        "terms": [SHAPED["terms"][0], {**SHAPED["terms"][1], "schedule": phases}],
    }
    profile_store(body, viewer=EVERYTHING)
    totals = []
    for version in (3, 4, 600):
        episode = factories.episode(run=run, policy_version=version)
        acted(episode, 1)
        totals.append(paid(over(episode, "correct"), "shaped").total)
    assert totals == [1.0, pytest.approx(1.2), 1.0], "a version that nobody registered is its own step"


def test_history_is_filled_by_a_command(episode: Episode, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("compute_rewards")
    assert "1 episode with 2 steps" in capsys.readouterr().out
    call_command("compute_rewards")
    assert "0 episodes" in capsys.readouterr().out
    call_command("compute_rewards", "--all", "--run", str(episode.run_id))
    assert "1 episode" in capsys.readouterr().out
    assert RewardComponents.objects.count() == 2


def test_several_profiles_pay_what_each_pays_alone(episode: Episode) -> None:
    named = [profile_get("", viewer=EVERYTHING), profile_store(SHAPED, viewer=EVERYTHING)[0]]
    is_open = factories.episode()
    paid_by_all = compute_payments([episode.pk, is_open.pk], named=named)
    assert list(paid_by_all) == [episode.pk]
    assert [one.total for one in paid_by_all[episode.pk]] == [1.0, 1.2]
    alone = [rewards_of([episode.pk], named=one)[episode.pk] for one in named]
    assert [dict(one.terms) for one in paid_by_all[episode.pk]] == [one.terms for one in alone]
