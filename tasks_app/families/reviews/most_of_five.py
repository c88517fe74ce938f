"""Product with the most reviews that mention a term, among five rivals, and its lead over the second."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import brute_force, drafts, milestones, moves, rules
from tasks_app.families.reviews.common.rules import MentionQuery
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.reviews.types import World

WORDING = wording(__name__)


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    options = []
    for term in rules.terms(world, world.rivals[0]):
        rule = rules.rule_draw(draws, level)
        queries = [rules.query_make(world, product, term, rule) for product in world.rivals]
        ranked = sorted(queries, key=lambda query: (-len(query.mentions), query.product.id))
        first, second, *_ = sorted((len(query.lax) for query in ranked), reverse=True)
        is_misleading = len(ranked[0].lax) != first or first - second != _lead(ranked)
        if _lead(ranked) and is_misleading:
            options.append(ranked)
    if not options:
        return None
    # The higher the level, the closer the race must be.
    options.sort(key=lambda ranked: len(ranked[1].mentions) / len(ranked[0].mentions))
    low, high = (level - 1) * len(options) // 6, max(1, (level + 1) * len(options) // 6)
    return _task(world, draws, draws.pick(options[low:high]), level)


def _task(world: World, draws: Draws, ranked: list[MentionQuery], level: int) -> SiteTask:
    best = ranked[0]
    names = [product.name for product in draws.shuffled(world.rivals)]
    needed = [drafts.needs(query, query.mentions) for query in ranked]
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=drafts.mention_text(WORDING, draws, best, names=f"{', '.join(names[:-1])} and {names[-1]}"),
        answer=(best.product.name, str(_lead(ranked))),
        fields=WORDING.fields,
        forms=moves.FORMS * len(names),
        needs=tuple(sorted(need for needs in needed for need in needs)),
        given={"term": best.term.word, "rule": best.rule.plain},
        oracle_steps=moves.all_moves(list(map(moves.mentioning, ranked)), fields=len(WORDING.fields)),
    )


def _lead(ranked: list[MentionQuery]) -> int:
    return len(ranked[0].mentions) - len(ranked[1].mentions)


def _ranking(counts: dict[str, int]) -> tuple[str, str]:
    """Return the product with the most reviews and its lead over the second."""
    (name, most), (_, second), *_ = sorted(counts.items(), key=lambda each: -each[1])
    return name, str(most - second)


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer from the site's own search, or with the right product and its count instead of its lead."""
    searched = {
        product.name: len(brute_force.searched(world, task.given, product.id)) for product in world.rivals
    }
    ranking = _ranking(searched)
    return ranking if ranking != task.answer else (task.answer[0], str(searched[task.answer[0]]))


def check(world: World, task: SiteTask) -> bool:
    counts = {
        product.name: len(brute_force.mentioning(world, task.given, product.id)) for product in world.rivals
    }
    return int(task.answer[1]) > 0 and _ranking(counts) == task.answer


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(milestones.OPENED_PRODUCTS, *milestones.ALL_MENTIONS),
)
