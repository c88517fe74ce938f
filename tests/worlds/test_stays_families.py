from __future__ import annotations

import itertools
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.draws import Draws
from tasks_app.families import registry, stays
from tasks_app.families.stays.common import conditions, moves, nearest
from tasks_app.families.types import LEVELS, Family, SiteTask
from tasks_app.worlds.digest import digest, plain
from tasks_app.worlds.formats import MONTHS
from tasks_app.worlds.stays.changes import world_change
from tasks_app.worlds.stays.quotes import quote
from tasks_app.worlds.stays.state import fold
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.world import world
from validation.sites import guesses

pytestmark = pytest.mark.slow

registry.discover()
FAMILIES = {family.id: family for family in registry.list_families("stays")}
DOING = {"book_stay", "change_dates", "cancel_and_rebook"}
WITH_TWINS = {"book_stay", "cheapest_with_without"}
FIRST_DAYS = (date(2027, 3, 1), date(2028, 2, 29), date(2027, 10, 31), date(2026, 12, 31), date(2036, 11, 20))


def _worlds(family: Family[World]) -> list[World]:
    return [
        world(b"family-%d" % number, edition=family.splits[-1], first_day=day)  # type: ignore[arg-type]
        for number, day in enumerate(FIRST_DAYS)
    ]


def _tasks(family: Family[World], *, each: int = 1) -> list[tuple[World, SiteTask]]:
    drawn = [
        (town, family.draw(town, Draws("tests", family.id, town.key, level, number), level))
        for town in _worlds(family)
        for level in LEVELS
        for number in range(each)
    ]
    return [(town, task) for town, task in drawn if task is not None]


def _meets(town: World, task: SiteTask, events: list[tuple[str, dict[str, Any]]]) -> bool:
    assert task.goal is not None
    state = plain(fold(town, events))
    return all(state[part] == value for part, value in task.goal["state"].items())


def _solution(town: World, task: SiteTask) -> list[tuple[str, dict[str, Any]]]:
    """The events that lead from the world's trips to those of the goal."""
    assert task.goal is not None
    before = {trip.code: trip for trip in town.trips}
    fees = {fee["trip"]: fee["cents"] for fee in task.goal["state"]["fees"]}
    events: list[tuple[str, dict[str, Any]]] = []
    for trip in task.goal["state"]["trips"]:
        old = before.get(trip["code"])
        data = {"trip": trip["code"], "fee": fees.get(trip["code"], 0)}
        if old is None:
            events.append(("booked", trip))
        elif trip["status"] != old.status:
            events.append(("cancelled", data))
        elif trip["check_in"] != old.check_in.isoformat():
            events.append(("changed", {**trip, **data}))
    return events


def test_there_are_eight_families_two_of_them_only_in_the_test_split() -> None:
    assert len(FAMILIES) == 8
    assert sorted(one.id for one in FAMILIES.values() if one.splits == ("test",)) == [
        "change_dates",
        "latest_free_cancellation",
    ]


def test_every_file_holds_one_family_of_its_name() -> None:
    files = {path.stem for path in Path(stays.__path__[0]).glob("*.py") if not path.stem.startswith("_")}
    assert files == set(FAMILIES)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_level_can_be_drawn_and_is_recorded(name: str) -> None:
    tasks = [task for _, task in _tasks(FAMILIES[name])]
    assert len(tasks) >= 0.9 * len(FIRST_DAYS) * len(LEVELS)
    assert {task.level for task in tasks} == set(LEVELS)
    assert {task.family for task in tasks} == {name}


def test_no_task_moves_a_trip_whose_own_dates_fit() -> None:
    """Twenty tasks a level: before they were left out, one in thirty was of that sort."""
    for town, task in _tasks(FAMILIES["change_dates"], each=4):
        given = task.given
        trip = next(one for one in town.trips if one.code == given["trip"])
        after = next(one for one in (task.goal or {})["state"]["trips"] if one["code"] == trip.code)
        first, moved = date.fromisoformat(given["first"]), date.fromisoformat(after["check_in"])
        if not 0 <= (trip.check_in - first).days < given["width"]:
            continue
        listing = next(one for one in town.listings if one.id == trip.listing)
        room = next(one for one in listing.rooms if one.id == trip.room)
        own = quote(town, listing, room, trip.stay).total
        assert (given["how"], True) in (("first", moved < trip.check_in), ("cheapest", after["price"] < own))


def _days_named(text: str) -> list[date]:
    spelt = re.findall(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})\b", text)
    return [
        *(date(int(year), MONTHS.index(month) + 1, int(day)) for day, month, year in spelt),
        *map(date.fromisoformat, re.findall(r"\b\d{4}-\d\d-\d\d\b", text)),
    ]


