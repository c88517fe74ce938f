"""Milestones that the shop's families share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from tasks_app.families.milestones import needed, once, seen
from tasks_app.families.types import GoldFacts, Milestone

FILTERS = ("stars", "colour", "size", "badge", "month")
PRODUCT_KINDS = ("product_opened", "reviews_opened")


def products(gold: GoldFacts) -> tuple[str, ...]:
    """List the task's product; if the task compares several, list those with a review that counts."""
    if "product" in gold.given:
        return (gold.given["product"],)
    return tuple(sorted({f"P-{need.split()[1][1:4]}" for need in gold.needs}))


def _opened(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    return (data["product"],) if kind in PRODUCT_KINDS else ()


def _searched(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
    return (
        kind == "recent_search"
        and data["product"] in products(gold)
        and data["text"].casefold() == gold.given["term"].casefold()
    )


def expected_filters(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the task's conditions that the page's filters can express."""
    filters: dict[str, str] = {}
    for condition in given.get("conditions", ()):
        fact, value = condition["fact"], condition["value"]
        if fact == "verified":
            filters["badge"] = "with" if value else "without"
        elif fact in FILTERS:
            filters[fact] = str(value)
    return filters


def _filtered(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> bool:
    if kind != "filtered" or data["product"] not in products(gold):
        return False
    return bool(expected_filters(gold.given).items() & dict(parse_qsl(data["query"])).items())


def _ended(gold: GoldFacts, kind: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the product of a list read to its end, if the list included every review that counts."""
    if kind != "end_reached":
        return ()
    query = dict(parse_qsl(data["query"]))
    term = str(gold.given.get("term", ""))
    filters = {name: value for name, value in query.items() if name in FILTERS}
    is_whole = query.get("q", "").casefold() in ("", term.casefold())
    return (data["product"],) if is_whole and filters.items() <= expected_filters(gold.given).items() else ()


def _folded(gold: GoldFacts) -> Sequence[str]:
    """Return the evidence that is folded at first, or all of it if nothing has to be opened."""
    return [need for need in gold.needs if need.endswith((" more", " reply"))] or gold.needs


OPENED_PRODUCT = Milestone(name="opened_right_product", parts=products, meets=_opened)
OPENED_PRODUCTS = Milestone(name="opened_every_product", parts=products, meets=_opened)
SEARCHED_TERM = once("searched_term", _searched, when=lambda given: "term" in given, is_one_way=True)
FILTER_APPLIED = once(
    "filter_applied", _filtered, when=lambda given: bool(expected_filters(given)), is_one_way=True
)
END_REACHED = Milestone(name="end_of_reviews_reached", parts=products, meets=_ended, is_one_way=True)
UNFOLDED = seen("opened_what_is_folded", _folded, is_one_way=True)
SAW_RIGHT = seen("saw_right_review", needed)
SAW_ALL = seen("saw_every_review_that_counts", needed)
ALL_MENTIONS = (SEARCHED_TERM, END_REACHED, UNFOLDED, SAW_ALL)
"""Milestones of families whose answers depend on every mention."""
