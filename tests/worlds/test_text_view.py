from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

from tasks_app.worlds import text_view
from tasks_app.worlds.formats import day_text
from tasks_app.worlds.stays.nights import RoomNights
from tasks_app.worlds.stays.scopes import spans_in
from tests.worlds import text_reader

pytestmark = pytest.mark.slow

SITES = ("reviews", "stays")
READING = [(site, family) for site, families in text_reader.READING.items() for family in families]


@pytest.mark.parametrize("site", SITES)
def test_the_reading_families_are_those_without_a_goal(site: str) -> None:
    known = {one.task.family for one in text_reader.tasks(site) if one.task.goal is None}
    assert known == {*text_reader.READING[site]}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Read the small print.", 5),
        ("unbelievable", 2),
        ("12: 102.95, 13 to 15: full", 14),
        ("It costs EUR 7", 5),
    ],
)
def test_a_token_is_a_piece_of_a_word_a_number_or_a_sign(text: str, count: int) -> None:
    assert text_view.estimate_tokens(text) == count


@pytest.mark.parametrize(("site", "family"), READING)
def test_the_token_count_lies_within_its_bounds(site: str, family: str) -> None:
    for one in text_reader.of_family(site, family):
        pairs = [*one.text_view.bounds(one.world, one.scope)]
        assert pairs
        assert all(least <= text_view.estimate_tokens(one.text()) <= most for least, most in pairs)


@pytest.mark.parametrize("site", SITES)
def test_the_bounds_of_a_token_count_narrow(site: str) -> None:
    for one in text_reader.tasks(site):
        if one.task.goal is None:
            pairs = [*one.text_view.bounds(one.world, one.scope)]
            widths = [most - least for least, most in pairs]
            assert widths == sorted(widths, reverse=True)
            assert site != "stays" or widths[-1] == 0


def test_a_calendar_has_the_computed_number_of_tokens() -> None:
    world = next(one.world for one in text_reader.tasks("stays"))
    own = {trip.room for trip in world.trips if trip.status == "booked"}
    spans = spans_in(world, None)
    houses = [one for one in world.listings if own & {room.id for room in one.rooms}]
    for listing in (*houses, *world.listings[:20]):
        for room in listing.rooms:
            nights = RoomNights(world, listing, room)
            assert [nights.tokens(span) for span in spans] == [
                text_view.estimate_tokens(nights.month_line(span)) for span in spans
            ]
    assert own
    assert any(
        "yours" in RoomNights(world, one, room).month_line(span)
        for one in houses
        for room in one.rooms
        for span in spans
    )


@pytest.mark.parametrize("site", SITES)
def test_a_text_is_short_below_the_token_limit(site: str) -> None:
    short = set()
    for one in text_reader.tasks(site):
        if one.task.goal is None:
            is_short = text_view.is_short(site, one.world, one.scope)
            assert is_short is (text_view.estimate_tokens(one.text()) <= text_view.SHORT_TOKENS)
            short.add(is_short)
    assert short == {True, False}


@pytest.mark.parametrize(("site", "family"), READING)
def test_every_value_of_a_scope_is_in_the_wording(site: str, family: str) -> None:
    for one in text_reader.of_family(site, family):
        wording = one.task.wording
        # "Anywhere in" a town stands for all of its neighbourhoods.
        places = one.world.town.neighbourhoods if "anywhere in" in wording else ()
        assert [
            value for value in _texts(one.scope) if value not in places and _in_words(value) not in wording
        ] == []


@pytest.mark.parametrize("site", SITES)
def test_an_impossible_task_has_the_scope_of_its_twin(site: str) -> None:
    impossible = [
        one for one in text_reader.tasks(site) if not one.task.is_possible and one.task.goal is None
    ]
    assert impossible
    for one in impossible:
        twins = [other for other in text_reader.tasks(site) if other.task.wording == one.task.wording]
        assert [other.scope for other in twins] == [one.scope, one.scope]
        assert len({other.text() for other in twins}) == 2


@pytest.mark.parametrize(("site", "family"), READING)
def test_a_text_does_not_reveal_the_origin_of_its_world(site: str, family: str) -> None:
    for one in text_reader.of_family(site, family):
        assert one.world.key.decode() not in one.text()
        assert one.world.key.hex() not in one.text()


@pytest.mark.parametrize("site", SITES)
def test_the_full_text_contains_every_line_of_a_scope(site: str) -> None:
    one = next(
        one for one in text_reader.tasks(site) if one.task.family in ("missing_amenities", "count_mentions")
    )
    whole = {line for part in one.text_view.render(one.world, None) for line in part.split("\n")}
    _, *parts = one.text_view.render(one.world, one.scope)
    lines = "\n".join(parts).split("\n")
    assert len(lines) > 10
    assert set(lines) <= whole


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in values for text in _texts(one)]


def _in_words(value: str) -> str:
    """A day as the wording has it."""
    return day_text(date.fromisoformat(value)) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else value
