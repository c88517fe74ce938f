from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings

SENDERS = ("manage", "lab", "worker", "sweeper")


class GymsiteConfig(AppConfig):
    name = "gymsite"
    label = "gymsite"

    def ready(self) -> None:
        """Where jobs are sent or done, this app is Celery's default one; the other doors start without it."""
        if settings.PROCESS in SENDERS:
            from gymsite import celery

            celery.app.set_default()
