"""The cheapest room with some amenities and without others, where cheaper rooms miss a single condition."""

from __future__ import annotations

from typing import Any

from core.draws import Draws
from tasks_app.families.milestones import needed, seen
from tasks_app.families.registry import family
from tasks_app.families.stays.common import brute_force, conditions, drafts, milestones, moves, nearest
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.stays.quotes import euros
from tasks_app.worlds.stays.types import World

WORDING = wording(__name__)

# Level: neighbourhoods (0 means all), amenities of the room, of the house, of neither, cheaper near misses.
SHAPES = {1: (1, 1, 0, 1, 1), 2: (1, 1, 1, 1, 1), 3: (2, 1, 1, 1, 2), 4: (3, 2, 1, 1, 3), 5: (0, 2, 2, 1, 5)}


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    places, room, house, without, least = SHAPES[level]
    given = conditions.given_draw(
        world,
        draws,
        nights=(2, 5),
        guests=3,
        places=places,
        conditions=lambda offers: conditions.amenity_conditions(
            world, draws, room=room, house=house, without=without
        ),
        is_hard=lambda sifted, required: _is_hard(sifted, required, least),
    )
    return _task(world, draws, given, level) if given else None


def _is_hard(sifted: conditions.Sifted, required: list[conditions.Condition], least: int) -> bool:
    """Return whether one room is cheapest after enough near misses.

    One of these must lack an amenity that its house shares, and one must be in another house.
    """
    if not sifted.full:
        return False
    best = sifted.full[0]
    if len(sifted.full) > 1 and sifted.full[1].total == best.total:
        return False
    cheaper = [(offer, place) for offer, place in sifted.near if offer.total < best.total]
    tempting = any(
        required[place][0] == "room_has" and required[place][1] in offer.listing.amenities
        for offer, place in cheaper
    )
    is_elsewhere = any(offer.listing.id != best.listing.id for offer, _ in cheaper)
    return len(cheaper) >= least and tempting and is_elsewhere


def _task(world: World, draws: Draws, given: dict[str, Any], level: int) -> SiteTask:
    sifted = conditions.sift_places(world, given)
    best = sifted.full[0]
    cheaper = [(offer, place) for offer, place in sifted.near if offer.total < best.total]
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=WORDING.text(draws, **conditions.wording_slots(world, given)),
        answer=(euros(best.total), best.listing.id),
        fields=WORDING.fields,
        forms=moves.FORMS,
        needs=conditions.list_needs(world, best, cheaper, given),
        oracle_steps=_moves(world, given),
        given=given,
    )


def _moves(world: World, given: dict[str, Any]) -> int:
    """Count the impossible twin's moves, which are those of the possible task and a further search."""
    looking = nearest.finding(given, conditions.list_offers(world, given))
    stay = drafts.parse_stay(given)
    return moves.searching(stay) + moves.narrowing(world, given) + looking + moves.HANDING_IN


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer with the cheapest room that misses one condition."""
    near = conditions.sift_places(world, task.given).near
    return euros(near[0][0].total), near[0][0].listing.id


def check(world: World, task: SiteTask) -> bool:
    if not task.is_possible:
        return conditions.check_impossible(world, task)
    rooms = brute_force.failing(world, task.given)
    totals = sorted((cents, listing.id) for failed, cents, listing, _ in rooms if not failed)
    is_single = len(totals) == 1 or totals[0][0] < totals[1][0]
    return is_single and task.answer == (f"{totals[0][0] / 100:.2f}", totals[0][1])


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    twin=conditions.impossible,
    milestones=(
        milestones.searched(lambda gold: (gold.given,)),
        milestones.opened(milestones.answers_listing),
        milestones.opened_amenities(milestones.answers_listing),
        seen("saw_every_cheaper_room", needed),
    ),
)
