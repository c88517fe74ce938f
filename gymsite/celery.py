"""The Celery app. Postgres knows what is left to do: a message here is only a hint, and may be lost."""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport import redis, virtual


class AcknowledgingQoS(redis.QoS):
    """Counts a message as done even if Redis could not be told.

    Kombu would count it as under way for ever: a worker that takes one at a time then takes none, and as it
    never reads from the broken connection, it never opens another. Redis redelivers the message after an
    hour, and a job may run twice.
    """

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
redis.Channel.QoS = AcknowledgingQoS
app = Celery("palaestra")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(
    [
        "trajectories.annotation",
        "trajectories.rollouts.judging",
        "trajectories.record.capture",
        "trajectories.exports",
        "trajectories.behaviour.facts",
        "trajectories.rewards",
        "trajectories.judges",
        "trajectories.behaviour.fidelity",
        "trajectories.reports",
    ],
    related_name="jobs",
)
