"""Selection of one review that mentions a term: the newest, the oldest or the most helpful.

From level 4 on, the review must also meet two lettered conditions. If none meets both, the answer is the
review selected from those that fail exactly one condition, with that condition's letter. A task and its
impossible twin can therefore have the same wording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import brute_force, conditions, drafts, milestones, moves, rules
from tasks_app.families.reviews.common.conditions import Condition
from tasks_app.families.reviews.common.rules import MentionQuery, Rule
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import Wording
from tasks_app.worlds.digest import digest
from tasks_app.worlds.reviews.mentions import FEWEST
from tasks_app.worlds.reviews.types import Outline, Product, Review, World
from tasks_app.worlds.reviews.world import world_change

LETTERS = "ab"
LEVEL_WITH_CONDITIONS = 4
PAIRS_TRIED = 6
FEWEST_VOTES = 3
"""Minimum number of votes for a review to be called the most helpful."""
LONE_SHARE = 0.5
"""Share of tasks that prefer a review that alone meets both conditions, since only those can have a twin."""

KEYS: Mapping[str, Callable[[Outline], int]] = {
    "newest": lambda outline: outline.day.toordinal(),
    "oldest": lambda outline: -outline.day.toordinal(),
    "most helpful": lambda outline: outline.helpful,
}


@dataclass(frozen=True, slots=True)
class Picked:
    query: MentionQuery
    pair: tuple[Condition, ...]
    way: str
    outline: Outline
    full: tuple[Outline, ...]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A family that selects a review in one of ``ways`` and asks for the review's ``value`` and author."""

    wording: Wording
    ways: tuple[str, ...]
    value: Callable[[Outline], str]

    def register(self) -> None:
        family(
            self.wording,
            draw=self.draw,
            wrong=self.wrong,
            check=self.check,
            twin=twin,
            milestones=(
                milestones.OPENED_PRODUCT,
                milestones.SEARCHED_TERM,
                milestones.FILTER_APPLIED,
                milestones.UNFOLDED,
                milestones.SAW_RIGHT,
            ),
        )

    def draw(self, world: World, draws: Draws, level: int) -> SiteTask | None:
        """Draw a term, a rule and conditions under which a careless reader picks another review."""
        product = drafts.product_draw(world, draws, level)
        options = [
            option
            for query in drafts.query_options(world, draws, product, level, tried=1)
            if len(query.mentions) >= FEWEST
            for option in _options(draws, query, level=level, way=draws.pick(self.ways))
        ]
        if not options:
            return None
        lone = [option for option in options if option.pair and len(option.full) == 1]
        return self._task(draws, draws.pick(lone if lone and draws.chance(LONE_SHARE) else options), level)

    def _task(self, draws: Draws, picked: Picked, level: int) -> SiteTask:
        query, slots = picked.query, {"way": picked.way}
        if picked.pair:
            texts = (conditions.condition_text(condition, query.product) for condition in picked.pair)
            slots["first"], slots["second"] = texts
        return SiteTask(
            family=self.wording.id,
            level=level,
            wording=drafts.mention_text(
                self.wording, draws, query, f"selection{'_with_conditions' * bool(picked.pair)}", **slots
            ),
            answer=self._answer(picked.outline),
            fields=self.wording.fields,
            forms=moves.FORMS,
            # Lists are sorted by date and votes, so nobody needs to see the mentions after the first.
            needs=drafts.needs(query, [picked.outline]),
            given={
                **query.given,
                "way": picked.way,
                "conditions": [condition._asdict() for condition in picked.pair],
            },
            oracle_steps=moves.all_moves([moves.mentioning(query)], fields=len(self.wording.fields)),
        )

    def _answer(self, outline: Outline) -> tuple[str, str]:
        return self.value(outline), outline.reviewer

    def wrong(self, world: World, task: SiteTask) -> tuple[str, ...]:
        """Answer with the first review that the site's own search lists, ignoring rule and conditions."""
        searched = [review.outline for review in brute_force.searched(world, task.given)]
        ranked = sorted(searched, key=KEYS[task.given["way"]], reverse=True)
        return next(answer for answer in map(self._answer, ranked) if answer != task.answer)

    def check(self, world: World, task: SiteTask) -> bool:
        """Check the answer by reading all reviews.

        The review must be the first of those that meet all conditions or, in an impossible task, miss one.
        """
        by_missed: dict[tuple[str, ...], list[Review]] = {}
        for review in brute_force.mentioning(world, task.given):
            letters = zip(LETTERS, task.given["conditions"], strict=False)
            missed = tuple(
                letter for letter, condition in letters if not brute_force.meets(review, condition)
            )
            by_missed.setdefault(missed, []).append(review)
        if full := by_missed.get(()):
            foremost = brute_force.foremost(full, task.given["way"])
            return task.is_possible and task.answer == self._answer(foremost.outline)
        near = [review for letter in LETTERS for review in by_missed.get((letter,), [])]
        foremost = brute_force.foremost(near, task.given["way"])
        letter = next(letter for letter in LETTERS if foremost in by_missed.get((letter,), []))
        return not task.is_possible and task.answer == (letter, foremost.outline.reviewer)


