"""Every legitimate way to the answer of each family has its evidence and its milestones; no cheat has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from core.draws import Draws
from tasks_app.families.milestones import MARK
from tasks_app.families.registry import FAMILIES, discover
from tasks_app.families.stays.common import conditions, drafts
from tasks_app.families.types import SiteTask
from tasks_app.models import Task
from tasks_app.sites.drafts import draft_make, task_place
from tasks_app.sites.worlds import site_world
from tasks_app.worlds.evidence import OR
from tests import factories
from tests.conftest import ArenaClient
from tests.e2e.exemplary import unreachable
from trajectories.models import Episode, SiteEvent, Verdict
from trajectories.rollouts.judging import services

pytestmark = pytest.mark.django_db

discover()
NUMBER = 5
LEVELS = (2, 4)
TRIES = 30
WHO = {"name": "Kim Doe", "email": "kim@example.org", "rules": "on"}
STAY = ("check_in", "check_out", "guests")
CHANGES = frozenset({"booked", "changed", "cancelled"})


@dataclass(frozen=True)
class Visitor:
    """Somebody who asks for pages by their addresses, as links and forms would."""

    client: ArenaClient
    root: str
    world: Any
    task: SiteTask
    episode: Episode

    def get(self, page: str = "", /, **query: Any) -> str:
        return self.client.get(f"{self.root}{page}?{urlencode(query, doseq=True)}").content.decode()

    def post(self, page: str, /, **form: Any) -> None:
        kind = "application/x-www-form-urlencoded"
        self.client.post(f"{self.root}{page}", urlencode(form, doseq=True), content_type=kind, follow=True)


Way = Callable[[Visitor], None]


# ---- stays
def dates_of(given: Any) -> dict[str, Any]:
    return {name: given[name] for name in STAY}


def nights(first: date, count: int) -> dict[str, Any]:
    return {"check_in": first, "check_out": first + timedelta(days=count), "guests": 1}


def months_between(first: date, last: date) -> list[str]:
    return sorted({f"{first + timedelta(days=day):%Y-%m}" for day in range((last - first).days + 1)})


def calendar_read(visitor: Visitor, listing: Any, room: Any, first: date, last: date) -> None:
    for month in months_between(first, last):
        visitor.get(f"stays/{listing.id}", room=room.id, month=month)


def legs_of(visitor: Visitor) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    for leg in visitor.task.given["legs"]:
        yield *drafts.room_numbered(visitor.world, leg["room"]), dates_of(leg)


def price_by_dates(visitor: Visitor) -> None:
    for listing, _, stay in legs_of(visitor):
        visitor.get(f"stays/{listing.id}", **stay)


def price_by_calendar(visitor: Visitor) -> None:
    for listing, room, stay in legs_of(visitor):
        first, last = (date.fromisoformat(stay[name]) for name in STAY[:2])
        calendar_read(visitor, listing, room, first, last - timedelta(days=1))


def price_by_checkout(visitor: Visitor) -> None:
    for listing, room, stay in legs_of(visitor):
        visitor.get(f"stays/{listing.id}")
        visitor.get(f"stays/{listing.id}/book/{room.id}", **stay)


def stretch_of(visitor: Visitor) -> tuple[Any, Any, date, date, int]:
    given = visitor.task.given
    first, arrival = date.fromisoformat(given["since"]), date.fromisoformat(visitor.task.answer[0])
    return *drafts.room_numbered(visitor.world, given["room"]), first, arrival, given["nights"]


def stretch_by_calendar(visitor: Visitor) -> None:
    listing, room, first, arrival, count = stretch_of(visitor)
    calendar_read(visitor, listing, room, first, arrival + timedelta(days=count - 1))


def stretch_by_asking(visitor: Visitor) -> None:
    """For every arrival in turn; then the first night's price is read in the calendar."""
    listing, room, first, arrival, count = stretch_of(visitor)
    for day in range((arrival - first).days + 1):
        visitor.get(f"stays/{listing.id}", **nights(first + timedelta(days=day), count))
    calendar_read(visitor, listing, room, arrival, arrival)


def rooms_by_reading(visitor: Visitor) -> None:
    rooms_read(visitor, visitor.world.listings)


