"""Words about a listing that are drawn only when somebody looks at it: description, policy, gallery."""

from __future__ import annotations

from functools import lru_cache

from gymsite.core.draws import Draws
from tasks_app.worlds.stays.amenities import names
from tasks_app.worlds.stays.types import Listing, Policy, Scene, Tier, World
from tasks_app.worlds.stays.vocabulary import CAPTIONS, SUBJECTS
from tasks_app.worlds.stays.vocabulary_text import CLOSINGS, DETAILS, HOUSES, OPENINGS, PLACES

PALETTES = 24
COUNTS = ("no", "one", "two", "three", "four")


@lru_cache(maxsize=512)
def description(world: World, listing: Listing) -> tuple[str, ...]:
    """Two to four paragraphs, which speak of some of the house's amenities and of none of a room's."""
    draws = Draws(world.key, "stays", world.edition, "description", listing.id)
    slots = {
        "name": listing.name,
        "kind": listing.kind.lower(),
        "place": listing.neighbourhood,
        "town": world.town.name,
        "street": listing.street.partition(" ")[2],
        "host": listing.host,
        "metres": f"{listing.centre_metres} m",
        "rooms": "a single room"
        if len(listing.rooms) == 1
        else f"{COUNTS[len(listing.rooms)]} kinds of room",
    }
    house = " ".join(_some(draws, HOUSES, draws.whole(2, 3), slots))
    paragraphs = [
        " ".join([*_some(draws, OPENINGS, 1, slots), *_some(draws, PLACES, draws.whole(1, 2), slots)]),
        f"{house} {_offer(world, listing, draws)}".strip(),
        " ".join(_some(draws, DETAILS, draws.whole(2, 4), slots)),
        " ".join(_some(draws, CLOSINGS, draws.whole(1, 2), slots)),
    ]
    return tuple(paragraphs[: draws.whole(2, 4)])


def policy_text(policy: Policy) -> tuple[str, ...]:
    """The policy's tiers as sentences, then the rule for changing dates."""
    lines = [_tier_text(tier, policy, number) for number, tier in enumerate(policy.tiers)]
    cost = f"for EUR {policy.change_cents / 100:.2f}" if policy.change_cents else "free of charge"
    days = f"{policy.change_days} day{'s' * (policy.change_days > 1)}"
    return (
        *lines,
        f"Dates can be changed {cost} until {days} before arrival; the new nights are priced anew.",
    )


@lru_cache(maxsize=512)
def scenes(world: World, listing: Listing) -> tuple[Scene, ...]:
    """Five to eight pictures: the front first, then rooms and surroundings."""
    draws = Draws(world.key, "stays", world.edition, "gallery", listing.id)
    palette = draws.whole(0, PALETTES - 1)
    subjects = ["front", *draws.sample(SUBJECTS, draws.whole(4, 7))]
    return tuple(
        Scene(
            subject=subject,
            caption=draws.pick(CAPTIONS[subject]).format(
                street=listing.street.partition(" ")[2],
                place=listing.neighbourhood,
                room=draws.pick(listing.rooms).name,
            ),
            palette=palette,
            seed=draws.whole(0, 2**31),
        )
        for subject in subjects
    )


def _some(draws: Draws, sentences: tuple[str, ...], count: int, slots: dict[str, str]) -> list[str]:
    return [sentence.format_map(slots) for sentence in draws.sample(sentences, count)]


def _offer(world: World, listing: Listing, draws: Draws) -> str:
    """What the house itself has; "shared" where a room may have it too, so that nobody is misled."""
    both = {amenity.id for amenity in world.amenities if amenity.scope == "both"}
    chosen = draws.sample(listing.amenities, min(3, len(listing.amenities)))
    called = [
        f"shared {names(world.edition)[one].lower()}" if one in both else names(world.edition)[one].lower()
        for one in chosen
    ]
    return f"Guests share the following with one another: {', '.join(called)}." if called else ""


def _tier_text(tier: Tier, policy: Policy, number: int) -> str:
    if tier.is_free:
        cost = "free of charge"
    elif tier.first_night:
        cost = "costs the price of the first night"
    else:
        cost = f"costs {tier.percent}% of the total price"
    days = f"{tier.days} day{'s' * (tier.days != 1)}"
    if len(policy.tiers) == 1:
        return f"Cancelling {cost}, whenever it is done."
    verb = "is " if tier.is_free else ""
    if number == 0:
        return f"Cancelling {verb}{cost} until {days} before the day of arrival."
    if tier.days:
        return f"After that, until {days} before the day of arrival, it {verb}{cost}."
    return f"Later than that it {verb}{cost}."
