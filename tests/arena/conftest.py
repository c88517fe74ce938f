from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from django.conf import settings

from core.episodes.tokens import token_make
from tests.conftest import ArenaClient
from trajectories.models import Episode


@pytest.fixture
def address() -> Callable[..., str]:
    """Return a function that gives the path of an episode's page."""

    def make(episode: Episode, page: str = "") -> str:
        return f"/e/{token_make(episode_id=episode.pk, key=settings.TOKEN_KEY)}/{page}"

    return make


@pytest.fixture
def submit(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    """Return a function that sends the form of an episode's page like a browser without JavaScript."""

    def send(episode: Episode, body: str, **extra: Any) -> Any:
        form = "application/x-www-form-urlencoded"
        return arena_client.generic("POST", address(episode, "submit"), body, content_type=form, **extra)

    return send


@pytest.fixture
def send_events(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., int]:
    """Return a function that posts a batch of events like the recorder, and returns the status."""

    def send(episode: Episode, batch: object, **extra: Any) -> int:
        body = batch if isinstance(batch, bytes) else msgspec.json.encode(batch)
        path = address(episode, "events")
        return arena_client.generic("POST", path, body, content_type="application/json", **extra).status_code

    return send


@pytest.fixture
def follow(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    """Return a function that sends a form to an episode's page and returns the page after all redirects."""

    def send(episode: Episode, page: str, /, **form: Any) -> Any:
        body = urlencode(form, doseq=True)
        kind = "application/x-www-form-urlencoded"
        return arena_client.post(address(episode, page), body, content_type=kind, follow=True)

    return send
