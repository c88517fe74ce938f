"""Total price, with all fees, of several rooms or stays together, which no page shows as one sum."""

from __future__ import annotations

from typing import Any

from core.draws import Draws
from tasks_app.families.milestones import needed, seen
from tasks_app.families.registry import family
from tasks_app.families.stays.common import brute_force, drafts, milestones, moves
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.evidence import OR
from tasks_app.worlds.formats import counted
from tasks_app.worlds.stays.quotes import euros, quote
from tasks_app.worlds.stays.types import Listing, Room, Stay, World

WORDING = wording(__name__)

TRIES = 60
DATE_TRIES = 8
# Level: stays, nights of each, whether they have different dates, whether a house has a similar name.
SHAPES = {
    1: (2, (2, 2), False, False),
    2: (2, (2, 3), True, False),
    3: (2, (3, 6), True, True),
    4: (3, (3, 6), True, True),
    5: (4, (4, 8), True, True),
}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    count, nights, is_spread, has_double = SHAPES[level]
    for _ in range(TRIES):
        listing = draws.pick(world.listings)
        names = [other.name for other in world.listings if other.id != listing.id]
        if has_double and not any(
            other.startswith(listing.name) or listing.name.startswith(other) for other in names
        ):
            continue
        legs = _legs(world, draws, listing, count=count, nights=nights, is_spread=is_spread)
        if legs:
            return _task(world, draws, listing, legs, level)
    return None


def _legs(
    world: World, draws: Draws, listing: Listing, *, count: int, nights: tuple[int, int], is_spread: bool
) -> list[tuple[Room, Stay]]:
    """List bookings of the house's rooms in turn, with the same or different dates; none if unavailable."""
    rooms = draws.shuffled(listing.rooms)
    if len(rooms) < 2:
        return []
    legs: list[tuple[Room, Stay]] = []
    for number in range(count):
        room = rooms[number % len(rooms)]
        like = None if is_spread or not legs else legs[0][1]
        stay = _leg(world, draws, listing, room, nights=nights, like=like)
        if stay is None or any(room.id == other.id and stay.overlaps(taken) for other, taken in legs):
            return []
        legs.append((room, stay))
    return legs


def _leg(
    world: World, draws: Draws, listing: Listing, room: Room, *, nights: tuple[int, int], like: Stay | None
) -> Stay | None:
    for _ in range(DATE_TRIES):
        guests = draws.whole(1, min(room.sleeps, 4))
        stay = drafts.stay_draw(world, draws, nights=nights, guests=guests)
        if like:
            stay = Stay(check_in=like.check_in, check_out=like.check_out, guests=guests)
        if drafts.can_book(world, listing, room, stay):
            return stay
    return None


def _task(
    world: World, draws: Draws, listing: Listing, legs: list[tuple[Room, Stay]], level: int
) -> SiteTask:
    lines = "\n".join(
        f"- {room.name}, {counted(stay.guests, 'guest')}, {drafts.stay_text(stay)}" for room, stay in legs
    )
    cents = sum(quote(world, listing, room, stay).total for room, stay in legs)
    needs = {drafts.price_need(listing, room, stay.check_in, stay.check_out) for room, stay in legs}
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=WORDING.text(draws, house=listing.name, place=listing.neighbourhood, legs=lines),
        answer=(euros(cents), listing.id),
        fields=WORDING.fields,
        forms=moves.FORMS + len(legs),
        needs=(drafts.fees_need(listing), *sorted(needs)),
        oracle_steps=moves.FINDING + moves.pricing([stay for _, stay in legs]) + moves.HANDING_IN,
        given={"legs": [{"room": room.id, **drafts.stay_given(stay)} for room, stay in legs]},
    )


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer with the price of the right rooms a night late, or of the nights without any fee."""
    priced = [
        (*drafts.room_numbered(world, leg["room"]), drafts.parse_stay(leg)) for leg in task.given["legs"]
    ]
    late = sum(quote(world, listing, room, drafts.shift(stay, 1)).total for listing, room, stay in priced)
    bare = sum(sum(quote(world, listing, room, stay).nights) for listing, room, stay in priced)
    sums = (euros(cents) for cents in (late, bare))
    return next(text for text in sums if text != task.answer[0]), task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    legs: list[Any] = task.given["legs"]
    priced = [(leg, *drafts.room_numbered(world, leg["room"])) for leg in legs]
    cents = sum(brute_force.total(world, listing, room, leg) for leg, listing, room in priced)
    open_all = all(brute_force.is_bookable(world, listing, room, leg) for leg, listing, room in priced)
    houses = {listing.id for _, listing, _ in priced}
    return open_all and houses == {task.answer[1]} and f"{cents / 100:.2f}" == task.answer[0]


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(
        milestones.opened(milestones.answers_listing),
        seen("saw_a_price", lambda gold: [OR.join(milestones.prices(gold))]),
        seen("saw_every_price", needed),
    ),
)