def rooms_by_filters(visitor: Visitor) -> None:
    """Houses that have a wanted amenity nowhere are not opened, but for the one that comes nearest."""
    given = visitor.task.given
    has = [value for kind, value in conditions.read_conditions(given) if kind in ("room_has", "house_has")]
    visitor.get("search", **dates_of(given), area=given["places"], amenity=has)
    rooms_read(
        visitor,
        [
            one
            for one in visitor.world.listings
            if visitor.task.answer[-1] == one.id or all(drafts.offers_anywhere(one, value) for value in has)
        ],
    )


def rooms_read(visitor: Visitor, listings: Iterable[Any]) -> None:
    given = visitor.task.given
    for listing in listings:
        if listing.neighbourhood in given["places"]:
            visitor.get(f"stays/{listing.id}", amenities="all", **dates_of(given))
    made = [one for one in trips_after(visitor.task) if one["code"] in visitor.task.answer]
    for trip in made:
        visitor.post(f"stays/{trip['listing']}/book/{trip['room']}", **dates_of(given), **WHO)


def amenities_by_house(visitor: Visitor) -> None:
    visitor.get(f"stays/{visitor.task.given['listing']}", amenities="all")


def policies_by_house(visitor: Visitor) -> None:
    for one in visitor.task.given["arrivals"]:
        visitor.get(f"stays/{one['listing']}")


def trips_after(task: SiteTask) -> list[Any]:
    return list((task.goal or {"state": {"trips": []}})["state"]["trips"])


def trip_moved(visitor: Visitor, *, by_asking: bool) -> None:
    given, code = visitor.task.given, visitor.task.given["trip"]
    trip = next(one for one in visitor.world.trips if one.code == code)
    listing, room = drafts.room_numbered(visitor.world, trip.room)
    after = next(one for one in trips_after(visitor.task) if one["code"] == code)
    right, first = date.fromisoformat(after["check_in"]), date.fromisoformat(given["first"])
    last = first + timedelta(days=given["width"] - 1) if given["how"] == "cheapest" else right
    visitor.get("trips")
    for day in range((last - first).days + 1):
        arrival = first + timedelta(days=day)
        stay = nights(arrival, trip.stay.nights)
        # Of nights that are the trip's own the calendar tells no price.
        if by_asking or arrival == right or set(trip.stay.days) & {*drafts.parse_stay(plain(stay)).days}:
            visitor.get(f"trips/{code}/change", check_in=stay["check_in"], check_out=stay["check_out"])
    if not by_asking:
        calendar_read(visitor, listing, room, first, last + timedelta(days=trip.stay.nights - 1))
    visitor.post(f"trips/{code}/change", check_in=after["check_in"], check_out=after["check_out"])


def plain(stay: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name == "guests" else value.isoformat() for name, value in stay.items()}


def trip_rebooked(visitor: Visitor, *, policy: str, room_page: str) -> None:
    given, after = visitor.task.given, trips_after(visitor.task)
    trips = {one.code: one for one in visitor.world.trips if one.code in given["trips"]}
    visitor.get("trips")
    for trip in trips.values():
        visitor.get({"trip": f"trips/{trip.code}", "house": f"stays/{trip.listing}"}[policy])
    made = next(one for one in after if one["code"] == visitor.task.answer[1])
    gone = next(one["code"] for one in after if one["status"] == "cancelled" and one["code"] in trips)
    visitor.post(f"trips/{gone}/cancel")
    book, stay = f"stays/{made['listing']}/book/{made['room']}", dates_of(made)
    if room_page == "house":
        visitor.get(f"stays/{made['listing']}", **stay)
    else:
        visitor.get(book, **stay)
    visitor.post(book, **stay, **WHO)


