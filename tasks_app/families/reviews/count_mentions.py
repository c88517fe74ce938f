"""How many reviews of a product mention a term, under a varying rule, and who wrote the newest or oldest."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import brute_force, drafts, milestones, moves, rules
from tasks_app.families.types import Family, SiteTask
from tasks_app.worlds.reviews.types import World

FIELDS = ("Number of reviews", "Reviewer")
OPENINGS = (
    "How many reviews of {product} mention {term}?",
    "Count the reviews of {product} in which {term} comes up.",
    "In how many reviews of {product} is {term} mentioned?",
    "I want to know how often {term} comes up: count the reviews of {product} that mention it.",
)
WITNESS = (
    "Give the number, and the name of the reviewer who wrote the {end} of them.",
    "Answer with the number and the name of the reviewer of the {end} of these reviews.",
)
ONCE = ("A review counts once, however often it mentions it.", "Count each review only once.")


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    product = drafts.product_draw(world, draws, level)
    options = [
        option
        for option in drafts.query_options(world, draws, product, level)
        if len(option.lax) > len(option.found) and drafts.ends(option.found)
    ]
    query = drafts.nearest_count(draws, options, lambda option: len(option.found))
    if query is None:
        return None
    end, witness = drafts.end_draw(draws, query.found)
    opening = draws.pick(OPENINGS).format(product=drafts.named(product), term=drafts.quoted(query.term))
    wording = " ".join(
        (
            opening,
            rules.rule_text(query.rule, query.term, draws),
            draws.pick(ONCE),
            draws.pick(WITNESS).format(end=end),
        )
    )
    needed = drafts.needs(query, query.found)
    return SiteTask(
        family="count_mentions",
        level=level,
        wording=wording,
        answer=(str(len(query.found)), witness.reviewer),
        fields=FIELDS,
        forms=moves.FORMS,
        needs=needed,
        given={**query.given, "end": end},
        oracle_steps=moves.all_moves([moves.mentioning(query)], fields=len(FIELDS)),
    )


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """What the site's own search counts, with the right witness; or one too many."""
    searched = str(len(brute_force.searched(world, task.given)))
    number = searched if searched != task.answer[0] else str(int(searched) + 1)
    return number, task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    found = brute_force.mentioning(world, task.given)
    witness = brute_force.foremost(found, task.given["end"])
    return task.answer == (str(len(found)), witness.outline.reviewer)


family(
    Family(
        id="count_mentions",
        site="reviews",
        title="Count the reviews that mention a term",
        splits=("train", "test"),
        steps=(34, 42, 56, 64, 80),
        draw=draw,
        wrong=wrong,
        check=check,
        milestones=(
            milestones.OPENED_PRODUCT,
            milestones.SEARCHED_TERM,
            milestones.END_REACHED,
            milestones.UNFOLDED,
            milestones.SAW_ALL,
        ),
    )
)
