"""A product's reviews, ten per page, and the actions on each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from gymsite.arena.sites.offers import Offer, no_such_page, not_offered
from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.reviews._page import (
    find_label,
    page,
    product_at,
    product_card,
    star_shares,
    stars_drawn,
)
from gymsite.arena.sites.reviews._query import (
    Offered,
    ReviewRequest,
    choices,
    count_text,
    cut,
    request_read,
    reviews_find,
)
from gymsite.arena.sites.site import Change, Event, Page, Visit
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.state import State, helpful_votes
from tasks_app.worlds.reviews.text import SEARCH_MEANING, helpful_text
from tasks_app.worlds.reviews.text import review as review_written
from tasks_app.worlds.reviews.types import FOLD, Outline, Product, Review, World
from tasks_app.worlds.reviews.vocabulary import LANGUAGES

CUT = "…"
"""Mark at the end of a text whose rest is folded."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """Reviews whose folded parts are open: those that this visit opens, and those opened before."""

    state: State
    locale: str
    more: str
    reply: str
    original: str

    def has_more(self, outline: Outline) -> bool:
        return outline.id == self.more or outline.id in self.state.unfolded

    def has_reply(self, outline: Outline) -> bool:
        return outline.id == self.reply or outline.id in self.state.replies


def review_list(visit: Visit, product_id: str) -> Page:
    """Show a product's reviews."""
    world: World = visit.world
    product = product_at(world, product_id)
    offered = choices(world, product)
    requested = request_read(product, offered, visit.query)
    listed = reviews_find(world, visit.state, product, requested)
    here, requested, has_next = cut(listed, requested)
    opened = _open(visit)
    say = visit.labels
    return page(
        visit,
        "reviews",
        title=say["reviews_of"].format(product.name),
        here=f"products/{product.id}/reviews?{requested.query()}",
        events=_events(product, requested, here, opened, is_end=not has_next),
        product=product,
        card=product_card(world, product),
        crumb=(f"products/{product.id}", product.name),
        requested=requested,
        notes=_notes(visit, product, offered, requested),
        meaning=SEARCH_MEANING,
        count=count_text(requested, number=len(listed)),
        selects=[
            (name, find_label(visit, name, product), values.items(), getattr(requested, name))
            for name, values in offered.items()
        ],
        spread=[
            {**share, "query": requested.page_at(1, stars=str(share["stars"]))}
            for share in star_shares(world, product)
        ],
        cards=[_card(world, product, outline, requested, opened) for outline in here],
        before=requested.page_at(requested.page - 1) if requested.page > 1 else "",
        after=requested.page_at(requested.page + 1) if has_next else "",
    )


def _notes(visit: Visit, product: Product, offered: Offered, requested: ReviewRequest) -> list[str]:
    fields = [
        Offer(
            name,
            find_label(visit, name, product),
            values,
            shown=values[requested.sort] if name == "sort" else "",
        )
        for name, values in offered.items()
    ]
    return [*not_offered(visit.query, fields), *no_such_page(visit.query, requested.page)]


def helpful(visit: Visit, product_id: str, review_id: str) -> Change:
    """Vote for a review, or withdraw the vote. Raises ``Http404`` if there is no such review."""
    product = product_at(visit.world, product_id)
    if visit.form is None or all(outline.id != review_id for outline in outlines(visit.world, product.id)):
        raise Http404
    has_voted = review_id in visit.state.voted
    is_vote = visit.form.get("vote") != "withdraw"
    requested = request_read(product, choices(visit.world, product), visit.query)
    back = f"products/{product.id}/reviews?{requested.query()}#{review_id}"
    if has_voted == is_vote:
        return Change(events=(), to=back)
    kind = "helpful_voted" if is_vote else "helpful_withdrawn"
    return Change(events=((kind, {"review": review_id}),), to=back, conflict_to=back)


def _open(visit: Visit) -> Opened:
    requested = {name: visit.query.get(name, "") for name in ("more", "reply", "original")}
    return Opened(state=visit.state, locale=visit.look.locale, **requested)


def _events(
    product: Product, requested: ReviewRequest, here: list[Outline], opened: Opened, *, is_end: bool
) -> list[Event]:
    events: list[Event] = [("reviews_opened", {"product": product.id})]
    if requested.text:
        events.append(("recent_search", {"product": product.id, "text": requested.text}))
    if requested.is_narrowed:
        events.append(("filtered", {"product": product.id, "query": requested.page_at(1)}))
    if is_end:
        events.append(("end_reached", {"product": product.id, "query": requested.page_at(1)}))
    events.append(_show(f"review {outline.id}" for outline in here))
    for outline in here:
        events += _opening(outline, opened)
    return events


def _show(facts: Iterable[str]) -> Event:
    """Build the event that names the facts on the page; tasks name the facts that they need the same way."""
    return "shown", {"facts": sorted(set(facts))}


def _opening(outline: Outline, opened: Opened) -> list[Event]:
    """List the events for the open parts of a review. No task needs the original of a translation."""
    events: list[Event] = []
    is_original = bool(outline.language) and outline.id == opened.original
    if opened.has_more(outline) and outline.sentences > FOLD and not is_original:
        events.append(_show([f"review {outline.id} more"]))
    if opened.has_reply(outline) and outline.has_reply:
        events.append(_show([f"review {outline.id} reply"]))
    if is_original:
        events.append(("original_shown", {"review": outline.id}))
    return events


def _card(
    world: World, product: Product, outline: Outline, requested: ReviewRequest, opened: Opened
) -> dict[str, Any]:
    """Build the context of a review as it is shown, without its folded parts."""
    review = review_written(world, product.id, outline)
    is_original = bool(outline.language) and outline.id == opened.original
    has_more = opened.has_more(outline)
    title, visible, folded = _words(review, is_original=is_original)
    as_is = outline.id if is_original else ""
    return {
        "outline": outline,
        "title": title,
        "text": f"{visible} {folded if has_more else CUT}" if folded else visible,
        "more": requested.query(more=outline.id, original=as_is) if folded and not has_more else "",
        "reply": review.reply if opened.has_reply(outline) else "",
        "reply_query": requested.query(reply=outline.id, original=as_is)
        if review.reply and not opened.has_reply(outline)
        else "",
        "language": LANGUAGES.get(outline.language, ""),
        "is_original": is_original,
        "original": requested.query(original=outline.id) if outline.language else "",
        "translation": requested.query(),
        "date": outline.day.isoformat(),
        "day": wording.day_text(outline.day, locale=opened.locale),
        "stars": wording.stars_text(outline.stars),
        "drawn": stars_drawn(outline.stars),
        "votes": helpful_text(helpful_votes(opened.state, review=outline.id, drawn=outline.helpful)),
        "has_voted": outline.id in opened.state.voted,
        "vote": requested.query(),
    }


def _words(review: Review, *, is_original: bool) -> tuple[str, str, str]:
    """Return a review's title, the text before its "Read more", and the text after it."""
    if not is_original:
        return review.title, review.shown, review.folded
    title, *body = review.original
    return title, " ".join(body[:FOLD]), " ".join(body[FOLD:])
