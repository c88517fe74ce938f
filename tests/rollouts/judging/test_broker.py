"""What a worker does when the broker goes away in the middle of an acknowledgement."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import redis
from kombu import Connection, Queue

from gymsite.celery import app

NAME = "acknowledgements"


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_worker_that_takes_one_job_at_a_time_takes_the_next(monkeypatch: Any, is_answered: bool) -> None:
    def lost(*_args: Any, **_options: Any) -> None:
        raise redis.TimeoutError("the line is cut")

    with Connection(app.conf.broker_url) as connection, connection.channel() as channel:
        channel.basic_qos(0, 1, False)
        queue = Queue(NAME, channel=channel)
        queue.declare()
        channel.basic_publish(channel.prepare_message("{}"), "", NAME)
        message = queue.get()
        assert not channel.qos.can_consume()
        if not is_answered:
            monkeypatch.setattr(channel.qos, "_remove_from_indices", lost)
        message.ack_log_error(logging.getLogger(), connection.connection_errors)
        assert channel.qos.can_consume()
        monkeypatch.undo()
        queue.delete()
