"""The amenities, out of six, that some rooms lack even though the house may share them."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.stays.common import drafts, milestones, moves
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.stays.types import Listing, Room, World
from tasks_app.worlds.stays.vocabulary import amenity_names, room_ids

WORDING = wording(__name__)

LISTED = 6
TRIES = 60
# Level: rooms in question, missing amenities that the house shares, minimum number of rooms in the house.
SHAPES = {1: (1, 1, 1), 2: (1, 1, 2), 3: (1, 2, 3), 4: (2, 2, 3), 5: (3, 2, 3)}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    count, tempting, least = SHAPES[level]
    for _ in range(TRIES):
        listing = draws.pick(world.listings)
        if len(listing.rooms) < max(count, least):
            continue
        rooms = draws.sample(listing.rooms, count)
        listed = _list_amenities(world, draws, listing, rooms, tempting)
        if listed:
            return _task(world, draws, listing, rooms, listed, level)
    return None


def _had(rooms: list[Room]) -> set[str]:
    return {amenity for room in rooms for amenity in room.amenities}


def _list_amenities(
    world: World, draws: Draws, listing: Listing, rooms: list[Room], tempting: int
) -> list[str]:
    """List six amenities, one to four of them missing and at least ``tempting`` of those shared."""
    had = _had(rooms)
    missing = [amenity for amenity in room_ids(world.edition) if amenity not in had]
    shared = [amenity for amenity in missing if amenity in listing.amenities]
    if len(shared) < tempting:
        return []
    chosen = draws.sample(shared, tempting)
    others = [amenity for amenity in missing if amenity not in chosen]
    chosen += draws.sample(others, min(draws.whole(0, 2), len(others)))
    if len(had) < LISTED - len(chosen):
        return []
    return draws.shuffled([*chosen, *draws.sample(sorted(had), LISTED - len(chosen))])


def _task(
    world: World, draws: Draws, listing: Listing, rooms: list[Room], listed: list[str], level: int
) -> SiteTask:
    called = amenity_names(world.edition)
    is_one = len(rooms) == 1
    opening = WORDING.text(
        draws,
        "one_room" if is_one else "several_rooms",
        rooms=drafts.join_names([f"the {room.name}" for room in rooms]),
        house=listing.name,
        place=listing.neighbourhood,
        amenities=drafts.join_names([called[amenity] for amenity in listed], last="or"),
    )
    number = WORDING.text(draws, "number_of_one" if is_one else "number_of_first")
    missing = [called[amenity] for amenity in listed if amenity not in _had(rooms)]
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=WORDING.text(draws, opening=opening, number=number),
        answer=(", ".join(missing), rooms[0].id),
        fields=WORDING.fields,
        forms=moves.FORMS,
        needs=tuple(f"listing/{listing.id}/room/{room.id}/amenities" for room in rooms),
        oracle_steps=moves.FINDING + 1 + moves.HANDING_IN,
        given={"listing": listing.id, "rooms": [room.id for room in rooms], "asked": listed},
    )


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer as if amenities that the house shares were the room's own."""
    listing = world.listing(task.given["listing"])
    called = amenity_names(world.edition)
    shared = {called[amenity] for amenity in listing.amenities}
    left = [name for name in task.answer[0].split(", ") if name not in shared]
    return ", ".join(left) or "none", task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    by_name = {amenity.name: amenity.id for amenity in world.amenities}
    answered = [by_name.get(name) for name in task.answer[0].split(", ")]
    for amenity in task.given["asked"]:
        lacks = not any(
            amenity in room.amenities
            for listing in world.listings
            for room in listing.rooms
            if room.id in task.given["rooms"]
        )
        if lacks != (amenity in answered):
            return False
    in_order = answered == [amenity for amenity in task.given["asked"] if amenity in answered]
    return bool(answered) and in_order and task.answer[1] == task.given["rooms"][0]


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(
        milestones.opened(lambda gold: str(gold.given["listing"])),
        milestones.opened_amenities(lambda gold: str(gold.given["listing"])),
    ),
)
