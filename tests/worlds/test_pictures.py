from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import pictures as goods
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.world import world as shop_draw
from tasks_app.worlds.stays import pictures as places
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.vocabulary import NAMES, amenities
from tasks_app.worlds.stays.world import world as town_draw

FIRST_DAY = date(2027, 3, 1)
EDITIONS: tuple[Edition, ...] = ("train", "test")


def _town(key: bytes = b"a", *, edition: Edition = "train") -> World:
    return town_draw(key, edition=edition, first_day=FIRST_DAY)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_listing_has_four_to_eight_different_pictures_with_words(edition: Edition) -> None:
    town = _town(edition=edition)
    for listing in town.listings:
        hung = places.gallery(town, listing)
        assert 4 <= len(hung) <= 8
        assert len({one.picture for one in hung}) == len(hung)
        assert hung[0].picture == places.front(town, listing)
        assert all(one.caption and "{" not in one.caption for one in hung)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_product_has_one_to_three_pictures_in_colours_that_it_is_sold_in(edition: Edition) -> None:
    for seed in range(20):
        shop = shop_draw(bytes([seed]), edition=edition, first_day=FIRST_DAY)
        for product in shop.products:
            shown = goods.pictures(shop, product)
            assert 1 <= len(shown) <= goods.MOST_PICTURES
            assert [one.colour for one in shown] == list(product.colours[: len(shown)])
            assert {one.category for one in shown} == {product.category}


def test_no_two_rivals_look_the_same() -> None:
    for seed in range(20):
        shop = shop_draw(bytes([seed]), edition="train", first_day=FIRST_DAY)
        assert len({goods.pictures(shop, product)[0].style for product in shop.rivals}) == len(shop.rivals)


def test_picture_names_round_trip_and_are_few() -> None:
    subjects = [
        places.Picture(subject, light, number)
        for subject, count in places.SUBJECTS.items()
        for light in places.LIGHTS
        for number in range(1, count + 1)
    ]
    assert all(places.picture_read(one.name) == one for one in subjects)
    colours = [
        goods.Picture(category, colour, style)
        for edition in EDITIONS
        for category in vocabulary.load_vocabulary(edition).categories
        for colour in vocabulary.load_vocabulary(edition).catalogue.colours
        for style in range(1, goods.STYLES + 1)
    ]
    assert all(goods.picture_read(one.name) == one for one in colours)
    assert 500 < len(subjects) + len(colours) < 3_000


@pytest.mark.parametrize(
    "name",
    [
        "", "hotel", "hotel-day", "hotel-day-0", "hotel-day-01", "hotel-day-41", "lake-day-13",
        "hotel-noon-1", "hotel-day-1-1", "HOTEL-day-1", "hotel-day-1 ", "hotel-day-1\n", "hotel-day-٣",
        "palace-day-1",
    ],
)  # fmt: skip
def test_other_names_are_not_pictures_of_places(name: str) -> None:
    assert places.picture_read(name) is None


@pytest.mark.parametrize(
    "name", ["", "kettle", "kettle-olive", "kettle-olive-0", "kettle-olive-6", "kettle-mint-1", "pot-olive-1"]
)
def test_other_names_are_not_pictures_of_goods(name: str) -> None:
    """Nor is a thing in a colour of the other edition."""
    assert goods.picture_read(name) is None


def test_a_gallery_depends_on_its_world_and_not_on_the_day() -> None:
    def galleries(town: World) -> list[tuple[places.Hung, ...]]:
        return [places.gallery(town, listing) for listing in town.listings[:30]]

    later = town_draw(b"a", edition="train", first_day=date(2033, 7, 9))
    assert galleries(_town()) == galleries(later)
    assert galleries(_town()) != galleries(_town(b"b"))


def test_pictures_do_not_follow_from_what_a_house_offers() -> None:
    """The pictures stay as they are when all amenities are gone; no caption names one."""
    town = _town()
    bare = replace(
        town,
        listings=tuple(
            replace(one, amenities=(), rooms=tuple(replace(room, amenities=()) for room in one.rooms))
            for one in town.listings
        ),
    )
    for with_all, without in zip(town.listings, bare.listings, strict=True):
        assert places.gallery(town, with_all) == places.gallery(bare, without)
    offered = {one.name.lower() for edition in EDITIONS for one in amenities(edition)}
    captions = [caption for several in places.WORDS.captions.values() for caption in several]
    text = " ".join([*captions, *places.WORDS.subjects.values()]).lower()
    assert not [name for name in offered if re.search(rf"\b{re.escape(name)}\b", text)]


def test_nearby_pictures_belong_to_existing_neighbourhoods() -> None:
    known = {name for edition in EDITIONS for name in NAMES[edition].neighbourhoods}
    assert set(places.NEARBY) <= known
    inside = {*places.INSIDE, *(one for one in places.SUBJECTS if one.startswith("bedroom"))}
    outside = set(places.SUBJECTS) - set(places.WORDS.houses.values()) - inside
    assert set(places.NEARBY.values()) | {"street", "roofs"} == outside


def test_a_product_looks_the_same_on_every_day() -> None:
    shops = [shop_draw(b"a", edition="train", first_day=day) for day in (FIRST_DAY, date(2033, 7, 9))]
    shown = [[goods.pictures(shop, product) for product in shop.products] for shop in shops]
    assert shown[0] == shown[1]