@pytest.mark.parametrize("name", FAMILIES)
def test_no_task_names_a_past_day(name: str) -> None:
    named = 0
    for town, task in _tasks(FAMILIES[name], each=12):
        days = _days_named(" ".join((task.wording, *task.answer)))
        named += len(days)
        assert all(day >= town.first_day for day in days), task.wording
    assert named or name == "missing_amenities"


@pytest.mark.parametrize("name", FAMILIES)
def test_brute_force_confirms_the_answer_on_any_date(name: str) -> None:
    for town, task in _tasks(FAMILIES[name]):
        assert FAMILIES[name].check(town, task), task.wording


@pytest.mark.parametrize("name", FAMILIES)
def test_brute_force_refuses_another_answer(name: str) -> None:
    family = FAMILIES[name]
    for town, task in _tasks(family):
        mistaken = SiteTask(**{**_fields(task), "answer": family.wrong(town, task)})
        assert not family.check(town, mistaken), task.wording


def _fields(task: SiteTask) -> dict[str, Any]:
    return {name: getattr(task, name) for name in task.__dataclass_fields__}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_wrong_answer_fills_the_same_fields_with_other_values(name: str) -> None:
    for town, task in _tasks(FAMILIES[name]):
        wrong = FAMILIES[name].wrong(town, task)
        assert wrong != task.answer
        assert len(wrong) == len(task.answer) == len(task.fields) >= 2


@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_draws_give_the_same_task(name: str) -> None:
    first, again = ([digest(task) for _, task in _tasks(FAMILIES[name])] for _ in range(2))
    assert first == again


@pytest.mark.parametrize("name", FAMILIES)
def test_a_task_has_needs_and_its_wording_never_contains_the_witness(name: str) -> None:
    for _, task in _tasks(FAMILIES[name]):
        assert task.needs
        assert task.oracle_steps > 3
        assert task.answer[1] not in task.wording
        assert "{" not in task.wording


@pytest.mark.parametrize("name", FAMILIES)
def test_no_cheat_solves_one_task_in_twenty(name: str) -> None:
    tasks = [task for _, task in _tasks(FAMILIES[name], each=8)]
    assert [measured.exceeding for measured in guesses.measure(tasks)] == [()]


@pytest.mark.parametrize("name", FAMILIES)
def test_tasks_of_a_world_differ_in_wording(name: str) -> None:
    wordings = [task.wording for _, task in _tasks(FAMILIES[name], each=4)]
    assert len(set(wordings)) > 0.9 * len(wordings)


@pytest.mark.parametrize("name", sorted(DOING))
def test_only_the_right_actions_and_no_others_meet_the_goal(name: str) -> None:
    for town, task in _tasks(FAMILIES[name]):
        events = _solution(town, task)
        aside = [("banner_closed", {"name": "cookies"}), ("recent_search", {"guests": 2})]
        spare = next(trip for trip in reversed(town.trips) if trip.code not in str(events))
        assert not _meets(town, task, [])
        assert _meets(town, task, [*aside, *events, *aside])
        assert not _meets(town, task, [*events, ("cancelled", {"trip": spare.code, "fee": 0})])


@pytest.mark.parametrize("name", sorted(DOING))
def test_the_gold_code_is_the_one_that_the_actions_yield(name: str) -> None:
    for town, task in _tasks(FAMILIES[name]):
        codes = {trip.code for trip in fold(town, _solution(town, task)).trips}
        assert task.answer[1] in codes


def test_reading_tasks_leave_no_state_to_compare() -> None:
    for name in set(FAMILIES) - DOING:
        assert all(task.goal is None for _, task in _tasks(FAMILIES[name]))


@pytest.mark.parametrize("name", sorted(WITH_TWINS))
def test_a_twin_has_the_same_wording_and_one_fact_less(name: str) -> None:
    family = FAMILIES[name]
    assert family.twin is not None
    pairs = [(town, task, family.twin(town, task)) for town, task in _tasks(family, each=2)]
    with_twin = [(town, task, other) for town, task, other in pairs if other is not None]
    assert len(with_twin) >= 5
    for town, task, other in with_twin:
        changed = world_change(town, other.changes)
        assert (other.wording, other.fields) == (task.wording, task.fields)
        assert (other.is_possible, len(other.changes), len(other.answer[0])) == (False, 1, 1)
        assert other.answer != task.answer
        assert other.answer[0] in "abcdef"
        assert family.check(changed, other)
        assert not family.check(town, other)
        assert family.wrong(changed, other) != other.answer
        assert other.goal is None or _meets(changed, other, [])
        assert other.needs
        before, after = (
            nearest.finding(task.given, conditions.list_offers(one, task.given)) for one in (town, changed)
        )
        assert after <= before < other.oracle_steps == task.oracle_steps


