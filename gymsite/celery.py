"""The Celery app. Postgres records what is left to do, so messages are only hints and may be lost."""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport import redis, virtual


class AcknowledgingQoS(redis.QoS):
    """Kombu's message accounting, changed to count a message as done even if Redis was out of reach.

    Kombu would count the message as unfinished forever. A worker that takes one message at a time would then
    take none, and since it never reads from the broken connection, it would never open another. Redis
    redelivers the message after an hour, so a job may run twice.
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