# ---- reviews
def reviews_read(visitor: Visitor, *, part: int = 0, **query: Any) -> None:
    """Lists to their ends, and what the answer rests on opened in one of the ways that there are."""
    folded = [need.split(OR)[-part if OR in need else 0].split()[1:] for need in visitor.task.needs]
    for product in products_of(visitor):
        for number in range(1, 1 - (-product.review_count // 10)):
            place = {"page": number, **query}
            page = visitor.get(f"products/{product.id}/reviews", **place)
            for review, *opened in folded:
                if opened and f'id="{review}"' in page:
                    visitor.get(f"products/{product.id}/reviews", **{opened[0]: review}, **place)
            if 'rel="next"' not in page:
                break


def products_of(visitor: Visitor) -> list[Any]:
    given, world = visitor.task.given, visitor.world
    return [world.product(given["product"])] if "product" in given else list(world.rivals)


def reviews_searched(visitor: Visitor) -> None:
    reviews_read(visitor, q=visitor.task.given.get("term", ""), sort="helpful")


def reviews_by_stars(visitor: Visitor) -> None:
    for stars in range(1, 6):
        reviews_read(visitor, stars=stars, part=1, sort="oldest")


STAYS_WAYS: dict[str, dict[str, Way]] = {
    "total_price": {"dates": price_by_dates, "calendar": price_by_calendar, "checkout": price_by_checkout},
    "first_free_stretch": {"calendar": stretch_by_calendar, "asking": stretch_by_asking},
    "book_stay": {"reading": rooms_by_reading, "filters": rooms_by_filters},
    "cheapest_with_without": {"reading": rooms_by_reading, "filters": rooms_by_filters},
    "missing_amenities": {"house": amenities_by_house},
    "latest_free_cancellation": {"house": policies_by_house},
    "change_dates": {
        "calendar": lambda visitor: trip_moved(visitor, by_asking=False),
        "asking": lambda visitor: trip_moved(visitor, by_asking=True),
    },
    "cancel_and_rebook": {
        "house": lambda visitor: trip_rebooked(visitor, policy="trip", room_page="house"),
        "checkout": lambda visitor: trip_rebooked(visitor, policy="house", room_page="checkout"),
    },
}
REVIEWS_WAYS: dict[str, Way] = {
    "reading": reviews_read,
    "search": reviews_searched,
    "stars": reviews_by_stars,
}
WAYS = {
    name: REVIEWS_WAYS if plugin.site == "reviews" else STAYS_WAYS[name] for name, plugin in FAMILIES.items()
}


# ---- cheats
def nothing(visitor: Visitor) -> None:
    pass


def first_page(visitor: Visitor) -> None:
    visitor.get()


def lists_only(visitor: Visitor) -> None:
    visitor.get("search", name="a")
    for product in getattr(visitor.world, "products", ()):
        visitor.get(f"products/{product.id}")


def wrong_pages(visitor: Visitor) -> None:
    """Everything about houses and products that the answer does not rest on."""
    needs = " ".join(visitor.task.needs)
    for product in getattr(visitor.world, "products", ()):
        if f"V{product.number}" not in needs and product.review_count < 100:
            visitor.get(f"products/{product.id}/reviews")
    others = [one for one in getattr(visitor.world, "listings", ()) if f"/{one.id}/" not in needs]
    for listing in others[:5]:
        visitor.get(f"stays/{listing.id}", amenities="all", room=listing.rooms[0].id)


CHEATS: dict[str, Way] = {one.__name__: one for one in (nothing, first_page, lists_only, wrong_pages)}


# ---- tests
Placed = tuple[Any, Any, SiteTask]
"""A task with its site and its world."""


@cache
def drawn(family_id: str, level: int) -> tuple[Placed, tuple[Placed, Placed] | None]:
    """The task of the fewest moves among some of a level, and the first one with its impossible twin."""
    plugin = FAMILIES.get(family_id)
    site = site_world(plugin.site, number=NUMBER, edition=plugin.splits[-1], salt=settings.WORLD_SALT)
    world = site.open()
    tries = (plugin.draw(world, Draws(b"ways", family_id, level, place), level) for place in range(TRIES))
    tasks = list(filter(None, tries))
    shortest = min(tasks[:4], key=lambda task: task.oracle_steps)
    twins = ((task, twin) for task in tasks if plugin.twin and (twin := plugin.twin(world, task)))
    if (pair := next(twins, None)) is None:
        return (site, world, shortest), None
    task, twin = pair
    possible, changed = replace(task, twin=twin.twin), site.open(changes=twin.changes)
    return (site, world, shortest), ((site, world, possible), (site, changed, twin))


def tasks_of(family_id: str) -> Iterator[Placed]:
    """A task of each level and, where there is one, an impossible twin."""
    for level in LEVELS:
        task, pair = drawn(family_id, level)
        yield from (task, pair[1]) if pair else (task,)


def stored(site: Any, world: Any, task: SiteTask) -> Task:
    draft, judged_by = draft_make(task_place(task, site, world), split=None), "site_state-v1"
    benchmark = factories.benchmark(
        id=site.site, kind="site", verifier_official=judged_by, verifier_training=judged_by
    )
    made = factories.task(
        benchmark=benchmark, kind="site", payload=draft.payload, answer=draft.gold.answer, tags=[*draft.tags]
    )
    made.golds.update(extra=draft.gold.extra)
    return made


def verdict_of(episode: Episode, answer: Sequence[str]) -> Verdict:
    factories.submission(episode, list(answer))
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


def outcome_after(task: Task, answer: Sequence[str], events: Iterable[SiteEvent]) -> str:
    """The outcome of an episode in which these events happened, and this answer was given."""
    episode = factories.episode(task=task, presentation={})
    for event in events:
        SiteEvent.objects.create(episode=episode, seq=event.seq, kind=event.kind, data=event.data)
    return verdict_of(episode, answer).outcome


@pytest.fixture
def metrics_of(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., dict[str, Any]]:
    """The metrics of an episode in which somebody went a way and gave the right answer."""

    def judge(site: Any, world: Any, task: SiteTask, way: Way) -> dict[str, Any]:
        made = stored(site, world, task)
        episode = factories.episode(task=made, presentation={})
        way(Visitor(arena_client, address(episode), world, task, episode))
        verdict = verdict_of(episode, task.answer)
        return {**verdict.metrics, "outcome": verdict.outcome}

    return judge


@pytest.mark.parametrize(
    ("family_id", "way"), [(family_id, way) for family_id, ways in WAYS.items() for way in ways]
)
def test_every_way_to_the_answer_has_its_evidence_and_all_milestones(
    metrics_of: Callable[..., dict[str, Any]], family_id: str, way: str
) -> None:
    for site, world, task in tasks_of(family_id):
        metrics = metrics_of(site, world, task, WAYS[family_id][way])
        marks = {name: value for name, value in metrics.items() if name.startswith(MARK)}
        missed = [name.removeprefix(MARK) for name, value in marks.items() if not value]
        assert (metrics["outcome"], metrics["submitted_before_evidence"]) == ("correct", 0.0), task.needs
        assert missed == [name for name in unreachable(task) if MARK + name in marks]


@pytest.mark.parametrize("cheat", CHEATS)
@pytest.mark.parametrize("family_id", WAYS)
def test_no_cheat_has_the_evidence(
    metrics_of: Callable[..., dict[str, Any]], family_id: str, cheat: str
) -> None:
    for site, world, task in tasks_of(family_id):
        metrics = metrics_of(site, world, task, CHEATS[cheat])
        assert metrics["submitted_before_evidence"] == 1.0
        saw = [name for name, value in metrics.items() if name.startswith("milestone/saw_every") and value]
        assert not [name for name in saw if name != "milestone/saw_every_policy"], task.needs
        assert metrics["milestones_reached"] < 1.0


@pytest.mark.parametrize("family_id", [name for name, plugin in FAMILIES.items() if plugin.twin])
def test_an_impossible_task_and_its_possible_twin_accept_only_their_own_answers(
    arena_client: ArenaClient, address: Callable[..., str], family_id: str
) -> None:
    pair = next(pair for level in LEVELS if (pair := drawn(family_id, level)[1]))
    for own, other in (pair, pair[::-1]):
        task, others = stored(*own), stored(*other)
        episode = factories.episode(task=task, presentation={})
        if own[2].goal:
            way = next(iter(WAYS[family_id].values()))
            way(Visitor(arena_client, address(episode), own[1], own[2], episode))
        done = [one for one in episode.site_events.order_by("seq") if one.kind in CHANGES]
        assert bool(done) == bool(own[2].goal and own[2].is_possible)
        for events in ([], done):
            assert outcome_after(task, other[2].answer, events) == "incorrect"
            assert outcome_after(others, own[2].answer, events) == "incorrect"
        assert outcome_after(task, own[2].answer, done) == "correct"
