"""ASGI application of the live server: long polls and WebSockets. Everything else is served by WSGI."""

from __future__ import annotations

import os

os.environ.setdefault("GYM_PROCESS", "live")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")

import django

django.setup(set_prefix=False)

from trajectories.rollouts.live.application import LiveApplication  # noqa: E402 (needs the models)

application = LiveApplication()
