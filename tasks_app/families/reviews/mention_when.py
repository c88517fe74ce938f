"""When a product's reviews first or last mention a term, and who wrote that."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import drafts, milestones, selection
from tasks_app.families.types import Family, SiteTask
from tasks_app.worlds.reviews.types import Outline, World

OPENINGS = (
    "Find the {way} review of {product} that mentions {term}.",
    "Of the reviews of {product} in which {term} comes up, which is the {way} one?",
    "Look for {term} in the reviews of {product}: which is the {way} review that mentions it?",
)


def _date(outline: Outline) -> str:
    return outline.day.isoformat()


SHOWN = selection.Shown(
    name="date",
    fields=("Date", "Reviewer"),
    closings=(
        "Give its date as YYYY-MM-DD, such as 2019-05-31, and the reviewer's name.",
        "Answer with its date (YYYY-MM-DD, for instance 2019-05-31) and its reviewer's name.",
    ),
    value=_date,
)


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    picked = selection.picked_draw(world, draws, level, ("newest", "oldest"))
    if picked is None:
        return None
    opening = draws.pick(OPENINGS).format(
        way=picked.way, product=drafts.named(picked.query.product), term=drafts.quoted(picked.query.term)
    )
    return selection.task(picked, draws, level=level, family="mention_when", opening=opening, shown=SHOWN)


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    return selection.wrong(world, task, SHOWN)


def check(world: World, task: SiteTask) -> bool:
    return selection.check(world, task, SHOWN)


family(
    Family(
        id="mention_when",
        site="reviews",
        title="First or latest mention of a term",
        splits=("train", "test"),
        steps=(34, 42, 64, 70, 88),
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
