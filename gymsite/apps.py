from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings

SENDERS = ("manage", "lab", "worker", "sweeper")


class GymsiteConfig(AppConfig):
    name = "gymsite"
    label = "gymsite"

    def ready(self) -> None:
        """Question kinds for every process, and Celery's default app where jobs are sent or done."""
        from gymsite.arena import questions
        from tasks_app.questions import questions as registry

        registry.discover(questions)
        if settings.PROCESS in SENDERS:
            from gymsite import celery

            celery.app.set_default()
