from __future__ import annotations

from django.apps import AppConfig


class VerifiersConfig(AppConfig):
    name = "verifiers"

    def ready(self) -> None:
        from verifiers import registry

        registry.discover()
