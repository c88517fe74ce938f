from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from tests import factories
from tests.behaviour.fidelity.factories import episodes_due, window
from tests.behaviour.fidelity.recordings import blob_of, element, episode_make, recording_make
from trajectories.behaviour.fidelity import check, sample
from trajectories.models import Episode, EpisodeFidelity, Fidelity

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]


def recorded(*, steps: int = 1, **fields: Any) -> Episode:
    episode = episode_make(steps=steps, screenshot=blob_of(window()), **fields)
    recording_make(episode, element("h1", "Find a room"))
    return episode


def ended(episode: Episode, *, age_s: float) -> None:
    factories.end_move(episode, at=Now() - timedelta(seconds=age_s))


@pytest.mark.parametrize(
    ("count", "most", "expected"),
    [(3, 20, [1, 2, 3]), (5, 3, [1, 3, 5]), (100, 4, [1, 34, 67, 100]), (4, 1, [1]), (4, 0, []), (0, 5, [])],
)
def test_steps_are_spread_from_first_to_last(count: int, most: int, expected: list[int]) -> None:
    assert sample.spread(range(1, count + 1), most=most) == expected


def test_many_steps_are_spread_without_repeats() -> None:
    chosen = sample.spread(range(1, 10_001), most=20)
    assert len(set(chosen)) == 20
    assert (chosen[0], chosen[-1]) == (1, 10_000)


def test_only_steps_with_a_screenshot_are_chosen(settings: Any) -> None:
    settings.FIDELITY_STEPS_MAX = 3
    episode = recorded(steps=5)
    factories.step(episode, 6)
    assert sample.episode_choose(episode.pk) == [1, 3, 5]
    waiting = Fidelity.objects.values_list("index", "state", "reason")
    assert set(waiting) == {(index, "not_checked", "waiting") for index in (1, 3, 5)}


def test_an_episode_without_a_recording_is_dismissed_once_and_for_all() -> None:
    episode = episode_make(screenshot=blob_of(window()))
    ended(episode, age_s=sample.SETTLE_S + 60)
    assert sample.episode_choose(episode.pk) == []
    assert EpisodeFidelity.objects.get().steps == 0
    assert episodes_due() == []


def test_choosing_twice_changes_nothing() -> None:
    episode = recorded(steps=2)
    ended(episode, age_s=sample.SETTLE_S + 60)
    sample.episode_choose(episode.pk)
    Fidelity.objects.filter(index=1).update(state="faithful", reason="")
    sample.episode_choose(episode.pk)
    assert list(Fidelity.objects.order_by("index").values_list("state", "reason")) == [
        ("faithful", ""),
        ("not_checked", "waiting"),
    ]


def test_a_check_made_before_the_recording_was_complete_is_repeated() -> None:
    episode = recorded(steps=2)
    ended(episode, age_s=sample.SETTLE_S + 60)
    sample.steps_wait(episode_id=episode.pk, indexes=[1, 2])
    Fidelity.objects.update(state="not_checked", reason="no_replay", tries=1)
    early = Now() - timedelta(seconds=45)
    Fidelity.objects.filter(index=1).update(checked_at=early - timedelta(seconds=sample.SETTLE_S))
    assert sample.episode_choose(episode.pk) == [1, 2]
    assert list(Fidelity.objects.order_by("index").values_list("reason", "tries")) == [
        ("waiting", 0),
        ("no_replay", 1),
    ]


@pytest.mark.parametrize("age_s", [None, sample.SETTLE_S - 20])
def test_no_step_is_sent_before_the_recording_is_complete(age_s: float | None) -> None:
    episode = recorded()
    sample.step_wait_again(episode_id=episode.pk, index=1)
    Episode.objects.filter(pk=episode.pk).update(finished_at=None)
    if age_s is not None:
        ended(episode, age_s=age_s)
    assert sample.steps_waiting(limit=5) == []
    ended(episode, age_s=sample.SETTLE_S + 60)
    assert sample.steps_waiting(limit=5) == [(episode.pk, 1)]


def test_steps_requested_by_people_come_before_sampled_ones() -> None:
    old, young = recorded(steps=3), recorded(steps=2)
    for episode in (old, young):
        ended(episode, age_s=sample.SETTLE_S + 60)
        sample.episode_choose(episode.pk)
    sample.step_wait_again(episode_id=old.pk, index=2)
    waiting = sample.steps_waiting(limit=3)
    assert waiting == [(old.pk, 2), (young.pk, 1), (young.pk, 2)]


def test_a_new_version_checks_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    episode = recorded(steps=2)
    ended(episode, age_s=sample.SETTLE_S + 60)
    sample.episode_choose(episode.pk)
    Fidelity.objects.update(state="faithful", reason="")
    assert episodes_due() == []

    monkeypatch.setattr(sample, "VERSION", check.VERSION + 1)

    (due,) = episodes_due()
    assert sample.episode_choose(due) == [1, 2]
    assert set(Fidelity.objects.values_list("reason", "version")) == {("waiting", check.VERSION + 1)}


def test_an_episode_is_due_some_time_after_its_end() -> None:
    young, old, plain = recorded(), recorded(), recorded()
    ended(young, age_s=sample.SETTLE_S - 20)
    ended(old, age_s=sample.SETTLE_S + 60)
    ended(plain, age_s=sample.SETTLE_S + 60)
    Episode.objects.filter(pk=plain.pk).update(recording="events")
    recorded_open = factories.episode(recording="full")
    assert recorded_open.finished_at is None
    assert episodes_due() == [old.pk]


def test_a_step_under_way_is_not_given_out_again_until_its_time_is_up() -> None:
    episode = recorded(steps=2)
    ended(episode, age_s=sample.SETTLE_S + 60)
    sample.episode_choose(episode.pk)
    Fidelity.objects.filter(index=1).update(tries=1, checked_at=Now())
    assert [place.step for place in sample.steps_waiting(limit=5)] == [2]
    late = Now() - timedelta(seconds=2 * sample.UNDER_WAY_S)
    Fidelity.objects.filter(index=1).update(checked_at=late)
    assert [place.step for place in sample.steps_waiting(limit=5)] == [2, 1]


def test_a_step_can_be_checked_again() -> None:
    episode = recorded()
    sample.step_wait_again(episode_id=episode.pk, index=1)
    Fidelity.objects.update(state="failed", reason="crashed", tries=3)
    sample.step_wait_again(episode_id=episode.pk, index=1)
    fidelity = Fidelity.objects.get()
    assert (fidelity.state, fidelity.reason, fidelity.tries) == ("not_checked", "waiting", 0)


def test_requesting_a_waiting_step_again_keeps_its_tries() -> None:
    episode = recorded()
    sample.step_wait_again(episode_id=episode.pk, index=1)
    Fidelity.objects.update(tries=1)
    sample.step_wait_again(episode_id=episode.pk, index=1)
    assert Fidelity.objects.get().tries == 1
