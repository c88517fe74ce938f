"""Ground truth computed independently, by reading every word without knowing what was planted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.text import reviews, search
from tasks_app.worlds.reviews.types import Review, World


def mentioning(world: World, given: Mapping[str, Any], product_id: str = "") -> list[Review]:
    """List the product's reviews that mention the term under the rule, in no particular order."""
    product = product_id or given["product"]
    if "term" not in given:
        return list(reviews(world, product))
    rule = given["rule"]
    word = _word(world, product, given["term"], rule)
    return [
        review
        for review in reviews(world, product)
        if (rule["has_translations"] or not review.original) and any(map(word.search, _read(review, rule)))
    ]


def _word(world: World, product_id: str, word: str, rule: Mapping[str, bool]) -> re.Pattern[str]:
    category = world.product(product_id).category
    forms = [word]
    for term in vocabulary.load_vocabulary(world.edition).categories[category].terms:
        if term.word == word and not rule["is_one_form"]:
            forms += term.forms
    flags = re.NOFLAG if rule["is_small_letters"] else re.IGNORECASE
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", flags)


def _read(review: Review, rule: Mapping[str, bool]) -> Iterator[str]:
    yield f"{review.shown} {review.folded}"
    if rule["has_titles"]:
        yield review.title
    if rule["has_replies"]:
        yield review.reply


def foremost(candidates: list[Review], way: str) -> Review:
    """Return the ``newest``, ``oldest`` or ``most helpful`` review. Raises ``ValueError`` for a tie."""
    if way == "most helpful":
        ranked = sorted(candidates, key=lambda review: -review.outline.helpful)
        is_level = len(ranked) > 1 and ranked[0].outline.helpful == ranked[1].outline.helpful
    else:
        ranked = sorted(candidates, key=lambda review: review.outline.day, reverse=way == "newest")
        is_level = len(ranked) > 1 and ranked[0].outline.day == ranked[1].outline.day
    if is_level:
        raise ValueError(f"two reviews are {way}")
    return ranked[0]


def searched(world: World, given: Mapping[str, Any], product_id: str = "") -> list[Review]:
    """List what the site's own search returns for the task's term, or all reviews if it has no term."""
    product = product_id or given["product"]
    return list(search(world, product, given["term"])) if "term" in given else list(reviews(world, product))


def meets(review: Review, condition: Mapping[str, Any]) -> bool:
    """Return whether the review meets the condition. Raises ``KeyError`` for an unknown fact."""
    of, value = review.outline, condition["value"]
    shown: dict[str, bool] = {
        "stars": str(of.stars) == str(value),
        "at_least": condition["fact"] == "at_least" and of.stars >= value,
        "at_most": condition["fact"] == "at_most" and of.stars <= value,
        "colour": of.colour == value,
        "size": of.size == value,
        "verified": of.is_verified is value,
        "month": f"{of.day:%Y-%m}" == value,
        "year": f"{of.day:%Y}" == value,
    }
    return shown[condition["fact"]]
