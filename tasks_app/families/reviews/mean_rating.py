"""Mean rating of the reviews that mention a term (at least eight), with the author of the first or last."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import brute_force, drafts, milestones
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.reviews.types import Outline, World

WORDING = wording(__name__)

FEWEST = 8


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    product = drafts.product_draw(world, draws, level)
    options = [
        option
        for option in drafts.query_options(world, draws, product, level)
        if len(option.mentions) >= FEWEST
        and drafts.ends(option.mentions)
        and not _is_tie(option.mentions)
        and _mean(option.mentions) != _mean([entry.outline for entry in option.lax])
    ]
    query = drafts.nearest_count(draws, options, lambda option: len(option.mentions))
    if query is None:
        return None
    return drafts.mention_task(WORDING, draws, query, level=level, value=_mean(query.mentions))


def _mean(group: list[Outline]) -> str:
    return f"{sum(outline.stars for outline in group) / len(group):.2f}"


def _is_tie(group: list[Outline]) -> bool:
    """Return whether the mean is a tie at the third decimal, which people round either way."""
    return sum(outline.stars for outline in group) * 1000 % (10 * len(group)) == 5 * len(group)


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer with the mean over what the site's search returns or over all reviews, or with one star more."""
    whole = {"product": task.given["product"]}
    groups = [brute_force.searched(world, task.given), brute_force.searched(world, whole)]
    means = [_mean([review.outline for review in group]) for group in groups]
    means.append(f"{float(task.answer[0]) + 1:.2f}")
    return next(mean for mean in means if mean != task.answer[0]), task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    group = brute_force.mentioning(world, task.given)
    stars = [Decimal(review.outline.stars) for review in group]
    mean = (sum(stars, Decimal()) / len(stars)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    witness = brute_force.foremost(group, task.given["end"])
    return len(group) >= FEWEST and task.answer == (str(mean), witness.outline.reviewer)


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(milestones.OPENED_PRODUCT, *milestones.ALL_MENTIONS),
)
