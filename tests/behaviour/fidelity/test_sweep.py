from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.db.models.functions import Now

from core.work import redis_client
from tests import factories
from tests.behaviour.fidelity.factories import window
from tests.behaviour.fidelity.recordings import blob_of, element, episode_make, recording_make
from trajectories.behaviour.fidelity import jobs, sample
from trajectories.behaviour.fidelity import jobs as sweeping
from trajectories.models import Episode, Fidelity
from trajectories.record import heartbeats

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_storages")]


class Queue:
    """The queue of the media workers; ``length`` jobs wait in it."""

    def __init__(self) -> None:
        self.taken: list[sample.Place] = []
        self.length = 0
        self.has_drawer = True

    def send(self, place: sample.Place) -> bool:
        self.taken.append(place)
        return True

    def alive(self, names: list[str]) -> set[str]:
        return set(names) if self.has_drawer else set()


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    made = Queue()
    monkeypatch.setattr(sweeping, "queue_length", lambda _queue: made.length)
    monkeypatch.setattr(heartbeats, "alive_names", made.alive)
    monkeypatch.setattr(jobs, "step_send", made.send)
    return made


def ended(steps: int) -> Episode:
    episode = episode_make(steps=steps, screenshot=blob_of(window()))
    recording_make(episode, element("h1", "Find a room"))
    finished = Now() - timedelta(seconds=sample.SETTLE_S + 60)
    factories.end_move(episode, at=finished)
    return episode


def done(places: list[sample.Place]) -> None:
    for place in places:
        Fidelity.objects.filter(episode_id=place.episode_id, index=place.step).update(
            state="faithful", reason=""
        )


def test_steps_of_an_ended_episode_are_sent_a_few_at_a_time(queue: Queue) -> None:
    episode = ended(5)
    sweep = sweeping.FidelitySweep()
    assert sweep() == sweeping.UNDER_WAY
    assert sweep() == 0
    while len(queue.taken) < 5:
        done(queue.taken)
        assert sweep() > 0
    done(queue.taken)
    assert sweep() == 0
    assert sorted(queue.taken) == [(episode.pk, index) for index in range(1, 6)]


def test_no_step_is_sent_while_pictures_are_waiting(queue: Queue) -> None:
    ended(1)
    queue.length = 1
    assert sweeping.FidelitySweep()() == 0
    assert not Fidelity.objects.exists()


def test_no_step_is_sent_while_no_worker_can_draw(queue: Queue) -> None:
    ended(1)
    queue.has_drawer = False
    assert sweeping.FidelitySweep()() == 0
    queue.has_drawer = True
    assert sweeping.FidelitySweep()() == 1


def test_with_sampling_switched_off_only_requested_steps_are_sent(queue: Queue, settings: Any) -> None:
    settings.FIDELITY_STEPS_MAX = 0
    episode = ended(3)
    sweep = sweeping.FidelitySweep()
    assert sweep() == 0
    sample.step_wait_again(episode_id=episode.pk, index=2)
    assert sweep() == 1
    assert queue.taken == [(episode.pk, 2)]


def test_a_step_lost_in_the_queue_is_sent_again(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    ended(1)
    sweep = sweeping.FidelitySweep()
    assert sweep() == 1
    assert sweep() == 0
    monkeypatch.setattr(sweeping, "LOST_S", 0.0)
    assert sweep() == 1
    assert len(queue.taken) == 2


def test_an_episode_that_ends_later_is_sent_by_the_same_sweeper(queue: Queue) -> None:
    ended(1)
    sweep = sweeping.FidelitySweep()
    sweep()
    done(queue.taken)
    assert sweep() == 0
    later = ended(1)
    assert sweep() == 1
    assert queue.taken[-1].episode_id == later.pk


def test_without_redis_no_step_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    ended(1)

    pipeline = Mock(**{"execute.side_effect": redis_client.Unreachable[0]("down")})
    monkeypatch.setattr(redis_client, "client", lambda: Mock(**{"pipeline.return_value": pipeline}))
    assert sweeping.FidelitySweep()() == 0
