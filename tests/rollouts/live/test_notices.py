from __future__ import annotations

from typing import Any

import pytest
import redis

from core.work import redis_client
from tests import factories
from tests.conftest import ApiClient
from trajectories.rollouts.live import events

pytestmark = pytest.mark.django_db


def test_a_call_that_opens_many_episodes_announces_once(
    trainer: ApiClient, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    published = []
    monkeypatch.setattr(redis_client.client(), "publish", lambda *arguments: published.append(arguments))
    monkeypatch.setattr(events._Pause, "until", 0.0)
    run, tasks = factories.run().pk, [factories.task().pk for _ in range(3)]
    body = {"run": run, "tasks": tasks, "samples_per_task": 20}
    with django_capture_on_commit_callbacks(execute=True):
        status, _ = trainer.json("POST", "/episodes", body)
    assert status == 201
    assert published == [(events.OPENING_CHANNEL, events.opening_encode(run_id=run))]


def test_an_unresponsive_redis_delays_only_one_opening(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    channels = []

    class Silent:
        def publish(self, channel: str, message: bytes) -> None:
            channels.append(channel)
            raise redis.TimeoutError

    monkeypatch.setattr(redis_client, "client", Silent)
    monkeypatch.setattr(events._Pause, "until", 0.0)
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            events.episodes_opened(run_id=1)
    assert channels == ["gym:openings"]
