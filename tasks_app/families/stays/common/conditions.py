"""Conditions on a room, and the search for conditions that make the answer hard to guess.

A task's conditions are lettered. If no room meets all of them, the answer is the cheapest room that fails
exactly one, with that condition's letter. A task and its impossible twin can therefore have the same wording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.draws import Draws
from tasks_app.families.stays.common import brute_force, drafts
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import site_phrases
from tasks_app.worlds.digest import digest
from tasks_app.worlds.evidence import OR
from tasks_app.worlds.formats import counted
from tasks_app.worlds.stays.changes import world_change
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.text import highlights, named_at_once
from tasks_app.worlds.stays.types import World
from tasks_app.worlds.stays.vocabulary import amenity_names, house_ids, room_ids

Condition = tuple[str, str]
"""Kind and value, both as text, as in a task's data."""
LETTERS = "abcdef"
STAYS_TRIED = 5
CONDITIONS_TRIED = 8


@dataclass(frozen=True, slots=True)
class Sifted:
    """Offers that meet all conditions (``full``) or miss exactly one (``near``), cheapest first."""

    full: tuple[drafts.Offer, ...]
    near: tuple[tuple[drafts.Offer, int], ...]
    """Each offer with the index of the condition that it misses."""


TESTS: Mapping[str, Callable[[drafts.Offer, str], bool]] = {
    "room_has": lambda offer, value: value in offer.room.amenities,
    "house_has": lambda offer, value: value in offer.listing.amenities,
    "without": lambda offer, value: value not in (*offer.listing.amenities, *offer.room.amenities),
    "rating": lambda offer, value: offer.listing.rating >= int(value),
    "budget": lambda offer, value: offer.total <= int(value),
    "cancel": lambda offer, value: any(
        tier.is_free and tier.days <= int(value) for tier in offer.listing.policy.tiers
    ),
}
"""Tests of an offer by kind of condition."""


def holds(offer: drafts.Offer, condition: Condition) -> bool:
    kind, value = condition
    return TESTS[kind](offer, value)


def given_draw(
    world: World,
    draws: Draws,
    *,
    nights: tuple[int, int],
    guests: int,
    places: int,
    conditions: Callable[[Sequence[drafts.Offer]], list[Condition]],
    is_hard: Callable[[Sifted, list[Condition]], bool],
    least_offers: int = 0,
) -> dict[str, Any] | None:
    """Draw a stay, neighbourhoods (0 for the whole town) and conditions that make the task hard."""
    for _ in range(STAYS_TRIED):
        stay = drafts.stay_draw(world, draws, nights=nights, guests=draws.whole(1, guests))
        everywhere = world.town.neighbourhoods
        inside = draws.sample(everywhere, places) if places else list(everywhere)
        given = {**drafts.stay_given(stay), "places": inside}
        offers = list_offers(world, given)
        for _ in range(CONDITIONS_TRIED if len(offers) >= least_offers else 0):
            drawn = conditions(offers)
            if is_hard(sift(offers, drawn), drawn):
                return {**given, "conditions": [list(condition) for condition in drawn]}
    return None


def sift_places(world: World, given: Mapping[str, Any]) -> Sifted:
    """Sift the offers in a task's places by its conditions."""
    return sift(list_offers(world, given), read_conditions(given))


def sift(offers: Sequence[drafts.Offer], conditions: Sequence[Condition]) -> Sifted:
    tests = [(index, TESTS[kind], value) for index, (kind, value) in enumerate(conditions)]
    full, near = [], []
    for offer in offers:
        missed = (index for index, is_met, value in tests if not is_met(offer, value))
        first = next(missed, None)
        if first is None:
            full.append(offer)
        elif next(missed, None) is None:
            near.append((offer, first))
    return Sifted(tuple(full), tuple(near))


