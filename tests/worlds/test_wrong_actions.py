"""Actions are judged as well as answers: wrong actions are incorrect even with the right answer."""

from __future__ import annotations

from datetime import date
from functools import cache, partial

import pytest

from core.draws import Draws
from tasks_app.families.registry import FAMILIES, discover, list_families
from tasks_app.families.types import LEVELS, SiteEvents, SiteTask
from tasks_app.worlds.digest import plain
from tasks_app.worlds.registry import Condition, worlds
from tasks_app.worlds.stays import bookings
from tasks_app.worlds.stays.state import State, fold
from tasks_app.worlds.stays.types import Stay, World
from verifiers import denotations, registry
from verifiers.types import Evidence, Gold, Verdict

pytestmark = pytest.mark.slow

discover()
STAYS = worlds.get("stays")
FIRST_DAYS = (date(2027, 3, 1), date(2028, 2, 29), date(2027, 10, 31), date(2026, 12, 31))
DOING = [family.id for family in list_families("stays") if family.is_done]


@cache
def tasks_of(name: str) -> list[tuple[World, SiteTask]]:
    """Tasks of every level in worlds of both editions, and the impossible twins that they have."""
    family, placed = FAMILIES.get(name), []
    for number, first_day in enumerate(FIRST_DAYS):
        for edition in family.splits:
            key = b"wrong deeds %d" % number
            opened = partial(STAYS.open_world, key, edition=edition, first_day=first_day)
            drawn = [family.draw(opened(), Draws(key, name, level), level) for level in LEVELS]
            placed += [(opened(), task) for task in drawn if task]
            twins = [family.twin(opened(), task) for task in drawn if task and family.twin]
            placed += [(opened(changes=twin.changes), twin) for twin in twins if twin]
    return placed


def deeds_of(town: World, task: SiteTask) -> tuple[SiteEvents, ...]:
    wrong_actions = FAMILIES.get(task.family).wrong_actions
    return wrong_actions(town, task) if wrong_actions else ()


def judged(task: SiteTask, town: World, deeds: SiteEvents, answer: tuple[str, ...]) -> Verdict:
    assert task.goal is not None
    gold = Gold(denotations.join_cell(task.answer), extra={"state": task.goal["state"]})
    evidence = Evidence(answer, {"state": plain(STAYS.fold(town, deeds))})
    return registry.run("site_state-v1", gold=gold, evidence=evidence)


def right_deeds(town: World, task: SiteTask) -> SiteEvents:
    """What leads from the world's trips to those of the goal."""
    assert task.goal is not None
    before = {trip.code: trip for trip in town.trips}
    fees = {fee["trip"]: fee["cents"] for fee in task.goal["state"]["fees"]}
    deeds: list[tuple[str, dict[str, object]]] = []
    for trip in task.goal["state"]["trips"]:
        old, data = before.get(trip["code"]), trip | {"trip": trip["code"], "fee": fees.get(trip["code"], 0)}
        if old is None:
            deeds.append(("booked", data))
        elif trip["status"] != old.status:
            deeds.append(("cancelled", data))
        elif trip["check_in"] != old.check_in.isoformat():
            deeds.append(("changed", data))
    return tuple(deeds)


def compared(task: SiteTask, town: World, deeds: SiteEvents) -> list[Condition]:
    assert task.goal is not None
    assert STAYS.compare is not None
    states = [plain(STAYS.fold(town, made)) for made in ((), deeds)]
    return STAYS.compare(states[0], task.goal["state"], states[1])


def refusal(town: World, state: State, kind: str, data: dict[str, object]) -> str:
    """Why the pages would not let it be done."""
    if kind == "cancelled":
        trip = state.trip(str(data["trip"]))
        return bookings.cancel_refusal(trip, on=town.first_day) if trip else "no_such_trip"
    days = {name: date.fromisoformat(str(data[name])) for name in ("check_in", "check_out")}
    trip = state.trip(str(data.get("trip")))
    listing = bookings.find_listing(town, str(data["listing"] if trip is None else trip.listing))
    assert listing is not None
    room = bookings.find_room(listing, str(data["room"] if trip is None else trip.room))
    assert room is not None
    if trip is None:
        stay = Stay(**days, guests=int(str(data["guests"])))
        return bookings.booking_refusal(town, state, listing=listing, room=room, stay=stay)
    stay = Stay(**days, guests=trip.guests)
    return bookings.change_refusal(
        town, state, listing=listing, room=room, trip=trip, stay=stay, on=town.first_day
    )


def test_only_families_with_a_goal_have_wrong_actions() -> None:
    assert DOING == ["book_stay", "cancel_and_rebook", "change_dates"]
    for name, family in FAMILIES.items():
        if family.site == "stays":
            assert all((task.goal is not None) == (name in DOING) for _, task in tasks_of(name))
        else:
            assert family.wrong_actions is None


@pytest.mark.parametrize("name", DOING)
def test_wrong_actions_are_incorrect_with_any_answer(name: str) -> None:
    for town, task in tasks_of(name):
        answer = FAMILIES.get(name).wrong(town, task)
        assert judged(task, town, right_deeds(town, task), task.answer).correct
        for deeds in deeds_of(town, task):
            verdict = judged(task, town, deeds, task.answer)
            assert verdict.metrics == {"values_right": 1.0, "state_right": 0.0}, (task.wording, deeds)
            assert not verdict.correct
            assert not judged(task, town, deeds, answer).correct


@pytest.mark.parametrize("name", DOING)
def test_all_conditions_hold_exactly_if_the_state_is_right(name: str) -> None:
    for town, task in tasks_of(name):
        for deeds in (right_deeds(town, task), (), *deeds_of(town, task)):
            conditions = compared(task, town, deeds)
            is_right = judged(task, town, deeds, task.answer).metrics["state_right"] == 1.0
            assert all(one.is_held for one in conditions) == is_right, (task.wording, deeds)
            assert {one.kind for one in conditions} >= {"frame", "allowed"}


@pytest.mark.parametrize("name", DOING)
def test_every_task_has_several_different_wrong_actions(name: str) -> None:
    for town, task in tasks_of(name):
        left = [plain(STAYS.fold(town, deeds)) for deeds in deeds_of(town, task)]
        assert len(left) >= 2, task.wording
        assert all(one not in left[:place] for place, one in enumerate(left))


@pytest.mark.parametrize("name", DOING)
def test_pages_permit_every_wrong_action(name: str) -> None:
    for town, task in tasks_of(name):
        for deeds in deeds_of(town, task):
            for place, (kind, data) in enumerate(deeds):
                before = fold(town, deeds[:place])
                assert refusal(town, before, kind, dict(data)) == "", (task.wording, deeds)


def test_making_an_impossible_booking_is_incorrect() -> None:
    twins = [(town, task) for town, task in tasks_of("book_stay") if not task.is_possible]
    assert len(twins) >= 3
    for town, task in twins:
        assert task.answer[1] in str(deeds_of(town, task))
        assert right_deeds(town, task) == ()
