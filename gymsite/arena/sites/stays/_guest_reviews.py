"""Guest reviews of a property, and the distribution of their scores."""

from __future__ import annotations

from datetime import date
from typing import Any
from urllib.parse import urlencode

from gymsite.arena.sites.offers import no_such_page
from gymsite.arena.sites.site import Page, Visit
from gymsite.arena.sites.stays import _wording as wording
from gymsite.arena.sites.stays._page import listing_at, page
from gymsite.arena.sites.stays._query import number_read
from tasks_app.worlds.formats import counted
from tasks_app.worlds.stays.reviews import reviews
from tasks_app.worlds.stays.types import Listing, Review, World

REVIEWS_PER_PAGE = 10
SEARCH_CHARS = 60
BANDS = ((9, 10), (7, 8), (5, 6), (1, 4))
"""The lowest and highest score of each band."""


def guest_reviews(visit: Visit, listing_id: str) -> Page:
    listing = listing_at(visit.world, listing_id)
    text = " ".join(visit.query.get("q", "").split())[:SEARCH_CHARS]
    matches = [
        review for review in reviews(visit.world, listing) if text.casefold() in _words(review).casefold()
    ]
    pages = max(-(-len(matches) // REVIEWS_PER_PAGE), 1)
    number = number_read(visit.query.get("page", ""), range(1, pages + 1)) or 1
    first = (number - 1) * REVIEWS_PER_PAGE
    return page(
        visit,
        "reviews",
        title=visit.labels["reviews_of"].format(listing.name),
        here=f"stays/{listing.id}/reviews",
        listing=listing,
        back_to=visit.labels["back_to"].format(listing.name),
        scores=scores(visit.world, listing),
        text=text,
        notes=no_such_page(visit.query, number),
        reviews=[review_card(review) for review in matches[first : first + REVIEWS_PER_PAGE]],
        number=number,
        pages=pages,
        count=counted(len(matches), "review"),
        before=urlencode({"q": text, "page": number - 1}) if number > 1 else "",
        after=urlencode({"q": text, "page": number + 1}) if number < pages else "",
    )


def scores(world: World, listing: Listing) -> dict[str, Any]:
    """Count the reviews in each band of scores; bars are in percent of the most frequent band."""
    given = [review.score for review in reviews(world, listing)]
    counts = [sum(lowest <= score <= highest for score in given) for lowest, highest in BANDS]
    return {
        "rating": wording.points(listing.rating),
        "count": counted(len(given), "review"),
        "bands": [
            (f"{lowest}\N{EN DASH}{highest}", count, 100 * count // max(*counts, 1))
            for (lowest, highest), count in zip(BANDS, counts, strict=True)
        ],
    }


def _words(review: Review) -> str:
    return " ".join([review.title, *review.body])


def review_card(review: Review) -> dict[str, Any]:
    year, month = map(int, review.month.split("-"))
    return {
        "review": review,
        "month": wording.month_text(date(year, month, 1)),
        "nights": wording.nights_text(review.nights),
        "text": " ".join(review.body),
    }