def pick(outlines: Iterable[Outline], way: str) -> Outline | None:
    """Return the first review in the given order, or None if no review stands out."""
    ranked = sorted(outlines, key=KEYS[way], reverse=True)
    if not ranked or (way == "most helpful" and ranked[0].helpful < FEWEST_VOTES):
        return None
    is_tie = len(ranked) > 1 and KEYS[way](ranked[0]) == KEYS[way](ranked[1])
    return None if is_tie else ranked[0]


def _options(draws: Draws, query: MentionQuery, *, level: int, way: str) -> list[Picked]:
    pairs = [()] if level < LEVEL_WITH_CONDITIONS else _pairs(draws, query.product)
    careless = pick([entry.outline for entry in query.lax], way)
    options = []
    for pair in pairs:
        full = tuple(outline for outline in query.mentions if not _missed(outline, pair))
        outline = pick(full, way)
        if outline and outline is not careless:
            options.append(Picked(query, pair, way, outline, full))
    return options


def _pairs(draws: Draws, product: Product) -> list[tuple[Condition, ...]]:
    """Pair the badge, which the twin removes, with another condition."""
    others = [
        *(Condition("colour", colour) for colour in product.colours),
        *(Condition("size", size) for size in product.sizes),
        *(Condition("stars", stars) for stars in range(1, 6)),
    ]
    return [(Condition("verified", True), other) for other in draws.sample(others, PAIRS_TRIED)]


def twin(world: World, task: SiteTask) -> SiteTask | None:
    """Derive the impossible task, in which the only review that meets both conditions has lost its badge."""
    if not task.given["conditions"]:
        return None
    required = [Condition(**given) for given in task.given["conditions"]]
    full = [outline for outline in _query(world, task).mentions if not _missed(outline, required)]
    if len(full) != 1:
        return None
    change = {"review": full[0].id, "fact": "is_verified", "value": False}
    query = _query(world_change(world, [change]), task)
    near = [outline for outline in query.mentions if len(_missed(outline, required)) == 1]
    nearest = pick(near, task.given["way"])
    if nearest is None:
        return None
    return replace(
        task,
        answer=(LETTERS[_missed(nearest, required)[0]], nearest.reviewer),
        needs=drafts.needs(query, [nearest]),
        is_possible=False,
        twin=digest([task.wording, task.given])[:16],
        changes=(change,),
    )


def _query(world: World, task: SiteTask) -> MentionQuery:
    product, given = world.product(task.given["product"]), task.given
    term = rules.term_named(world, product, given["term"])
    return rules.query_make(world, product, term, Rule(**given["rule"]))


def _missed(outline: Outline, required: Sequence[Condition]) -> list[int]:
    return [place for place, condition in enumerate(required) if not conditions.holds(condition, outline)]
