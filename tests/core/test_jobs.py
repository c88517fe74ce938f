"""A broker that does not answer costs one wait, not one for each job."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from celery.app.task import Context
from kombu.exceptions import OperationalError

from core.telemetry import request_ids
from core.work import jobs, queues
from gymsite.services import worker


class Broker:
    """Counts the calls; ``is_up`` says whether it answers."""

    name = "tested"

    def __init__(self) -> None:
        self.calls, self.is_up = 0, False
        self.headers: dict[str, str] = {}

    def apply_async(self, *, headers: dict[str, str], **_options: Any) -> None:
        self.calls += 1
        self.headers = headers
        if not self.is_up:
            raise OperationalError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr(jobs, "BREAK_S", 5.0)
    monkeypatch.setattr(jobs._Breaker, "closes_at", 0.0)
    return now


def test_after_a_failure_the_broker_is_left_alone_for_a_while(clock: list[float]) -> None:
    broker: Any = Broker()
    assert [jobs.job_send(broker, queues.VERIFY, episode_id=n) for n in range(50)] == [False] * 50
    assert broker.calls == 1
    broker.is_up = True
    clock[0] += 4.9
    assert not jobs.job_send(broker, queues.VERIFY, episode_id=1)
    clock[0] += 0.2
    assert jobs.job_send(broker, queues.VERIFY, episode_id=1)
    assert jobs.job_send(broker, queues.VERIFY, episode_id=2)


def test_a_job_carries_the_id_of_what_caused_it(clock: list[float]) -> None:
    broker: Any = Broker()
    broker.is_up = True
    with request_ids.bind("trainer-7"):
        jobs.job_send(broker, queues.VERIFY, episode_id=1)
    assert broker.headers == {"request_id": "trainer-7"}


def test_the_lines_of_a_job_have_the_id_that_it_carries() -> None:
    """What a worker gets is the headers of the message, as attributes of the request."""

    def identity(**headers: str) -> str:
        task: Any = SimpleNamespace(name="tested", request=Context(headers))
        worker._job_begin(task)
        return request_ids.current.get()

    with request_ids.bind("outside"):
        assert identity(request_id="trainer-7") == "trainer-7"
        assert re.fullmatch(r"[0-9a-f]{16}", identity())
