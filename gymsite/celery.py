"""The Celery app. Postgres knows what is left to do: a message here is only a hint, and may be lost."""

from __future__ import annotations

import os

from celery import Celery

from gymsite.broker import transport_mend

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")

transport_mend()
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
