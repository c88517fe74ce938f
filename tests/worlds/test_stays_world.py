from __future__ import annotations

import itertools
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta

import pytest

from tasks_app.worlds.digest import digest
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.stays import text
from tasks_app.worlds.stays.calendar import first_free, is_free, night_price, night_prices, taken
from tasks_app.worlds.stays.changes import nights_freed, world_change
from tasks_app.worlds.stays.quotes import costs, percent, quote
from tasks_app.worlds.stays.reviews import reviews
from tasks_app.worlds.stays.types import NIGHTS, Review, Stay, World
from tasks_app.worlds.stays.world import world

pytestmark = pytest.mark.slow

FIRST_DAY = date(2027, 3, 1)
GOLDEN = "32b2b56c4395cd86cd1bfa2754f41831d7c9cc6b3aa3d9b8ab9d27ddc1e2629a"
MOST_SAME_SENTENCES = 0.2
MOST_OVERLAP = 0.02
SHINGLE = 4


def _world(key: bytes = b"a", *, edition: Edition = "train", first_day: date = FIRST_DAY) -> World:
    return world(key, edition=edition, first_day=first_day)


def _everything(drawn: World) -> str:
    """The digest of a world and of what is drawn from it on asking."""
    texts = [(text.description(drawn, one), reviews(drawn, one)) for one in drawn.listings[:20]]
    return digest((drawn, texts))


def test_the_same_key_always_draws_the_same_bytes() -> None:
    assert _everything(_world()) == GOLDEN


def test_another_process_with_another_hash_seed_draws_the_same_bytes() -> None:
    script = "from tests.worlds.test_stays_world import _everything, _world; print(_everything(_world()))"
    environment = {"PYTHONHASHSEED": "4711", "PYTHONPATH": ".", "PATH": ""}
    printed = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert printed.stdout.strip() == GOLDEN, printed.stderr


def test_another_key_or_edition_draws_another_world() -> None:
    digests = {digest(_world()), digest(_world(b"b")), digest(_world(edition="test"))}
    assert len(digests) == 3


def test_no_two_ids_of_a_world_differ_only_by_case() -> None:
    drawn = _world()
    numbers = [one.id for listing in drawn.listings for one in (listing, *listing.rooms)]
    assert len({number.casefold() for number in numbers}) == len(numbers)


def test_the_editions_share_no_name_of_a_town_listing_or_place() -> None:
    def names(edition: Edition) -> set[str]:
        drawn = [_world(key, edition=edition) for key in (b"a", b"b", b"c")]
        places = {place for one in drawn for place in one.town.neighbourhoods}
        return places | {listing.name for one in drawn for listing in one.listings}

    assert not names("train") & names("test")


@pytest.mark.parametrize("key", [b"a", b"b", b"c"])
def test_a_world_is_as_large_as_it_should_be(key: bytes) -> None:
    drawn = _world(key)
    rooms = [room for listing in drawn.listings for room in listing.rooms]
    assert 120 <= len(drawn.listings) <= 180
    assert 8 <= len(drawn.town.neighbourhoods) <= 12
    assert len(drawn.amenities) == 40
    assert all(1 <= len(listing.rooms) <= 4 for listing in drawn.listings)
    assert all(5 <= listing.review_count <= 60 for listing in drawn.listings)
    assert len({listing.id for listing in drawn.listings}) == len(drawn.listings)
    assert len({listing.name for listing in drawn.listings}) == len(drawn.listings)
    assert len({room.id for room in rooms}) == len(rooms)
    assert all(len({room.name for room in one.rooms}) == len(one.rooms) for one in drawn.listings)


def test_numbers_carry_no_meaning() -> None:
    numbers = [int(listing.id[2:]) for listing in _world().listings]
    assert numbers != sorted(numbers)
    prices = [listing.rooms[0].base_cents for listing in _world().listings]
    ranks = sorted(range(len(prices)), key=lambda place: numbers[place])
    rising = sum(prices[one] < prices[two] for one, two in itertools.pairwise(ranks))
    assert 0.3 < rising / len(prices) < 0.7


def test_most_houses_have_a_room_that_lacks_one_of_their_amenities() -> None:
    drawn = _world()
    both = {amenity.id for amenity in drawn.amenities if amenity.scope == "both"}
    tempting = [
        any(set(listing.amenities) & both - set(room.amenities) for room in listing.rooms)
        for listing in drawn.listings
    ]
    assert sum(tempting) > 0.9 * len(tempting)


def test_stretches_just_too_short_stand_before_the_first_two_weeks() -> None:
    drawn = _world()
    rooms = [room for listing in drawn.listings for room in listing.rooms]
    answers = [first_free(room, nights=14) for room in rooms]
    near = [
        answer is not None and (short := first_free(room, nights=11)) is not None and short < answer
        for room, answer in zip(rooms, answers, strict=True)
    ]
    assert sum(near) > 0.5 * len(near)


@pytest.mark.parametrize(
    "first_day", [date(2028, 2, 29), date(2027, 3, 28), date(2026, 12, 31), date(2036, 7, 1)]
)
def test_a_world_can_be_drawn_for_any_date(first_day: date) -> None:
    drawn = _world(first_day=first_day)
    facts = [
        (listing.id, listing.amenities, [room.taken for room in listing.rooms]) for listing in drawn.listings
    ]
    other = [(one.id, one.amenities, [room.taken for room in one.rooms]) for one in _world().listings]
    assert [fact[:2] for fact in facts] == [fact[:2] for fact in other]
    assert all(trip.check_in > first_day for trip in drawn.trips if trip.status == "booked")


