from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings


class TasksConfig(AppConfig):
    name = "tasks_app"

    def ready(self) -> None:
        from tasks_app.worlds import registry as worlds

        worlds.discover()
        if settings.IS_ARENA:
            return  # Benchmarks create golds, which the arena must never hold.
        from tasks_app import benchmarks, registry
        from tasks_app.families import registry as families

        families.discover()
        registry.benchmarks.discover(benchmarks)
        families.discover()
