from __future__ import annotations

from django.apps import AppConfig


class GymsiteConfig(AppConfig):
    name = "gymsite"
    label = "gymsite"