def test_the_traveller_can_stay_where_a_trip_is_booked() -> None:
    for key in (b"a", b"b", b"c", b"d"):
        drawn = _world(key)
        rooms = {room.id: room for listing in drawn.listings for room in listing.rooms}
        upcoming = [trip for trip in drawn.trips if trip.status == "booked"]
        assert len(upcoming) == 5
        assert all(is_free(drawn, rooms[trip.room], trip.check_in, trip.check_out) for trip in upcoming)
        assert all(one.check_out <= two.check_in for one, two in itertools.pairwise(drawn.trips))
        assert len({trip.listing for trip in upcoming}) == 4


def test_a_quote_adds_up_to_what_its_rules_say() -> None:
    drawn = _world()
    for listing in drawn.listings[:40]:
        room = listing.rooms[0]
        stay = Stay(check_in=date(2027, 7, 1), check_out=date(2027, 7, 9), guests=room.sleeps)
        lines = {line.label: line.cents for line in quote(drawn, listing, room, stay).lines}
        rooms_cents = lines["8 nights"] + lines.get("Extra guests", 0) + lines.get("Long-stay discount", 0)
        assert lines.get("Service fee", 0) == percent(rooms_cents, listing.fees.service_percent)
        assert lines.get("Cleaning fee", 0) == listing.fees.cleaning_cents
        assert lines["City tax"] > 0
        assert ("Long-stay discount" in lines) == (0 < listing.fees.long_stay_nights <= 8)


def test_prices_of_consecutive_nights_equal_the_price_of_each() -> None:
    drawn = _world()
    firsts = (FIRST_DAY - timedelta(days=9), date(2027, 12, 25)) * 5
    for listing, first in zip(drawn.listings[:10], firsts, strict=True):
        days = [first + timedelta(days=night) for night in range(14)]
        prices = night_prices(drawn, listing, listing.rooms[0], first, nights=14)
        assert prices == [night_price(drawn, listing, listing.rooms[0], day) for day in days]
        assert len(set(prices)) > 3


def test_the_costs_of_a_stay_match_the_lines_of_its_quote() -> None:
    drawn = _world()
    for listing in drawn.listings:
        room = listing.rooms[0]
        stay = Stay(check_in=date(2027, 7, 1), check_out=date(2027, 7, 8), guests=room.sleeps)
        quoted, summed = quote(drawn, listing, room, stay), costs(drawn, listing, room, stay)
        assert (sum(summed), summed.nights) == (quoted.total, sum(quoted.nights))
        assert [line.cents for line in quoted.lines] == [cents for cents in summed if cents]


def test_only_the_given_nights_of_several_rooms_are_freed() -> None:
    drawn = _world()
    rooms = [room for listing in drawn.listings[3:5] for room in listing.rooms]
    freed = {room.id: 0b1111 << place for place, room in enumerate(rooms)}
    after = nights_freed(drawn, freed)
    assert len(rooms) > 1
    for one, two in zip(drawn.listings, after.listings, strict=True):
        for room, other in zip(one.rooms, two.rooms, strict=True):
            assert taken(other) == taken(room) & ~freed.get(room.id, 0)
            assert replace(other, taken=room.taken) == room


def test_nights_beyond_the_calendar_are_not_taken() -> None:
    assert all(taken(room) >> NIGHTS == 0 for listing in _world().listings for room in listing.rooms)


def test_a_change_alters_one_fact_and_leaves_the_world_it_came_from() -> None:
    drawn = _world()
    listing = drawn.listings[7]
    room = listing.rooms[0]
    before = digest(drawn)
    changed = world_change(drawn, [{"change": "room_loses", "room": room.id, "amenity": room.amenities[0]}])
    assert digest(drawn) == before
    differing = [one for one, two in zip(changed.listings, drawn.listings, strict=True) if one != two]
    assert [one.id for one in differing] == [listing.id]
    assert differing[0] == replace(
        listing, rooms=(replace(room, amenities=room.amenities[1:]), *listing.rooms[1:])
    )
    assert world_change(drawn, []) is drawn


def _some_reviews(edition: Edition) -> list[Review]:
    drawn = _world(b"words", edition=edition)
    return [review for listing in drawn.listings for review in reviews(drawn, listing)][:200]


@pytest.mark.parametrize("edition", ["train", "test"])
def test_two_hundred_reviews_do_not_read_alike(edition: Edition) -> None:
    written = _some_reviews(edition)
    sentences = [sentence for review in written for sentence in review.body]
    assert 1 - len(set(sentences)) / len(sentences) < MOST_SAME_SENTENCES
    overlaps = [
        len(one & two) / max(len(one | two), 1)
        for one, two in itertools.combinations([_shingles(review) for review in written], 2)
    ]
    assert sum(overlaps) / len(overlaps) < MOST_OVERLAP


def _shingles(review: Review) -> set[tuple[str, ...]]:
    words = " ".join(review.body).lower().split()
    return {tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}


def test_every_slot_of_a_sentence_is_filled() -> None:
    drawn = _world(edition="test")
    for listing in drawn.listings:
        sentences = [*text.description(drawn, listing), *text.policy_text(listing.policy)]
        assert not any("{" in one or "}" in one for one in sentences)
        assert 2 <= len(text.description(drawn, listing)) <= 4


def test_scores_follow_the_rating() -> None:
    drawn = _world()
    ranked = sorted(drawn.listings, key=lambda listing: listing.rating)

    def mean(listings: list) -> float:
        scores = [review.score for listing in listings for review in reviews(drawn, listing)]
        return sum(scores) / len(scores)

    assert mean(ranked[:30]) + 1 < mean(ranked[-30:])