@pytest.mark.parametrize("name", sorted(WITH_TWINS))
def test_the_twins_needs_show_the_nearest_room_and_the_lost_amenity(name: str) -> None:
    pairs = [(town, task, FAMILIES[name].twin(town, task)) for town, task in _tasks(FAMILIES[name], each=2)]
    with_twin = [(town, task, other) for town, task, other in pairs if other is not None]
    assert any(other.needs != task.needs for _, task, other in with_twin)
    for town, _, other in with_twin:
        assert any(
            need.startswith(f"listing/{other.answer[1]}/") and "/price/" in need for need in other.needs
        )
        changed = world_change(town, other.changes)
        lost = other.changes[0]
        listing = next(one for one in changed.listings if lost["room"] in {room.id for room in one.rooms})
        had = [*listing.amenities, *(one for room in listing.rooms for one in room.amenities)]
        need = f"listing/{listing.id}/room/{lost['room']}/amenities"
        assert any(need in one for one in other.needs) or lost["amenity"] not in had


@pytest.mark.parametrize("name", ["book_stay", "cheapest_with_without"])
def test_a_search_that_stops_at_higher_night_prices_yields_the_twins_answer(name: str) -> None:
    """The long-stay discounts of unopened houses need not be known."""
    pairs = [(town, FAMILIES[name].twin(town, task)) for town, task in _tasks(FAMILIES[name], each=2)]
    twins = [(town, twin) for town, twin in pairs if twin]
    assert len(twins) >= 3
    for town, twin in twins:
        changed = world_change(town, twin.changes)
        required = conditions.read_conditions(twin.given)
        nearest = None
        for offer in sorted(conditions.list_offers(changed, twin.given), key=lambda offer: offer.nights):
            if nearest and offer.nights >= nearest[0]:
                break
            missed = [place for place, one in enumerate(required) if not conditions.holds(offer, one)]
            if len(missed) == 1:
                candidate = (offer.total, conditions.LETTERS[missed[0]], offer.listing.id)
                nearest = min(nearest or candidate, candidate)
        assert nearest is not None
        assert nearest[1:] == twin.answer


def test_families_without_a_twin_have_only_possible_tasks() -> None:
    for name in set(FAMILIES) - WITH_TWINS:
        assert FAMILIES[name].twin is None
        assert all(task.is_possible for _, task in _tasks(FAMILIES[name]))


def _reading(need: str) -> int:
    """The nights that a need is about, 1 where it is about none."""
    days = [date.fromisoformat(part) for part in need.split("/") if part.count("-") == 2]
    return (days[-1] - days[0]).days if days else 1


def test_harder_levels_give_more_to_read() -> None:
    for name in ("total_price", "latest_free_cancellation", "cancel_and_rebook", "first_free_stretch"):
        tasks = [task for _, task in _tasks(FAMILIES[name], each=4)]
        needs = [
            sum(_reading(need) for task in tasks if task.level == level for need in task.needs)
            / max(sum(task.level == level for task in tasks), 1)
            for level in (1, 3, 5)
        ]
        assert all(less < more for less, more in itertools.pairwise(needs)), (name, needs)


def test_questions_on_several_rooms_ask_what_none_of_them_has() -> None:
    several = [
        task for _, task in _tasks(FAMILIES["missing_amenities"], each=4) if len(task.given["rooms"]) > 1
    ]
    assert several
    for task in several:
        question = task.wording.partition("?")[0]
        assert "none of these rooms" in question, question
        assert not re.search(r"\b(?:every|all|each|not|lack|without)\b", question), question


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.id)
def test_a_task_that_may_book_says_who_books(family: Family[World]) -> None:
    """The form for a booking demands a name and an email address, which nobody should have to invent."""
    for town, task in _tasks(family):
        known = {trip.code for trip in town.trips}
        trips = (task.goal or {}).get("state", {}).get("trips", [])
        if family.id == "book_stay" or any(trip["code"] not in known for trip in trips):
            assert re.search(r"[A-Z]\w+ [A-Z]\w+, [a-z.]+@example\.org\b", task.wording)


LISTING = {"total_price": "legs", "latest_free_cancellation": "arrivals", "cancel_and_rebook": "rooms"}


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.id)
def test_a_task_declares_a_form_for_each_thing_that_its_wording_lists(family: Family[World]) -> None:
    for _, task in _tasks(family):
        listed = task.given[LISTING[family.id]] if family.id in LISTING else ()
        assert task.forms == moves.FORMS + len(listed)
