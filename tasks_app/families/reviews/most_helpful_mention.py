"""The review with the most helpful votes among those that mention a term."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import drafts, milestones, selection
from tasks_app.families.types import Family, SiteTask
from tasks_app.worlds.reviews.types import Outline, World

OPENINGS = (
    "Which review of {product} that mentions {term} has the most helpful votes?",
    "Of the reviews of {product} in which {term} comes up, find the one that the most people found helpful.",
    "Find the most helpful review, by votes, among those of {product} that mention {term}.",
)


def _votes(outline: Outline) -> str:
    return str(outline.helpful)


SHOWN = selection.Shown(
    name="number of votes",
    fields=("Helpful votes", "Reviewer"),
    closings=(
        "Give its number of helpful votes and the reviewer's name.",
        "Answer with how many people found it helpful and its reviewer's name.",
    ),
    value=_votes,
)


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    picked = selection.picked_draw(world, draws, level, ("most helpful",))
    if picked is None:
        return None
    opening = draws.pick(OPENINGS).format(
        product=drafts.named(picked.query.product), term=drafts.quoted(picked.query.term)
    )
    return selection.task(
        picked, draws, level=level, family="most_helpful_mention", opening=opening, shown=SHOWN
    )


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    return selection.wrong(world, task, SHOWN)


def check(world: World, task: SiteTask) -> bool:
    return selection.check(world, task, SHOWN)


family(
    Family(
        id="most_helpful_mention",
        site="reviews",
        title="The most helpful review that mentions a term",
        splits=("test",),
        steps=(30, 42, 58, 58, 80),
        draw=draw,
        wrong=wrong,
        check=check,
        twin=selection.twin,
        milestones=(
            milestones.OPENED_PRODUCT,
            milestones.SEARCHED_TERM,
            milestones.FILTER_APPLIED,
            milestones.UNFOLDED,
            milestones.SAW_RIGHT,
        ),
    )
)
