"""Which of six amenities a room, or none of two or three rooms, has for itself; the house may share them."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.stays.common import drafts, milestones, moves
from tasks_app.families.types import Family, SiteTask
from tasks_app.worlds.stays.amenities import names, room_ids
from tasks_app.worlds.stays.types import Listing, Room, World

FIELDS = ("Missing amenities, in the order given, separated by commas", "Room number")
ASKED = 6
TRIES = 60
# Level: rooms asked about, of the missing ones those that the house shares, rooms that the house has.
SHAPES = {1: (1, 1, 1), 2: (1, 1, 2), 3: (1, 2, 3), 4: (2, 2, 3), 5: (3, 2, 3)}
OPENINGS = (
    "Look at {rooms} at {house} in {place}. Which of these six amenities does the room itself lack: {asked}?",
    "We are packing for {rooms} at {house} ({place}). Which of {asked} does the room itself not have?",
    "Before I book {rooms} at {house}, {place}: which of these does the room itself not offer? {asked}.",
    "We will stay in {rooms} at {house} in {place}. Which of {asked} is missing from the room itself?",
)
# Of several rooms "which does every one of them lack" could be read as "which do not all of them have".
OF_SEVERAL = (
    "Look at {rooms} at {house} in {place}. Which of {asked} does none of these rooms have of its own?",
    "We are packing for {rooms} at {house} ({place}). Which of {asked} does none of these rooms have?",
    "Before I book {rooms} at {house}, {place}: which of {asked} does none of these rooms offer?",
    "We will stay in {rooms} at {house} in {place}. Which of {asked} can be found in none of these rooms?",
)


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    count, tempting, least = SHAPES[level]
    for _ in range(TRIES):
        listing = draws.pick(world.listings)
        if len(listing.rooms) < max(count, least):
            continue
        rooms = draws.sample(listing.rooms, count)
        asked = _asked(world, draws, listing, rooms, tempting)
        if asked:
            return _task(world, draws, listing, rooms, asked, level)
    return None


def _had(rooms: list[Room]) -> set[str]:
    return {amenity for room in rooms for amenity in room.amenities}


def _asked(world: World, draws: Draws, listing: Listing, rooms: list[Room], tempting: int) -> list[str]:
    """Six amenities with one to four missing, ``tempting`` of them shared in the house at least."""
    had = _had(rooms)
    missing = [one for one in room_ids(world.edition) if one not in had]
    shared = [one for one in missing if one in listing.amenities]
    if len(shared) < tempting:
        return []
    chosen = draws.sample(shared, tempting)
    others = [one for one in missing if one not in chosen]
    chosen += draws.sample(others, min(draws.whole(0, 2), len(others)))
    if len(had) < ASKED - len(chosen):
        return []
    return draws.shuffled([*chosen, *draws.sample(sorted(had), ASKED - len(chosen))])


def _task(
    world: World, draws: Draws, listing: Listing, rooms: list[Room], asked: list[str], level: int
) -> SiteTask:
    called = names(world.edition)
    said = drafts.joined([f"the {room.name}" for room in rooms])
    opening = draws.pick(OPENINGS if len(rooms) == 1 else OF_SEVERAL).format(
        rooms=said,
        house=listing.name,
        place=listing.neighbourhood,
        asked=drafts.joined([called[one] for one in asked], last="or"),
    )
    number = "the room number" if len(rooms) == 1 else "the room number of the first room named"
    missing = [called[one] for one in asked if one not in _had(rooms)]
    return SiteTask(
        family="missing_amenities",
        level=level,
        wording=(
            f"{opening} {drafts.ROOM_ONLY} List all that are missing (at least one) in the order given here, "
            f"separated by commas, and give {number}."
        ),
        answer=(", ".join(missing), rooms[0].id),
        fields=FIELDS,
        forms=moves.FORMS,
        needs=tuple(f"listing/{listing.id}/room/{room.id}/amenities" for room in rooms),
        oracle_steps=moves.FINDING + 1 + moves.HANDING_IN,
        given={"listing": listing.id, "rooms": [room.id for room in rooms], "asked": asked},
    )


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """What the house shares taken for the room's own."""
    listing = drafts.listing_named(world, task.given["listing"])
    called = names(world.edition)
    shared = {called[one] for one in listing.amenities}
    left = [name for name in task.answer[0].split(", ") if name not in shared]
    return ", ".join(left) or "none", task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    by_name = {amenity.name: amenity.id for amenity in world.amenities}
    said = [by_name.get(name) for name in task.answer[0].split(", ")]
    for amenity in task.given["asked"]:
        lacks = not any(
            amenity in room.amenities
            for listing in world.listings
            for room in listing.rooms
            if room.id in task.given["rooms"]
        )
        if lacks != (amenity in said):
            return False
    in_order = said == [one for one in task.given["asked"] if one in said]
    return bool(said) and in_order and task.answer[1] == task.given["rooms"][0]


family(
    Family(
        id="missing_amenities",
        site="stays",
        title="What a room lacks",
        splits=("train", "test"),
        steps=(7, 7, 7, 7, 7),
        draw=draw,
        wrong=wrong,
        check=check,
        milestones=(
            milestones.opened(lambda told: str(told.given["listing"])),
            milestones.opened_amenities(lambda told: str(told.given["listing"])),
        ),
    )
)
