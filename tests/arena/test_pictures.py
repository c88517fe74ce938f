from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.storage.blobs import blob_store
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent

pytestmark = pytest.mark.django_db
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64


@pytest.fixture
def pictured(settings: Any, tmp_path: Any) -> Episode:
    sha256 = blob_store(PNG).sha256
    shown = {"name": "figure-1", "sha256": sha256, "content_type": "image/png", "width": 3, "height": 2}
    payload = {"text": "How many bars?", "format": "plain", "pictures": [shown]}
    return factories.episode(task=factories.task(payload=payload))


def test_an_episode_has_the_pictures_of_its_task(
    arena_client: ArenaClient, address: Callable[..., str], pictured: Episode
) -> None:
    response = arena_client.get(address(pictured, "pictures/figure-1"))
    assert response.status_code == 200
    assert response.getvalue() == PNG
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["figure-2", "figure-1.png", "..%2ffigure-1", "ab" * 32])
def test_nothing_else_is_served(
    arena_client: ArenaClient, address: Callable[..., str], pictured: Episode, name: str
) -> None:
    assert arena_client.get(address(pictured, f"pictures/{name}")).status_code == 404


def test_another_episode_has_none_of_them(
    arena_client: ArenaClient, address: Callable[..., str], pictured: Episode
) -> None:
    assert arena_client.get(address(factories.episode(), "pictures/figure-1")).status_code == 404


def test_a_picture_does_not_count_as_a_page_view(
    arena_client: ArenaClient, address: Callable[..., str], pictured: Episode
) -> None:
    arena_client.get(address(pictured, "pictures/figure-1")).getvalue()
    assert not SiteEvent.objects.filter(episode_id=pictured.pk).exists()
