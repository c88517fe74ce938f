"""Booking of the best-rated room that meets lettered conditions, including a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.draws import Draws
from tasks_app.families.milestones import needed, seen
from tasks_app.families.registry import family
from tasks_app.families.stays.common import brute_force, conditions, drafts, goals, milestones, moves, nearest
from tasks_app.families.types import SiteEvents, SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.types import World

WORDING = wording(__name__)

# Level: neighbourhoods (0 means all), amenities of the room, amenities of the house, whether there is a
# condition on cancelling, minimum number of better-rated near misses.
SHAPES = {
    1: (1, 1, 0, False, 1),
    2: (2, 1, 0, False, 1),
    3: (3, 1, 1, False, 2),
    4: (0, 2, 1, False, 3),
    5: (0, 2, 1, True, 4),
}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    places, room, house, with_cancel, least = SHAPES[level]

    def conditions_draw(offers: Sequence[drafts.Offer]) -> list[conditions.Condition]:
        drawn = conditions.amenity_conditions(world, draws, room=room, house=house, without=0)
        # A round sum that is usually a little below the price of some room.
        total = offers[draws.whole(len(offers) // 3, len(offers) - 1)].total
        drawn.append(("budget", str(max(total // 1000 - 1, 1) * 1000)))
        return [*drawn, ("cancel", str(draws.whole(4, 12)))] if with_cancel else drawn

    given = conditions.given_draw(
        world,
        draws,
        nights=(2, 6),
        guests=4,
        places=places,
        conditions=conditions_draw,
        is_hard=lambda sifted, required: _is_hard(sifted, required, least),
        least_offers=4,
    )
    return _task(world, draws, given, level) if given else None


def _best(full: tuple[drafts.Offer, ...]) -> drafts.Offer | None:
    """Return the best-rated room, or None if another room has the same rating."""
    ranked = sorted(full, key=lambda offer: -offer.listing.rating)
    if not ranked or (len(ranked) > 1 and ranked[1].listing.rating == ranked[0].listing.rating):
        return None
    return ranked[0]


def _is_hard(sifted: conditions.Sifted, required: list[conditions.Condition], least: int) -> bool:
    """Return whether one room is best and enough better-rated ones miss one condition.

    At least one of these must miss an amenity of the room.
    """
    best = _best(sifted.full)
    if best is None:
        return False
    better = [index for offer, index in sifted.near if offer.listing.rating > best.listing.rating]
    return len(better) >= least and any(required[index][0] == "room_has" for index in better)


def _task(world: World, draws: Draws, given: dict[str, Any], level: int) -> SiteTask:
    stay = drafts.parse_stay(given)
    sifted = conditions.sift_places(world, given)
    best = _best(sifted.full) or sifted.full[0]
    better = [(offer, place) for offer, place in sifted.near if offer.listing.rating > best.listing.rating]
    events = [goals.booked(world, best.listing, best.room, stay)]
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=WORDING.text(draws, **conditions.wording_slots(world, given)),
        answer=(euros(best.total), goals.new_trip(world, events).code),
        fields=WORDING.fields,
        forms=moves.FORMS,
        goal=goals.build_goal(world, events),
        needs=conditions.list_needs(world, best, better, given),
        oracle_steps=_moves(world, given, best),
        given=given,
    )


def _moves(world: World, given: dict[str, Any], best: drafts.Offer) -> int:
    """Count the moves to open houses by rating up to the best and to price rooms that may fit.

    If the impossible twin takes more, count its moves instead: more looking, and no booking.
    """
    stay, offers = drafts.parse_stay(given), conditions.list_offers(world, given)
    others = [condition for condition in conditions.read_conditions(given) if condition[0] != "budget"]
    order = sorted(moves.houses(given, offers), key=lambda house: (-house.rating, house.id))
    opened = [house.id for house in order[: order.index(best.listing) + 1]]
    priced = sum(offer.listing.id in opened for offer in conditions.sift(offers, others).full)
    booking = moves.turning(len(opened)) + nearest.OPENING * len(opened) + priced + moves.BOOKING
    narrowing = moves.narrowing(world, given) + 1
    looking = max(booking, nearest.finding(given, offers))
    return moves.searching(stay) + narrowing + looking + moves.HANDING_IN


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer as if a better-rated room that misses one condition had been booked."""
    sifted = conditions.sift_places(world, task.given)
    offer = max(sifted.near, key=lambda miss: (miss[0].listing.rating, -miss[0].total))[0]
    events = [goals.booked(world, offer.listing, offer.room, drafts.parse_stay(task.given))]
    return euros(offer.total), goals.new_trip(world, events).code


def wrong_actions(world: World, task: SiteTask) -> tuple[SiteEvents, ...]:
    """List wrong bookings: near misses, rooms with a worse rating, and other stays in the best room."""
    stay = drafts.parse_stay(task.given)
    sifted = conditions.sift_places(world, task.given)
    best = _best(sifted.full)
    others = [*(offer for offer, _ in sifted.near), *(offer for offer in sifted.full if offer is not best)]
    booked = [goals.booked(world, offer.listing, offer.room, stay) for offer in others]
    if best:
        booked += goals.booked_otherwise(world, best.listing, best.room, stay)
    return tuple((event,) for event in booked)


def check(world: World, task: SiteTask) -> bool:
    if not task.is_possible:
        return task.goal == goals.build_goal(world, []) and conditions.check_impossible(world, task)
    fitting = [failure for failure in brute_force.failing(world, task.given) if not failure[0]]
    top = max(listing.rating for _, _, listing, _ in fitting)
    best = [(cents, room.id) for _, cents, listing, room in fitting if listing.rating == top]
    trips = (task.goal or {})["state"]["trips"]
    booked = [trip for trip in trips if trip["code"] not in {trip.code for trip in world.trips}]
    return (
        [(trip["price"], trip["room"]) for trip in booked] == best
        and task.answer == (f"{best[0][0] / 100:.2f}", booked[0]["code"])
        and all(booked[0][part] == task.given[part] for part in ("check_in", "check_out", "guests"))
    )


def twin(world: World, task: SiteTask) -> SiteTask | None:
    other = conditions.impossible(world, task)
    return other and replace(other, goal=goals.build_goal(world, []))


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    wrong_actions=wrong_actions,
    twin=twin,
    milestones=(
        milestones.searched(lambda gold: (gold.given,)),
        milestones.opened(milestones.answers_listing),
        milestones.opened_amenities(milestones.answers_listing),
        seen("saw_every_better_room", needed),
        milestones.booked_right(),
    ),
)
