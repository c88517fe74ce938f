"""Number of moves to see that no room meets all conditions and which room comes nearest.

Every house that the filters leave is opened in vain. Then whatever is still unknown is examined in the order
of the lowest price per night, until the nights of the next house alone cost as much as the nearest room in
total. This works because pages show the prices of nights, and no task's nearest room costs less than its
nights (``near_miss``).

The count is made for possible tasks as well, although they never need it, so that a task has as many
``oracle_steps`` as its impossible twin, whether or not it has one. Rooms that meet every condition never
count as the nearest. In a twin, the room that lost its amenity may be the nearest, but then the search only
ends sooner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks_app.families.stays.common import conditions, moves
from tasks_app.families.stays.common.conditions import Condition
from tasks_app.families.stays.common.drafts import Offer

OPENING = 2
"""Moves to open a house and the list of all its amenities."""
ORDERING = 2
"""Moves to choose the order by price and press the button."""


def finding(given: Mapping[str, Any], offers: Sequence[Offer]) -> int:
    """Count opened houses, priced rooms and turned pages, from the first results to the answer."""
    required = conditions.read_conditions(given)
    left = {house.id for house in moves.houses(given, offers)}
    fitting = [offer for offer in offers if offer.listing.id in left and not _unread(offer, required)]
    near = min((offer.total for offer in fitting if _is_near(offer, required)), default=None)
    in_vain = moves.turning(len(left)) + OPENING * len(left) + len(fitting)
    again = moves.HOME + len(moves.required_amenities(given)) + ORDERING
    return in_vain + again + _by_price(offers, required, left, near)


def _by_price(
    offers: Sequence[Offer], required: Sequence[Condition], left: set[str], near: int | None
) -> int:
    total = 0
    for place, house in enumerate(_by_house(offers)):
        total += place > 0 and place % moves.RESULTS_A_PAGE == 0
        if _is_dearer(house[0].nights, near):
            break
        is_known = house[0].listing.id in left
        total += 0 if is_known else OPENING
        for offer in house:
            missed = _unread(offer, required)
            if missed > 1 or (is_known and not missed) or _is_dearer(offer.nights, near):
                continue
            total += 1
            if _is_near(offer, required):
                near = min(offer.total, near or offer.total)
    return total


def _by_house(offers: Sequence[Offer]) -> list[list[Offer]]:
    """Group offers by house as in results sorted by price; each house's rooms are sorted by price too."""
    rooms: dict[str, list[Offer]] = {}
    for offer in sorted(offers, key=lambda offer: (offer.nights, offer.room.id)):
        rooms.setdefault(offer.listing.id, []).append(offer)
    return list(rooms.values())


def _is_dearer(nights: int, near: int | None) -> bool:
    """Return whether a room's nights alone cost as much as the nearest room so far."""
    return near is not None and nights >= near


def _unread(offer: Offer, required: Sequence[Condition]) -> int:
    """Count the conditions that the offer misses, except for the budget, which requires its price."""
    return sum(kind != "budget" and not conditions.holds(offer, (kind, value)) for kind, value in required)


def _is_near(offer: Offer, required: Sequence[Condition]) -> bool:
    return sum(not conditions.holds(offer, condition) for condition in required) == 1
