"""Texts about a listing, for its page and for arms without pages: description, rules, fees, policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.draws import Draws
from tasks_app.worlds.cache import cached_by_world
from tasks_app.worlds.formats import counted
from tasks_app.worlds.stays.quotes import euros, tax_cents
from tasks_app.worlds.stays.types import Listing, Policy, Room, Rules, Tier, World
from tasks_app.worlds.stays.vocabulary import DESCRIPTIONS, amenity_names

Rows = list[tuple[str, str]]
"""Pairs of a fact's name and its text."""
HIGHLIGHTS = 4
COUNTS = ("no", "one", "two", "three", "four")
FITS: Mapping[str, Callable[[Listing], bool]] = {
    "{rooms}": lambda listing: len(listing.rooms) > 1,
    "narrow staircase": lambda listing: len(listing.rooms) > 1 and "lift" not in listing.amenities,
    "delivery vans": lambda listing: not listing.street.endswith(("Steps", "Stairs", "Passage", "Alley")),
    "Arrivals after": lambda listing: listing.rules.arrive_until < 24,
    "Children are": lambda listing: not listing.rules.least_age,
    "the discount": lambda listing: listing.fees.long_stay_nights > 0,
}
"""Words that fit only listings with certain facts."""


@cached_by_world(most=12)
def description(world: World, listing: Listing) -> tuple[str, ...]:
    """Write two to four paragraphs that mention some amenities of the house and none of its rooms.

    No sentence contradicts the listing's facts.
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
        return " ".join(
            sentence.format_map(slots) for sentence in draws.sample(fitting(sentences, listing), count)
        )

    paragraphs = [
        f"{some(DESCRIPTIONS.openings, 1)} {some(DESCRIPTIONS.places, draws.whole(1, 2))}",
        f"{some(DESCRIPTIONS.houses, draws.whole(2, 3))} {_offer(world, listing, draws)}".strip(),
        some(DESCRIPTIONS.details, draws.whole(2, 4)),
        some(DESCRIPTIONS.closings, draws.whole(1, 2)),
    ]
    return tuple(paragraphs[: draws.whole(2, 4)])


def policy_text(policy: Policy) -> tuple[str, ...]:
    """Describe the policy's tiers in sentences, then the rule for changing dates."""
    lines = [_tier_text(tier, policy, number) for number, tier in enumerate(policy.tiers)]
    cost = f"for EUR {euros(policy.change_cents)}" if policy.change_cents else "free of charge"
    days = counted(policy.change_days, "day")
    return (
        *lines,
        f"Dates can be changed {cost} until {days} before check-in; the new nights have their own prices.",
    )


def rules_rows(rules: Rules) -> Rows:
    return [
        ("Check-in", f"from {rules.arrive_from}:00 to {rules.arrive_until}:00"),
        ("Check-out", f"until {rules.leave_until}:00"),
        ("Minimum stay", counted(rules.min_nights, "night")),
        ("Quiet hours", f"from {rules.quiet_from}:00"),
        ("Pets", rules.pets),
        ("Smoking", rules.smoking),
        ("Parties", "Allowed" if rules.parties else "Not allowed"),
        ("Minimum age", f"{rules.least_age} years" if rules.least_age else "None"),
    ]


def fees_rows(world: World, listing: Listing) -> Rows:
    fees, tax = listing.fees, world.town.tax
    service = f"{fees.service_percent}% of the price of nights and extra guests, after any discount"
    discount = f"{fees.long_stay_percent}% off nights and extra guests from {fees.long_stay_nights} nights"
    nights = counted(tax.nights, "night")
    return [
        ("Cleaning fee, per stay", f"EUR {euros(fees.cleaning_cents)}" if fees.cleaning_cents else "None"),
        ("Service fee", service if fees.service_percent else "None"),
        ("Long-stay discount", discount if fees.long_stay_nights else "None"),
        ("City tax", f"EUR {euros(tax_cents(world, listing))} per person per night, for the first {nights}"),
    ]


def highlights(listing: Listing) -> tuple[str, ...]:
    """List the amenities of the house that its page shows initially."""
    return listing.amenities[:HIGHLIGHTS]


def named_at_once(world: World, listing: Listing) -> frozenset[str]:
    """Return the amenities of the house that its page names before all of them are requested."""
    text, names = " ".join(description(world, listing)), amenity_names(world.edition)
    described = (amenity for amenity in listing.amenities if names[amenity].lower() in text)
    return frozenset((*highlights(listing), *described))


def guests_included(room: Room) -> str:
    """Describe how many guests the price of a night includes and what each additional guest costs."""
    extra = f", each extra guest EUR {euros(room.extra_cents)} per night"
    return f"{counted(room.included, 'guest')} included{extra if room.included < room.sleeps else ''}"


def distance(metres: int) -> str:
    return f"{metres} m" if metres < 1000 else f"{metres / 1000:g} km"


def fitting(sentences: tuple[str, ...], listing: Listing) -> list[str]:
    denied = [words for words, fits in FITS.items() if not fits(listing)]
    return [sentence for sentence in sentences if not any(words in sentence for words in denied)]


def _offer(world: World, listing: Listing, draws: Draws) -> str:
    """Describe what the house itself has, as "shared" if a room may have it too, so that nobody is misled."""
    both = {amenity.id for amenity in world.amenities if amenity.scope == "both"}
    chosen = draws.sample(listing.amenities, min(3, len(listing.amenities)))
    names = amenity_names(world.edition)
    offered = [f"{'shared ' * (amenity in both)}{names[amenity].lower()}" for amenity in chosen]
    return f"Facilities for all guests: {', '.join(offered)}." if offered else ""


def _tier_text(tier: Tier, policy: Policy, number: int) -> str:
    if len(policy.tiers) == 1:
        return f"Non-refundable: cancelling always costs {tier.percent}% of the total price."
    cost = "the price of the first night" if tier.first_night else f"{tier.percent}% of the total price"
    until = f"until {counted(tier.days, 'day')} before check-in"
    if number == 0:
        return f"Free cancellation {until}." if tier.is_free else f"Cancelling costs {cost} {until}."
    if tier.days:
        return f"After that, {until}, it {'is free' if tier.is_free else f'costs {cost}'}."
    return f"Later cancellations {'are free' if tier.is_free else f'cost {cost}'}."
