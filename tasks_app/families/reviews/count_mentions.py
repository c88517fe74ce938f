"""Counts of a product's reviews that mention a term under a rule, with the author of the first or last."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import brute_force, drafts, milestones
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.reviews.types import World

WORDING = wording(__name__)


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    product = drafts.product_draw(world, draws, level)
    options = [
        option
        for option in drafts.query_options(world, draws, product, level)
        if len(option.lax) > len(option.mentions) and drafts.ends(option.mentions)
    ]
    query = drafts.nearest_count(draws, options, lambda option: len(option.mentions))
    if query is None:
        return None
    return drafts.mention_task(WORDING, draws, query, level=level, value=str(len(query.mentions)))


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer with the count of the site's own search, or one too many, and the right witness."""
    searched = str(len(brute_force.searched(world, task.given)))
    number = searched if searched != task.answer[0] else str(int(searched) + 1)
    return number, task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    mentioning = brute_force.mentioning(world, task.given)
    witness = brute_force.foremost(mentioning, task.given["end"])
    return task.answer == (str(len(mentioning)), witness.outline.reviewer)


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(milestones.OPENED_PRODUCT, *milestones.ALL_MENTIONS),
)
