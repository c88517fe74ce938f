"""The reviews of a product that a visitor requests. Values that the page does not offer are ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache
from types import MappingProxyType
from urllib.parse import urlencode

from django.http import QueryDict

from gymsite.arena.sites.reviews._wording import STARS, month_text, stars_text
from tasks_app.worlds.formats import counted
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.state import State, helpful_votes
from tasks_app.worlds.reviews.text import search
from tasks_app.worlds.reviews.types import Outline, Product, World

PER_PAGE = 10
SEARCH_CHARS = 60
BADGES = {"with": "Verified purchases only", "without": "Not verified"}
NEWEST = "newest"
"""The default order."""
SORTS = {
    NEWEST: "Newest first",
    "oldest": "Oldest first",
    "helpful": "Most helpful",
    "best": "Highest rating",
    "worst": "Lowest rating",
}
FILTERS = ("stars", "colour", "size", "badge", "month")
Offered = Mapping[str, Mapping[str, str]]
"""Offered values with their texts, by filter; the sort orders are listed in the same way."""


@dataclass(frozen=True, kw_only=True)
class ReviewRequest:
    text: str = ""
    stars: str = ""
    colour: str = ""
    size: str = ""
    badge: str = ""
    month: str = ""
    sort: str = NEWEST
    page: int = 1

    @property
    def is_narrowed(self) -> bool:
        return any(getattr(self, name) for name in FILTERS)

    def page_at(self, page: int, **others: str) -> str:
        """Return the query of a page of these reviews; ``others`` replaces some of the filters."""
        return replace(self, page=page, **others).query()

    def query(self, **more: str) -> str:
        """Return the query of this page, followed by the parameters in ``more``, which are not fields."""
        if not more:
            return self._here
        beside = urlencode({name: value for name, value in more.items() if value})
        return f"{self._here}&{beside}" if self._here and beside else self._here or beside

    @cached_property
    def _here(self) -> str:
        """This page's query, cached because the links of each review begin with it."""
        chosen = {"q": self.text} | {name: getattr(self, name) for name in FILTERS}
        chosen["sort"] = self.sort if self.sort != NEWEST else ""
        chosen["page"] = str(self.page) if self.page > 1 else ""
        return urlencode({name: value for name, value in chosen.items() if value})


def request_read(product: Product, offered: Offered, query: QueryDict) -> ReviewRequest:
    """Parse the request in the address, ignoring values not offered; its page may not exist (see ``cut``)."""
    chosen = {name: query.get(name, "") for name in offered}
    chosen = {name: value if value in offered[name] else "" for name, value in chosen.items()}
    number = query.get("page", "")
    pages = range(2, -(-product.review_count // PER_PAGE) + 1)
    return ReviewRequest(
        text=text_read(query),
        page=next((page for page in pages if str(page) == number), 1),
        **{**chosen, "sort": chosen["sort"] or NEWEST},
    )


def text_read(query: QueryDict) -> str:
    """Return the text to search for."""
    return " ".join(query.get("q", "").split())[:SEARCH_CHARS]


def choices(world: World, product: Product) -> Offered:
    """List the values of each filter and of the sort order, with their texts."""
    return {
        "stars": {str(stars): stars_text(stars) for stars in range(STARS, 0, -1)},
        "colour": {colour: colour for colour in product.colours},
        "size": {size: size for size in product.sizes},
        "badge": BADGES,
        "month": _months(world.first_day, product.launched),
        "sort": SORTS,
    }


def reviews_find(world: World, state: State, product: Product, requested: ReviewRequest) -> list[Outline]:
    """Return the requested reviews, in the requested order."""
    all_of: Iterable[Outline] = outlines(world, product.id)
    if requested.text:
        all_of = (review.outline for review in search(world, product.id, requested.text))
    if requested.is_narrowed:
        all_of = (outline for outline in all_of if _fits(outline, requested))
    if requested.sort == NEWEST:
        return list(all_of)
    return sorted(all_of, key=_order(state, requested.sort))


def cut(listed: list[Outline], requested: ReviewRequest) -> tuple[list[Outline], ReviewRequest, bool]:
    """Return the page's reviews, the request corrected to a page that exists, and whether more follow."""
    first = (requested.page - 1) * PER_PAGE
    if first >= len(listed):
        requested, first = replace(requested, page=1), 0
    last = first + PER_PAGE
    return listed[first:last], requested, last < len(listed)


def count_text(requested: ReviewRequest, *, number: int) -> str:
    """State how many reviews match the search or exist for the product; empty if filters are set."""
    if requested.is_narrowed:
        return ""
    return (
        f"Your search matches {counted(number, 'review')}." if requested.text else counted(number, "review")
    )


@lru_cache(maxsize=256)
def _months(first_day: date, days: int) -> Mapping[str, str]:
    """List every month since a product's launch, ``days`` before the world's first day; the latest first."""
    launched = first_day - timedelta(days=days)
    day, listed = first_day - timedelta(days=1), {}
    while (day.year, day.month) >= (launched.year, launched.month):
        month = f"{day:%Y-%m}"
        listed[month] = month_text(month)
        day = date(day.year, day.month, 1) - timedelta(days=1)
    return MappingProxyType(listed)


def _fits(outline: Outline, requested: ReviewRequest) -> bool:
    return (
        requested.stars in ("", str(outline.stars))
        and requested.colour in ("", outline.colour)
        and requested.size in ("", outline.size)
        and requested.badge in ("", "with" if outline.is_verified else "without")
        and (not requested.month or requested.month == f"{outline.day:%Y-%m}")
    )


def _order(state: State, sort: str) -> Callable[[Outline], tuple[int, ...]]:
    """Return the key of a sort order. Sorting is stable, and its input is in the order newest first."""
    orders: dict[str, Callable[[Outline], tuple[int, ...]]] = {
        "oldest": lambda outline: (outline.day.toordinal(),),
        "helpful": lambda outline: (-helpful_votes(state, review=outline.id, drawn=outline.helpful),),
        "best": lambda outline: (-outline.stars,),
        "worst": lambda outline: (outline.stars,),
    }
    return orders[sort]
