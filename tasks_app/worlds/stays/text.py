"""Words about a listing that are drawn only when somebody looks at it: description, policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.draws import Draws
from tasks_app.worlds.cache import of_world
from tasks_app.worlds.stays.amenities import names
from tasks_app.worlds.stays.types import Listing, Policy, Tier, World
from tasks_app.worlds.stays.vocabulary import DESCRIPTIONS

COUNTS = ("no", "one", "two", "three", "four")
FITS: Mapping[str, Callable[[Listing], bool]] = {
    "{rooms}": lambda listing: len(listing.rooms) > 1,
    "narrow staircase": lambda listing: len(listing.rooms) > 1 and "lift" not in listing.amenities,
    "delivery vans": lambda listing: not listing.street.endswith(("Steps", "Stairs", "Passage", "Alley")),
    "Arrivals after": lambda listing: listing.rules.arrive_until < 24,
    "Children are": lambda listing: not listing.rules.least_age,
    "the discount": lambda listing: listing.fees.long_stay_nights > 0,
}
"""Words of sentences that are not said of every listing, for the facts that it has would deny them."""


@of_world(most=12)
def description(world: World, listing: Listing) -> tuple[str, ...]:
    """Two to four paragraphs, which speak of some of the house's amenities and of none of a room's.

    Nothing is said that the listing's facts deny.
    """
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

    def some(sentences: tuple[str, ...], count: int) -> str:
        return " ".join(one.format_map(slots) for one in draws.sample(fitting(sentences, listing), count))

    paragraphs = [
        f"{some(DESCRIPTIONS.openings, 1)} {some(DESCRIPTIONS.places, draws.whole(1, 2))}",
        f"{some(DESCRIPTIONS.houses, draws.whole(2, 3))} {_offer(world, listing, draws)}".strip(),
        some(DESCRIPTIONS.details, draws.whole(2, 4)),
        some(DESCRIPTIONS.closings, draws.whole(1, 2)),
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


def fitting(sentences: tuple[str, ...], listing: Listing) -> list[str]:
    """Those that the facts of the listing do not deny."""
    denied = [words for words, fits in FITS.items() if not fits(listing)]
    return [one for one in sentences if not any(words in one for words in denied)]


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
