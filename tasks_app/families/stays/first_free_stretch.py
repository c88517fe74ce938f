"""The first date from which a room is free for enough nights, after stretches that are just too short."""

from __future__ import annotations

from datetime import date, timedelta

from core.draws import Draws
from tasks_app.families.milestones import needed, once, seen
from tasks_app.families.registry import family
from tasks_app.families.stays.common import brute_force, drafts, milestones, moves
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.formats import day_text
from tasks_app.worlds.stays.calendar import first_free, night_price
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.types import Listing, Room, World

WORDING = wording(__name__)

TRIES = 120
# Level: nights, number of nights that the earlier stretch lacks, days between the first day and the answer.
SHAPES = {
    1: (10, 4, (3, 50)),
    2: (14, 4, (10, 70)),
    3: (14, 3, (30, 110)),
    4: (14, 2, (45, 160)),
    5: (14, 1, (60, 300)),
}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    nights, short_by, (least, most) = SHAPES[level]
    # In rooms where the traveller has no trip, the calendar alone shows what is free.
    own = {trip.room for trip in world.trips}
    untouched = [(listing, room) for listing, room in drafts.pairs(world) if room.id not in own]
    for _ in range(TRIES):
        listing, room = draws.pick(untouched)
        since = draws.whole(0, 60)
        start = first_free(room, nights=nights, since=since)
        if start is None or not least <= start - since <= most:
            continue
        near = first_free(room, nights=nights - short_by, since=since)
        if near is not None and near < start:
            return _task(world, draws, listing, room, level=level, since=since, start=start)
    return None


def _task(
    world: World, draws: Draws, listing: Listing, room: Room, *, level: int, since: int, start: int
) -> SiteTask:
    nights, short_by, _ = SHAPES[level]
    first, arrival = (world.first_day + timedelta(days=days) for days in (since, start))
    last = arrival + timedelta(days=nights - 1)
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=WORDING.text(
            draws,
            nights=nights,
            room=room.name,
            house=listing.name,
            place=listing.neighbourhood,
            first=day_text(first),
        ),
        answer=(arrival.isoformat(), euros(night_price(world, listing, room, arrival))),
        fields=WORDING.fields,
        forms=moves.FORMS,
        needs=(
            *drafts.full_needs(
                listing, room, (first + timedelta(days=days) for days in range(start - since)), nights=nights
            ),
            drafts.price_need(listing, room, arrival, last + timedelta(days=1)),
            drafts.price_need(listing, room, arrival, arrival + timedelta(days=1)),
        ),
        oracle_steps=moves.FINDING + 1 + moves.months(world.first_day, last) + moves.HANDING_IN,
        given={"room": room.id, "nights": nights, "since": first.isoformat(), "short_by": short_by},
    )


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer with the earlier stretch, which is too short."""
    listing, room = drafts.room_numbered(world, task.given["room"])
    since = (date.fromisoformat(task.given["since"]) - world.first_day).days
    near = first_free(room, nights=task.given["nights"] - task.given["short_by"], since=since) or 0
    day = world.first_day + timedelta(days=near)
    return day.isoformat(), euros(night_price(world, listing, room, day))


def check(world: World, task: SiteTask) -> bool:
    listing, room = drafts.room_numbered(world, task.given["room"])
    day = date.fromisoformat(task.given["since"])
    while any(
        brute_force.is_taken(world, room, day + timedelta(days=step)) for step in range(task.given["nights"])
    ):
        day += timedelta(days=1)
    cents = brute_force.night(world, listing, room, day)
    return task.answer == (str(day), f"{cents / 100:.2f}")


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(
        milestones.opened(lambda gold: gold.needs[0].split("/")[1]),
        once(
            "opened_right_calendar",
            lambda gold, kind, data: kind == "calendar_opened" and data["room"] == gold.given["room"],
            is_one_way=True,
        ),
        seen("reached_right_month", lambda gold: milestones.prices(gold)[-1:]),
        seen("saw_every_month", needed),
    ),
)
