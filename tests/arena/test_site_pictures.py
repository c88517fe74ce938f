from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import get_args

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image

from gymsite.arena import pictures
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.keys import changes_seal, world_key
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.pictures import STYLES
from tasks_app.worlds.stays.pictures import LIGHTS, SUBJECTS, picture_read
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent

PLACES = [f"{subject}-{light}-1" for subject in SUBJECTS for light in LIGHTS]
GOODS = [
    f"{category}-{vocabulary.load_vocabulary(edition).catalogue.colours[style].lower()}-{style}"
    for edition in get_args(Edition)
    for category in vocabulary.load_vocabulary(edition).categories
    for style in range(1, STYLES + 1)
]
SAMPLE = ("hotel-evening-7", "bedroom-bunk-morning-2", "kettle-ivory-3", "suitcase-pearl-4")
IMAGE = re.compile(r"<img\b[^>]*>")
SOURCE = re.compile(r'src="(?:\.\./|\./)*pictures/([a-z0-9-]+)\.(\d+)\.webp"')
TEXT = "Look around."
Address = Callable[..., str]


def site_episode(site: str) -> Episode:
    key = world_key(salt=settings.WORLD_SALT, site=site, number=7)
    payload = {
        "site": site,
        "world": 7,
        "edition": "train",
        "first_day": "2027-03-01",
        "changes": changes_seal([], key=key, text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["Number"],
    }
    return factories.episode(
        task=factories.task(kind="site", payload=payload), virtual_start=datetime(2027, 3, 1, 9, tzinfo=UTC)
    )


def drawn(name: str, *, width: int = 320) -> Image.Image:
    drawing = pictures.find_drawing(name)
    assert drawing is not None
    return drawing(width)


def dots(name: str) -> str:
    return sha256(drawn(name).tobytes()).hexdigest()


def test_every_picture_name_can_be_drawn() -> None:
    for name in (*PLACES, *GOODS):
        picture = drawn(name, width=80)
        colours = picture.getcolors(maxcolors=80 * 60)
        assert picture.size == (80, 60), name
        assert colours is not None, name
        assert len(colours) > 40, name


def test_the_same_name_is_the_same_picture_in_another_process_with_another_hash_seed() -> None:
    script = (
        "import django; django.setup(); "
        "from hashlib import sha256; from gymsite.arena.pictures import find_drawing; "
        f"print(*(sha256(find_drawing(name)(320).tobytes()).hexdigest() for name in {SAMPLE!r}))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    printed = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert printed.stdout.split() == [dots(name) for name in SAMPLE], printed.stderr


def test_no_two_pictures_of_a_sample_are_alike() -> None:
    names = [*PLACES, *GOODS]
    assert len({drawn(name, width=80).tobytes() for name in names}) == len(names)


def test_a_house_looks_the_same_by_day_and_in_the_evening() -> None:
    """Only the colours change: its edges stay where they were, far more than another house's."""

    def edges(name: str) -> bytes:
        grey = drawn(name, width=160).convert("L").crop((40, 60, 120, 100))
        raw, width = grey.tobytes(), grey.width
        return bytes(abs(raw[at] - raw[at - 1]) > 24 for at in range(1, len(raw)) if at % width)

    def shared(one: str, other: str) -> int:
        return sum(a & b for a, b in zip(edges(one), edges(other), strict=True))

    assert shared("villa-day-3", "villa-evening-3") > 2 * shared("villa-day-3", "cottage-evening-4")


@pytest.mark.django_db
@pytest.mark.parametrize("width", pictures.WIDTHS)
def test_a_picture_is_served_under_an_episode_and_may_be_cached(
    arena_client: ArenaClient, address: Address, width: int
) -> None:
    response = arena_client.get(address(factories.episode(), f"pictures/hotel-day-1.{width}.webp"))
    assert response.status_code == 200
    assert response["Content-Type"] == "image/webp"
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    assert response["X-Content-Type-Options"] == "nosniff"
    picture = Image.open(io.BytesIO(response.content))
    assert (picture.format, picture.size) == ("WEBP", (width, width * 3 // 4))
    assert not set(picture.info) & {"exif", "xmp", "icc_profile"}


@pytest.mark.django_db
def test_every_episode_is_served_the_same_bytes(arena_client: ArenaClient, address: Address) -> None:
    page = "pictures/lake-evening-2.320.webp"
    one, other = (arena_client.get(address(factories.episode(), page)).content for _ in range(2))
    assert one == other


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        "hotel-day-1.webp", "hotel-day-1.801.webp", "hotel-day-41.320.webp",
        "hotel-day-1.320.png", "palace-day-1.320.webp", "..%2fhotel-day-1.320.webp", "hotel-day-1.320.webp/",
        "hotel-day-1.99999999999999999999.webp",
    ],
)  # fmt: skip
def test_other_picture_names_are_404(arena_client: ArenaClient, address: Address, name: str) -> None:
    assert arena_client.get(address(factories.episode(), f"pictures/{name}")).status_code == 404


@pytest.mark.django_db
def test_unknown_names_are_not_cached(arena_client: ArenaClient, address: Address) -> None:
    before = pictures.picture_bytes.cache_info().currsize
    episode = factories.episode()
    for number in range(50, 60):
        arena_client.get(address(episode, f"pictures/hotel-day-{number}.320.webp"))
    assert pictures.picture_bytes.cache_info().currsize == before


@pytest.mark.django_db
def test_a_picture_under_an_unknown_token_is_404(arena_client: ArenaClient) -> None:
    assert arena_client.get("/e/nonsense/pictures/hotel-day-1.320.webp").status_code == 404


@pytest.mark.django_db
def test_a_picture_allows_only_get_and_head(arena_client: ArenaClient, address: Address) -> None:
    page = address(factories.episode(), "pictures/hotel-day-1.320.webp")
    assert arena_client.head(page).status_code == 200
    assert arena_client.head(page).content == b""
    assert arena_client.post(page).status_code == 405


@pytest.mark.django_db
def test_a_picture_is_not_a_page_view_and_makes_no_query(arena_client: ArenaClient, address: Address) -> None:
    episode = factories.episode()
    page = address(episode, "pictures/hotel-day-1.320.webp")
    with CaptureQueriesContext(connection) as queries:
        arena_client.get(page)
    assert [one["sql"] for one in queries if "ROLE" not in one["sql"]] == []
    assert not SiteEvent.objects.filter(episode_id=episode.pk).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("site", "path", "least"),
    [("stays", "", 6), ("stays", "search", 12), ("stays", "trips", 5), ("reviews", "", 6)],
)
def test_every_card_of_a_page_has_an_existing_picture(
    arena_client: ArenaClient, address: Address, site: str, path: str, least: int
) -> None:
    page = arena_client.get(address(site_episode(site), path)).content.decode()
    shown = [SOURCE.search(image) for image in IMAGE.findall(page)]
    assert len(shown) >= least
    for match in shown:
        assert match is not None
        assert pictures.find_drawing(match[1]) is not None
        assert int(match[2]) in pictures.WIDTHS


@pytest.mark.django_db
@pytest.mark.parametrize("site", ["stays", "reviews"])
def test_pictures_have_dimensions_and_a_text_alternative(
    arena_client: ArenaClient, address: Address, site: str
) -> None:
    episode = site_episode(site)
    first = arena_client.get(address(episode)).content.decode()
    match = re.search(r'href="\./((?:stays|products)/[LP]-\d+)', first)
    assert match is not None
    images = IMAGE.findall(arena_client.get(address(episode, match[1])).content.decode())
    large = [image for image in images if ".800.webp" in image]
    assert len(large) >= 2
    assert all(re.search(r'width="\d+"\s+height="\d+"', image) for image in images)
    assert all(re.search(r'alt="\w[^"]{6,}"', image) for image in large)
    assert [image for image in large if "lazy" not in image] == large[:1]


def test_picture_names_reveal_nothing_of_a_world() -> None:
    """Each part of a name is a word of the code, or a small number."""
    for name in PLACES:
        picture = picture_read(name)
        assert picture is not None
        assert picture.subject in SUBJECTS
        assert picture.light in LIGHTS
        assert 1 <= picture.number <= SUBJECTS[picture.subject]