def wording_slots(world: World, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the slots for the wording of a task with conditions."""
    stay, places = drafts.parse_stay(given), given["places"]
    is_everywhere = len(places) == len(world.town.neighbourhoods)
    return {
        "guests": counted(stay.guests, "guest"),
        "stay": drafts.stay_text(stay),
        "places": f"anywhere in {world.town.name}"
        if is_everywhere
        else f"in {drafts.join_names(places, last='or')}",
        "conditions": "\n".join(
            f"({letter}) {_text(world, *condition)}"
            for letter, condition in zip(LETTERS, read_conditions(given), strict=False)
        ),
    }


def _text(world: World, kind: str, value: str) -> str:
    texts = {
        "rating": lambda: f"{int(value) / 10:.1f}",
        "budget": lambda: euros(int(value)),
        "cancel": lambda: counted(int(value), "day"),
    }.get(kind, lambda: amenity_names(world.edition)[value])()
    return str(site_phrases("stays")[kind]).format(value=texts)


def amenity_conditions(world: World, draws: Draws, *, room: int, house: int, without: int) -> list[Condition]:
    """Draw conditions on different amenities.

    A ``room`` condition uses only amenities that a house may also share.
    """
    both = sorted({*house_ids(world.edition)} & {*room_ids(world.edition)})
    chosen: list[Condition] = [("room_has", amenity) for amenity in draws.sample(both, room)]
    used = {amenity for _, amenity in chosen}
    options = [amenity for amenity in house_ids(world.edition) if amenity not in used]
    for place, amenity in enumerate(draws.sample(options, house + without)):
        chosen.append(("house_has" if place < house else "without", amenity))
    return chosen


def list_offers(world: World, given: Mapping[str, Any]) -> tuple[drafts.Offer, ...]:
    """List the offers in a task's places for its stay, cheapest first."""
    return drafts.offers(world, drafts.parse_stay(given), tuple(given["places"]))


def read_conditions(given: Mapping[str, Any]) -> list[Condition]:
    return [(kind, value) for kind, value in given["conditions"]]


def list_needs(
    world: World, best: drafts.Offer, near: Sequence[tuple[drafts.Offer, int]], given: Mapping[str, Any]
) -> tuple[str, ...]:
    """Name the facts that show the best room's price, that it meets all conditions, and what others miss."""
    required, stay = read_conditions(given), drafts.parse_stay(given)
    needed = [_need(world, best, condition) for condition in required]
    needed += [_need(world, offer, required[place]) for offer, place in near]
    price = drafts.price_need(best.listing, best.room, stay.check_in, stay.check_out)
    return (*dict.fromkeys(filter(None, needed)), price, drafts.fees_need(best.listing))


def _needs_in_vain(
    world: World, lost: drafts.Offer, nearest: drafts.Offer, given: Mapping[str, Any]
) -> tuple[str, ...]:
    """Name the facts that show what the twin's room lacks and what the nearest alternative has and costs.

    Without a budget, the price per night in the results already shows that the alternative is the cheapest.
    """
    required, stay = read_conditions(given), drafts.parse_stay(given)
    needed = [_need(world, nearest, condition) for condition in required]
    price = drafts.price_need(nearest.listing, nearest.room, stay.check_in, stay.check_out)
    if all(kind != "budget" for kind, _ in required):
        price += f"{OR}listing/{nearest.listing.id}/rate/{stay.check_in}/{stay.check_out}"
    return tuple(dict.fromkeys(filter(None, [*needed, _need(world, lost, required[0]), price])))


def _need(world: World, offer: drafts.Offer, condition: Condition) -> str:
    """Name the fact that decides a condition; empty if the search's own filters and results decide it.

    These show ratings, prices, whether the house has only one room, and whether an amenity is missing
    everywhere in the house. A house's page lists some of its amenities immediately, and all of them, with its
    rooms', on request.
    """
    kind, value = condition
    listing, room = offer.listing, offer.room
    if kind == "cancel":
        return f"listing/{listing.id}/policy"
    if kind not in ("room_has", "house_has", "without") or not drafts.offers_anywhere(listing, value):
        return ""
    if kind == "without" and len(listing.rooms) == 1:
        return ""
    every = f"listing/{listing.id}/room/{room.id}/amenities"
    is_named = kind != "room_has" and value in named_at_once(world, listing)
    is_whole = kind == "house_has" and len(highlights(listing)) == len(listing.amenities)
    return f"{every}{OR}listing/{listing.id}/about" if is_named or is_whole else every


def near_miss(world: World, task: SiteTask) -> tuple[drafts.Offer, int] | None:
    """Find the nearest alternative and the condition that it misses, if no room meets all conditions.

    Return None if a discount makes the alternative cheaper than its nights. A visitor ends the search by the
    prices per night in the results, and would not know of such a discount without opening the house.
    """
    offers = sift_places(world, task.given)
    if offers.full or not offers.near:
        return None
    is_tied = len(offers.near) > 1 and offers.near[0][0].total == offers.near[1][0].total
    nearest = offers.near[0][0]
    is_confirmed = nearest.total >= nearest.nights + drafts.parse_stay(task.given).nights
    return None if is_tied or not is_confirmed else offers.near[0]


def impossible(world: World, task: SiteTask) -> SiteTask | None:
    """Derive the twin, in which the only room that meets all conditions has lost the first amenity."""
    conditions = read_conditions(task.given)
    full = sift(list_offers(world, task.given), conditions).full
    if len(full) != 1 or conditions[0][0] != "room_has":
        return None
    change = {"change": "room_loses", "room": full[0].room.id, "amenity": conditions[0][1]}
    changed = world_change(world, [change])
    nearest = near_miss(changed, task)
    if nearest is None:
        return None
    offer, place = nearest
    listing, room = drafts.room_numbered(changed, full[0].room.id)
    lost = replace(full[0], listing=listing, room=room)
    return replace(
        task,
        answer=(LETTERS[place], offer.listing.id),
        needs=_needs_in_vain(changed, lost, offer, task.given),
        is_possible=False,
        twin=digest([task.wording, task.given])[:16],
        changes=(change,),
    )


def check_impossible(world: World, task: SiteTask) -> bool:
    """Return whether no room meets all conditions and the answer is the cheapest room that misses one."""
    rooms = brute_force.failing(world, task.given)
    near = sorted((cents, failed[0], listing.id) for failed, cents, listing, _ in rooms if len(failed) == 1)
    is_single = len(near) < 2 or near[0][0] < near[1][0]
    return (
        all(failed for failed, *_ in rooms) and is_single and (LETTERS[near[0][1]], near[0][2]) == task.answer
    )
