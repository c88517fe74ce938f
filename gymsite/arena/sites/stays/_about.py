"""What a house's page says of the house itself."""

from __future__ import annotations

from typing import Any

from gymsite.arena.sites.stays import _wording as wording
from gymsite.arena.sites.stays._search import distance
from tasks_app.worlds.stays.pictures import gallery
from tasks_app.worlds.stays.quotes import tax_cents
from tasks_app.worlds.stays.text import description, policy_text
from tasks_app.worlds.stays.types import Fees, Listing, Rules, World

Rows = list[tuple[str, str]]


def about(world: World, listing: Listing) -> dict[str, Any]:
    return {
        "listing": listing,
        "stars": f"{listing.stars}-star" if listing.stars else "",
        "rating": wording.points(listing.rating),
        "centre": distance(listing.centre_metres),
        "pictures": [
            {"name": hung.picture.name, "words": hung.picture.words, "caption": hung.caption}
            for hung in gallery(world, listing)
        ],
        "paragraphs": description(world, listing),
        "policy": policy_text(listing.policy),
        "rules": _rules(listing.rules),
        "fees": [*_fees(listing.fees), ("City tax", _tax(world, listing))],
    }


def _rules(rules: Rules) -> Rows:
    return [
        ("Arrival", f"from {rules.arrive_from}:00 to {rules.arrive_until}:00"),
        ("Departure", f"until {rules.leave_until}:00"),
        ("Shortest stay", wording.nights_text(rules.min_nights)),
        ("Quiet hours", f"from {rules.quiet_from}:00"),
        ("Pets", rules.pets),
        ("Smoking", rules.smoking),
        ("Parties", "Allowed" if rules.parties else "Not allowed"),
        ("Least age", f"{rules.least_age} years" if rules.least_age else "None"),
    ]


def _fees(fees: Fees) -> Rows:
    service = f"{fees.service_percent}% of the nights' price, after extra guests and discount"
    discount = f"{fees.long_stay_percent}% of the nights' price from {fees.long_stay_nights} nights on"
    return [
        ("Cleaning, once a stay", wording.money(fees.cleaning_cents) if fees.cleaning_cents else "None"),
        ("Service fee", service if fees.service_percent else "None"),
        ("Long stay discount", discount if fees.long_stay_nights else "None"),
    ]


def _tax(world: World, listing: Listing) -> str:
    tax = wording.money(tax_cents(world, listing))
    return f"{tax} a person and night, for the first {wording.nights_text(world.town.tax.nights)}"


def amenities_by_place(world: World, listing: Listing, *, shared: str) -> list[dict[str, Any]]:
    """All of them by where they are: the house first, under the heading ``shared``, then each room."""
    places = [(shared, "", listing.amenities)]
    places += [(room.name, room.id, room.amenities) for room in listing.rooms]
    return [
        {"title": title, "number": number, "groups": _grouped(world, has)} for title, number, has in places
    ]


def _grouped(world: World, has: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for one in world.amenities:
        if one.id in has:
            groups.setdefault(one.group, []).append(one.name)
    return sorted(groups.items())
