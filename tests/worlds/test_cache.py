"""What a process keeps of worlds, and what it forgets."""

from __future__ import annotations

import gc
import sys
import weakref
from datetime import date
from typing import Any

import pytest

from gymsite.arena.sites.reviews import _page
from gymsite.arena.sites.stays import _results
from tasks_app.worlds import cache
from tasks_app.worlds.registry import worlds
from tasks_app.worlds.reviews import world as shops
from tasks_app.worlds.stays import pictures, reviews, text
from tasks_app.worlds.stays.types import Stay, World
from tasks_app.worlds.stays.world import world

FIRST_DAY = date(2027, 3, 1)


def world_make(number: int) -> World:
    """A world that nothing else keeps."""
    return world.__wrapped__(b"key %d" % number, edition="train", first_day=FIRST_DAY)


def test_values_of_a_world_are_computed_once_and_freed_with_it() -> None:
    computed: list[int] = []

    @cache.cached_by_world(most=9)
    def counted(of: World, number: int) -> list[int]:
        computed.append(number)
        return [number]

    first, second = world_make(1), world_make(2)
    assert counted(first, 7) is counted(first, 7)
    assert counted(second, 7) is not counted(first, 7)
    assert computed == [7, 7]
    gone, numbers = weakref.ref(first), counted(first, 7)
    del first
    gc.collect()
    assert gone() is None
    assert numbers == [7]


def test_only_the_last_few_values_of_a_world_are_cached() -> None:
    computed: list[int] = []

    @cache.cached_by_world(most=2)
    def counted(of: World, number: int) -> int:
        computed.append(number)
        return number

    one = world_make(1)
    for number in (1, 2, 3, 3, 2, 1):
        assert counted(one, number) == number
    assert computed == [1, 2, 3, 1]


@pytest.mark.parametrize("site", ["stays", "reviews"])
def test_a_cached_world_is_the_same_object(site: str) -> None:
    open_world = worlds.get(site).open_world
    arguments: dict[str, Any] = {"key": b"k", "edition": "train", "first_day": FIRST_DAY}
    bare = open_world(**arguments)
    assert open_world(**arguments, changes=[]) is bare
    change = {
        "stays": lambda: {"change": "room_loses", "room": _room(bare)[0], "amenity": _room(bare)[1]},
        "reviews": lambda: {"review": "V0000000", "fact": "is_verified", "value": False},
    }[site]()
    changed = open_world(**arguments, changes=[change])
    assert changed is not bare
    assert open_world(**arguments, changes=(dict(reversed(change.items())),)) is changed


def _room(of: World) -> tuple[str, str]:
    room = next(room for listing in of.listings for room in listing.rooms if room.amenities)
    return room.id, room.amenities[0]


def test_pages_of_the_booking_site_do_not_keep_its_world_alive() -> None:
    one = world_make(3)
    house = one.listings[0]
    stay = Stay(check_in=date(2027, 5, 1), check_out=date(2027, 5, 4), guests=2)
    reviews.reviews(one, house)
    text.description(one, house)
    pictures.front(one, house)
    pictures.gallery(one, house)
    _results._free(one, (), stay)
    gone = weakref.ref(one)
    del one, house
    gc.collect()
    assert gone() is None


def test_pages_of_the_shop_do_not_keep_its_world_alive() -> None:
    one = shops.world.__wrapped__(b"key 4", edition="train", first_day=FIRST_DAY)
    held = sys.getrefcount(one)
    for product in one.products:
        _page.product_card(one, product)
    assert sys.getrefcount(one) == held


def test_the_cache_holds_as_much_as_fits_into_its_share() -> None:
    assert cache.cache_size(megabytes=100, kib=350) == 292
