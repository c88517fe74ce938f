"""The booking, out of several, that can be cancelled free of charge for longest, and until when."""

from __future__ import annotations

from datetime import date, timedelta

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.stays.common import milestones, moves
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.formats import day_text
from tasks_app.worlds.stays.quotes import free_until
from tasks_app.worlds.stays.types import Listing, World

WORDING = wording(__name__)

TRIES = 60
# Level: houses, maximum days between the best and the next, maximum days by which arrivals differ.
SHAPES = {1: (3, 12, 3), 2: (4, 8, 8), 3: (5, 5, 15), 4: (6, 3, 25), 5: (8, 2, 40)}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    count, most, spread = SHAPES[level]
    for _ in range(TRIES):
        houses = draws.sample(world.listings, count)
        start = draws.whole(50, 250)
        arrivals = [world.first_day + timedelta(days=start + draws.whole(0, spread)) for _ in houses]
        ends = _ends(houses, arrivals)
        if len(ends) < 2 or not 0 < (ends[0][0] - ends[1][0]).days <= most:
            continue
        latest = max(arrivals)
        if arrivals.count(latest) == 1 and houses[arrivals.index(latest)].id == ends[0][1]:
            continue
        lines = "\n".join(
            f"- {listing.name}, {listing.neighbourhood}: check-in on {day_text(arrival)}"
            for listing, arrival in zip(houses, arrivals, strict=True)
        )
        return SiteTask(
            family=WORDING.id,
            level=level,
            wording=WORDING.text(draws, lines=lines),
            answer=tuple(map(str, ends[0])),
            fields=WORDING.fields,
            forms=moves.FORMS + count,
            needs=tuple(f"listing/{listing.id}/policy" for listing in houses),
            oracle_steps=(moves.FINDING + moves.HOME) * count - moves.HOME + moves.HANDING_IN,
            given={
                "arrivals": [
                    {"listing": listing.id, "check_in": arrival.isoformat()}
                    for listing, arrival in zip(houses, arrivals, strict=True)
                ]
            },
        )
    return None


def _ends(houses: list[Listing], arrivals: list[date]) -> list[tuple[date, str]]:
    """List the last days of free cancellation with the houses' ids, latest day first."""
    ends = [
        (end, listing.id)
        for listing, arrival in zip(houses, arrivals, strict=True)
        if (end := free_until(listing.policy, arrival)) is not None
    ]
    return sorted(ends, reverse=True)


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer with the second-latest day and its house."""
    arrivals = task.given["arrivals"]
    houses = [world.listing(arrival["listing"]) for arrival in arrivals]
    ends = _ends(houses, [date.fromisoformat(arrival["check_in"]) for arrival in arrivals])
    return str(ends[1][0]), ends[1][1]


def check(world: World, task: SiteTask) -> bool:
    by_day: dict[date, list[str]] = {}
    for stay in task.given["arrivals"]:
        arrival = date.fromisoformat(stay["check_in"])
        policies = [listing.policy for listing in world.listings if listing.id == stay["listing"]]
        for back in range(100):
            left = next(tier for tier in policies[0].tiers if back >= tier.days)
            if left.percent == 0 and not left.first_night:
                by_day.setdefault(date.fromordinal(arrival.toordinal() - back), []).append(stay["listing"])
                break
    last = max(by_day)
    return by_day[last] == [task.answer[1]] and last.isoformat() == task.answer[0]


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(milestones.opened(milestones.answers_listing), milestones.SAW_POLICIES),
)
