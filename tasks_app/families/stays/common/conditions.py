"""Conditions on a room, and finding the ones under which an answer is hard to hit.

A task's conditions are lettered. When no room meets all of them, the answer is the cheapest room that fails
exactly one, with that condition's letter. So a task and its impossible twin have the same wording.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from core.draws import Draws
from tasks_app.families.stays.common import brute_force, drafts
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import site_phrases
from tasks_app.worlds.digest import digest
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.stays.changes import world_change
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.types import Policy, World
from tasks_app.worlds.stays.vocabulary import amenity_names, house_ids, room_ids

Condition = tuple[str, str]
"""Kind and value, both text, as a task's data holds them."""
LETTERS = "abcdef"


@dataclass(frozen=True, slots=True)
class Sifted:
    """Offers by the conditions that they miss."""

    full: tuple[drafts.Offer, ...]
    near: tuple[tuple[drafts.Offer, int], ...]
    """Those that miss exactly one, with its place; cheapest first, as ``full``."""


def holds(offer: drafts.Offer, condition: Condition) -> bool:
    return _test(*condition)(offer)


@lru_cache(maxsize=1024)
def _test(kind: str, value: str) -> Callable[[drafts.Offer], bool]:
    """Whether an offer meets a condition: what to look at is settled once for all offers."""
    match kind:
        case "room_has":
            return lambda offer: value in offer.room.amenities
        case "house_has":
            return lambda offer: value in offer.listing.amenities
        case "without":
            return lambda offer: value not in offer.listing.amenities and value not in offer.room.amenities
        case "rating":
            least = int(value)
            return lambda offer: offer.listing.rating >= least
        case "budget":
            most = int(value)
            return lambda offer: offer.total <= most
        case "cancel":
            days = int(value)
            return lambda offer: _last_free(offer.listing.policy) <= days
    raise KeyError(kind)


def _last_free(policy: Policy) -> float:
    """Until how many days before arrival cancelling is free of charge; infinite where it never is."""
    if not policy.tiers[0].is_free:
        return math.inf
    return [tier.days for tier in policy.tiers if tier.is_free][-1]


def sift(offers: Sequence[drafts.Offer], conditions: Sequence[Condition]) -> Sifted:
    tests = [(place, _test(*condition)) for place, condition in enumerate(conditions)]
    full, near = [], []
    for offer in offers:
        missed = (place for place, is_met in tests if not is_met(offer))
        first = next(missed, None)
        if first is None:
            full.append(offer)
        elif next(missed, None) is None:
            near.append((offer, first))
    return Sifted(tuple(full), tuple(near))


def conditions_text(world: World, conditions: Sequence[Condition]) -> str:
    return "; ".join(
        f"({letter}) {_text(world, *condition)}"
        for letter, condition in zip(LETTERS, conditions, strict=False)
    )


def _text(world: World, kind: str, value: str) -> str:
    shown = {
        "rating": lambda: f"{int(value) / 10:.1f}",
        "budget": lambda: euros(int(value)),
        "cancel": lambda: value,
    }.get(kind, lambda: amenity_names(world.edition)[value])()
    return str(site_phrases("stays")[kind]).format(value=shown)


def amenity_conditions(world: World, draws: Draws, *, room: int, house: int, without: int) -> list[Condition]:
    """Conditions on different amenities; ``room`` ones only on such as a house may share instead."""
    both = _of_house_or_room(world.edition)
    chosen: list[Condition] = [("room_has", one) for one in draws.sample(both, room)]
    used = {one for _, one in chosen}
    options = [one for one in house_ids(world.edition) if one not in used]
    for place, one in enumerate(draws.sample(options, house + without)):
        chosen.append(("house_has" if place < house else "without", one))
    return chosen


@cache
def _of_house_or_room(edition: Edition) -> tuple[str, ...]:
    return tuple(sorted(set(house_ids(edition)) & set(room_ids(edition))))


def places_draw(world: World, draws: Draws, count: int) -> list[str]:
    """Neighbourhoods to look in; 0 for the whole town."""
    return draws.sample(world.town.neighbourhoods, count) if count else list(world.town.neighbourhoods)


def places_text(world: World, places: Sequence[str]) -> str:
    if len(places) == len(world.town.neighbourhoods):
        return f"anywhere in {world.town.name}"
    return f"in {drafts.joined(list(places), last='or')}"


