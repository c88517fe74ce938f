from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings

SENDERS = ("manage", "worker", "sweeper", "housekeeper")


class GymsiteConfig(AppConfig):
    name = "gymsite"
    label = "gymsite"

    def ready(self) -> None:
        """Register question kinds and sites, and set Celery's default app where jobs are sent or run."""
        from core.episodes import drawings
        from gymsite.arena import questions, sites
        from gymsite.arena.sites.site import sites as site_registry
        from tasks_app.questions import questions as registry

        registry.discover(questions)
        site_registry.discover(sites)
        drawings.source_set(_draw)
        if settings.PROCESS in SENDERS:
            from gymsite import celery

            celery.app.set_default()


def _draw(name: str, width: int) -> bytes:
    from gymsite.arena import pictures

    if width not in pictures.WIDTHS:
        raise KeyError(name)
    return pictures.picture_bytes(name, width)
