"""Facts about a property as a whole, for its page."""

from __future__ import annotations

from typing import Any

from gymsite.arena.sites.stays import _wording as wording
from tasks_app.worlds.stays.pictures import gallery
from tasks_app.worlds.stays.text import description, distance, fees_rows, policy_text, rules_rows
from tasks_app.worlds.stays.types import Listing, World


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
        "rules": rules_rows(listing.rules),
        "fees": fees_rows(world, listing),
    }


def amenities_by_place(world: World, listing: Listing, *, shared: str) -> list[dict[str, Any]]:
    """Group all amenities by place: the house first, under the heading ``shared``, then each room."""
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
