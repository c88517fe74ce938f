"""Milestones of every family, over events as the pages note them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

import pytest

from core.draws import Draws
from tasks_app.families import milestones
from tasks_app.families.registry import FAMILIES, discover
from tasks_app.families.reviews.common import milestones as shop
from tasks_app.families.types import LEVELS, GoldFacts, SiteTask
from tasks_app.sites.drafts import gold_make
from tasks_app.sites.worlds import site_world
from tasks_app.worlds import evidence

discover()
EVERY = [plugin for _, plugin in FAMILIES.items()]
FIRST_DAY = date(2027, 3, 1)
DRAWN: dict[str, SiteTask] = {}


def task_of(family: str) -> SiteTask:
    """A task of the highest level that the family draws in a world of its own."""
    if family not in DRAWN:
        plugin = FAMILIES.get(family)
        where = site_world(plugin.site, number=3, edition=plugin.splits[-1], salt=b"milestones")
        world = replace(where, first_day=FIRST_DAY).open()
        drawn = (
            plugin.draw(world, Draws(b"milestones", family, level, number), level)
            for level in reversed(LEVELS)
            for number in range(20)
        )
        DRAWN[family] = next(task for task in drawn if task)
    return DRAWN[family]


def gold_facts_of(task: SiteTask) -> GoldFacts:
    draft = gold_make(task)
    return milestones.gold_facts(answer=draft.answer, extra=draft.extra)


def numbered(events: Iterable[tuple[str, dict[str, Any]]]) -> list[milestones.Event]:
    return [
        milestones.Event(seq=seq, step=seq * 10, kind=kind, data=data)
        for seq, (kind, data) in enumerate(events, start=1)
    ]


def stays_events(of: GoldFacts) -> list[tuple[str, dict[str, Any]]]:
    """All that somebody could do who does everything right."""
    given, goal = of.given, of.goal or {}
    houses = {need.split("/")[1] for need in of.needs if "/" in need} | {of.answer[1]}
    stays = [*given.get("legs", ()), *([given] if "check_in" in given else [])]
    events = [("recent_search", {name: stay[name] for name in ("check_in", "check_out")}) for stay in stays]
    events += [("listing_opened", {"listing": house}) for house in sorted(houses)]
    events += [("amenities_opened", {"listing": house}) for house in sorted(houses)]
    events.append(("calendar_opened", {"room": given.get("room")}))
    events += [("shown", {"facts": [need.partition(evidence.OR)[0]]}) for need in ("trips", *of.needs)]
    for trip in goal.get("trips", ()):
        events += [(kind, {**trip, "trip": trip["code"]}) for kind in ("cancelled", "changed", "booked")]
    return events


def shop_events(of: GoldFacts) -> list[tuple[str, dict[str, Any]]]:
    events: list[tuple[str, dict[str, Any]]] = []
    for product in shop.products(of):
        query = {"q": of.given["term"]} if "term" in of.given else {}
        filters = urlencode(query | shop.expected_filters(of.given))
        events += [
            ("product_opened", {"product": product}),
            ("reviews_opened", {"product": product}),
            ("recent_search", {"product": product, "text": query.get("q", "").upper()}),
            ("filtered", {"product": product, "query": filters}),
            ("end_reached", {"product": product, "query": filters}),
        ]
    facts = [need.partition(evidence.OR)[0] for need in of.needs]
    return [*events, *(("shown", {"facts": [need]}) for need in facts)]


def events_of(family: str) -> list[milestones.Event]:
    of = gold_facts_of(task_of(family))
    return numbered(stays_events(of) if FAMILIES.get(family).site == "stays" else shop_events(of))


def reachable(plugin: Any, of: GoldFacts) -> set[str]:
    return {one.name for one in plugin.milestones if one.when(of.given) and one.parts(of)}


def pairs_of(plugin: Any) -> Iterator[tuple[GoldFacts, GoldFacts]]:
    """Possible tasks with their impossible twins, of every level that has any in one of two worlds."""
    for number in (3, 4):
        where = site_world(plugin.site, number=number, edition=plugin.splits[-1], salt=b"milestones")
        world = replace(where, first_day=FIRST_DAY).open()
        for level in LEVELS:
            task = plugin.draw(world, Draws(b"pairs", plugin.id, level, number), level)
            other = task and plugin.twin(world, task)
            if task and other:
                yield gold_facts_of(task), gold_facts_of(other)


@pytest.mark.parametrize("plugin", [one for one in EVERY if one.twin], ids=lambda plugin: plugin.id)
def test_paired_tasks_have_the_same_milestones(plugin: Any) -> None:
    names = [
        tuple([one.name for one in milestones.reached(plugin.milestones, of, [])] for of in pair)
        for pair in pairs_of(plugin)
    ]
    assert names
    assert [possible for possible, impossible in names if possible != impossible] == []


def test_an_impossible_booking_reaches_no_booking_milestone() -> None:
    plugin = FAMILIES.get("book_stay")
    trip = {"trip": "T", "room": "R-1", "guests": 2, "check_in": "2027-03-02", "check_out": "2027-03-05"}
    of = GoldFacts(answer=("b", "L-1"), needs=(), given={**trip}, goal={"trips": []})
    reached = milestones.reached(plugin.milestones, of, numbered([("booked", trip)]))
    assert [one.event for one in reached if one.name == "booked_right_room"] == [None]


@pytest.mark.parametrize("plugin", EVERY, ids=lambda plugin: plugin.id)
def test_the_right_actions_reach_the_milestones_of_every_family(plugin: Any) -> None:
    of = gold_facts_of(task_of(plugin.id))
    reached = milestones.reached(plugin.milestones, of, events_of(plugin.id))
    assert len(reached) >= 2
    assert {one.name for one in reached if one.event} == reachable(plugin, of)
    assert len(reachable(plugin, of)) >= 2
    names = [milestone.name for milestone in plugin.milestones]
    assert len(set(names)) == len(names)
    assert all(name.replace("_", "").isalpha() and name.islower() for name in names)


@pytest.mark.parametrize("plugin", EVERY, ids=lambda plugin: plugin.id)
def test_unrelated_events_reach_no_milestone(plugin: Any) -> None:
    other = numbered(
        [
            ("page_served", {}),
            ("recent_search", {"product": "P-000", "text": "zzz", "check_in": "1999-01-01", "check_out": ""}),
            ("filtered", {"product": "P-000", "query": "", "check_in": "1999-01-01"}),
            ("listing_opened", {"listing": "L-0"}),
            ("amenities_opened", {"listing": "L-0"}),
            ("calendar_opened", {"room": "R-0", "month": "1999-01"}),
            ("shown", {"facts": ["listing/L-0/fees"]}),
            ("product_opened", {"product": "P-000"}),
            ("end_reached", {"product": "P-000", "query": ""}),
            ("booked", {"room": "R-0", "guests": 1, "check_in": "1999-01-01", "check_out": "1999-01-02"}),
            ("changed", {"trip": "NONE", "check_in": "1999-01-01"}),
            ("cancelled", {"trip": "NONE", "fee": 0}),
            ("kind_of_another_day", {}),
        ]
    )
    reached = milestones.reached(plugin.milestones, gold_facts_of(task_of(plugin.id)), other)
    assert [one.name for one in reached if one.event] == []


def test_a_milestone_is_reached_by_the_event_that_completes_it() -> None:
    of = GoldFacts(answer=("1",), needs=("a", "b"), given={}, goal=None)
    all_seen = milestones.seen("all_seen", milestones.needed)
    events = numbered(("shown", {"facts": [fact]}) for fact in "aabb")
    (milestone,) = milestones.reached([all_seen], of, events)
    assert milestone.event is not None
    assert (milestone.event.seq, milestone.event.step) == (3, 30)
    (missed,) = milestones.reached([all_seen], of, events[:2])
    assert missed.event is None


def test_an_unreachable_milestone_is_reported_as_unreached() -> None:
    of = GoldFacts(answer=("1",), needs=(), given={}, goal=None)
    (milestone,) = milestones.reached(
        [milestones.seen("all_seen", milestones.needed)], of, numbered([("shown", {"facts": ["a"]})])
    )
    assert milestone == milestones.Reached(name="all_seen", event=None)


def test_a_milestone_that_does_not_apply_to_the_task_is_left_out() -> None:
    milestone = milestones.once("asked", lambda gold, kind, data: True, when=lambda given: "term" in given)
    gold_facts = [
        GoldFacts(answer=("1",), needs=(), given=given, goal=None) for given in ({}, {"term": "zip"})
    ]
    assert [len(milestones.reached([milestone], of, [])) for of in gold_facts] == [0, 1]


@pytest.mark.parametrize(
    ("query", "is_end"),
    [("", True), ("q=ZIP", True), ("badge=with&sort=oldest", True), ("q=zi", False), ("stars=5", False)],
)
def test_the_end_of_a_list_counts_only_if_no_relevant_review_is_filtered_out(
    query: str, is_end: bool
) -> None:
    given = {"product": "P-123", "term": "zip", "conditions": [{"fact": "verified", "value": True}]}
    of = GoldFacts(answer=("1",), needs=(), given=given, goal=None)
    events = numbered([("end_reached", {"product": "P-123", "query": query})])
    (milestone,) = milestones.reached([shop.END_REACHED], of, events)
    assert (milestone.event is not None) == is_end
