"""Each queue's worker follows from its record."""

from __future__ import annotations

from typing import Any

import pytest

from core.work.queues import FACTS, QUEUES, SANDBOX, VERIFY, Queue
from gymsite.services.processes import PROCESSES


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: queue.id)
def test_every_queue_has_one_worker_process(queue: Queue) -> None:
    (process,) = (process for process in PROCESSES if process.queue == queue)
    assert process.name == queue.worker
    assert process.command[-1] == queue.id


def test_the_sandbox_worker_runs_as_many_jobs_as_the_setting_says(settings: Any) -> None:
    settings.SANDBOXES = 7
    assert SANDBOX.worker_options()["concurrency"] == 7
    assert SANDBOX.process_count() == 8
    assert VERIFY.process_count() == 1


def test_a_worker_without_its_own_limits_gets_none() -> None:
    assert not [option for option in VERIFY.worker_options() if "limit" in option]
    assert {"soft_time_limit": 280, "time_limit": 300}.items() <= FACTS.worker_options().items()
