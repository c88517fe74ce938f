"""A broker that does not answer costs one wait, not one for each job."""

from __future__ import annotations

from typing import Any

import pytest
from kombu.exceptions import OperationalError

from core import jobs, queues


class Broker:
    """Counts the calls; ``is_up`` says whether it answers."""

    name = "tested"

    def __init__(self) -> None:
        self.calls, self.is_up = 0, False

    def apply_async(self, **_options: Any) -> None:
        self.calls += 1
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