def offers_of(world: World, given: Mapping[str, Any]) -> tuple[drafts.Offer, ...]:
    """What a task's places have to offer for its stay, cheapest first."""
    return drafts.offers(world, drafts.stay_of(given), tuple(given["places"]))


def conditions_of(given: Mapping[str, Any]) -> list[Condition]:
    return [(kind, value) for kind, value in given["conditions"]]


def needs_of(
    best: drafts.Offer, near: Sequence[tuple[drafts.Offer, int]], wanted: Sequence[Condition]
) -> tuple[str, ...]:
    """Where it is shown that a room meets all conditions, and of others that each misses its one.

    Nobody has to open a house of which the search's own filters and results tell: one that has an amenity
    nowhere, one that is rated too low, one that is too dear.
    """
    needed = [_amenities(best)]
    for offer, place in near:
        kind, value = wanted[place]
        if kind == "without" or (kind in ("room_has", "house_has") and _is_somewhere(offer, value)):
            needed.append(_amenities(offer))
        elif kind == "cancel":
            needed.append(f"listing/{offer.listing.id}/policy")
    return tuple(dict.fromkeys(needed))


def _needs_in_vain(
    lost: drafts.Offer, amenity: str, found: tuple[drafts.Offer, int], wanted: Sequence[Condition]
) -> tuple[str, ...]:
    """Where it is shown that the twin's room misses an amenity, unless a filter tells, and what the nearest
    alternative has.
    """
    offer, place = found
    needed = [_amenities(offer)]
    if wanted[place][0] == "cancel":
        needed.append(f"listing/{offer.listing.id}/policy")
    others = [room for room in lost.listing.rooms if room.id != lost.room.id]
    if amenity in lost.listing.amenities or any(amenity in room.amenities for room in others):
        needed.append(_amenities(lost))
    return tuple(dict.fromkeys(needed))


def _amenities(offer: drafts.Offer) -> str:
    return f"listing/{offer.listing.id}/room/{offer.room.id}/amenities"


def _is_somewhere(offer: drafts.Offer, amenity: str) -> bool:
    """Whether the house or one of its rooms has it, as the search's filter asks."""
    rooms = offer.listing.rooms
    return amenity in offer.listing.amenities or any(amenity in room.amenities for room in rooms)


def near_miss(world: World, task: SiteTask) -> tuple[drafts.Offer, int] | None:
    """The nearest alternative and the place of the condition that it misses, where no room meets all.

    None where a discount makes it cheaper than its nights, which nobody sees who has not opened its house: by
    the prices of nights, as the results tell them, the search for it must come to an end.
    """
    sifted = sift(offers_of(world, task.given), conditions_of(task.given))
    if sifted.full or not sifted.near:
        return None
    is_tied = len(sifted.near) > 1 and sifted.near[0][0].total == sifted.near[1][0].total
    nearest = sifted.near[0][0]
    is_confirmed = nearest.total >= nearest.nights + drafts.stay_of(task.given).nights
    return None if is_tied or not is_confirmed else sifted.near[0]


def impossible(world: World, task: SiteTask) -> SiteTask | None:
    """The twin: the only room that meets all the conditions loses the first amenity that they ask of it."""
    conditions = conditions_of(task.given)
    full = sift(offers_of(world, task.given), conditions).full
    if len(full) != 1 or conditions[0][0] != "room_has":
        return None
    change = {"change": "room_loses", "room": full[0].room.id, "amenity": conditions[0][1]}
    found = near_miss(world_change(world, [change]), task)
    if found is None:
        return None
    offer, place = found
    return replace(
        task,
        answer=(LETTERS[place], offer.listing.id),
        needs=_needs_in_vain(full[0], conditions[0][1], found, conditions),
        is_possible=False,
        twin=digest([task.wording, task.given])[:16],
        changes=(change,),
    )


def check_impossible(world: World, task: SiteTask) -> bool:
    """Whether no room meets all, and the cheapest that misses one is the answer's."""
    found = brute_force.failing(world, task.given)
    near = sorted((cents, failed[0], listing.id) for failed, cents, listing, _ in found if len(failed) == 1)
    is_single = len(near) < 2 or near[0][0] < near[1][0]
    return (
        all(failed for failed, *_ in found) and is_single and (LETTERS[near[0][1]], near[0][2]) == task.answer
    )
