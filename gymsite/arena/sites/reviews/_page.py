"""What every page of the shop is given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.http import Http404

from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.reviews._notices import has_cookies
from gymsite.arena.sites.site import Event, Page, Visit
from tasks_app.worlds.reviews.outlines import stars
from tasks_app.worlds.reviews.types import Product, World

GROUNDS = 8


def page(
    visit: Visit,
    template: str,
    *,
    title: str,
    here: str,
    events: Sequence[Event] = (),
    **context: Any,
) -> Page:
    """``here`` is the page's own address below the first page."""
    return Page(
        template=f"arena/reviews/{template}.html",
        context={
            "title": title,
            "here": here,
            "has_cookies": has_cookies(visit.world, visit.state),
            **context,
        },
        events=tuple(events),
    )


def product_at(world: World, product_id: str) -> Product:
    """Raises ``Http404`` where the shop has no such product."""
    for product in world.products:
        if product.id == product_id:
            return product
    raise Http404


def product_card(world: World, product: Product) -> dict[str, Any]:
    tenths = mean_tenths(world, product.id)
    return {
        "product": product,
        "price": wording.money(product.price),
        "initials": "".join(word[0] for word in product.name.replace("& ", "").split()[:2]),
        "ground": product.number % GROUNDS,
        "rating": wording.rating_text(tenths),
        "stars": stars_drawn(round(tenths / 10)),
        "reviews": wording.counted(product.review_count, "review"),
    }


def stars_drawn(number: int) -> str:
    return "★" * number + "☆" * (wording.STARS - number)


@lru_cache(maxsize=4096)
def mean_tenths(world: World, product_id: str) -> int:
    """The mean of all stars in tenths, a half of one rounded up."""
    given = stars(world, product_id)
    return (20 * sum(given) + len(given)) // (2 * len(given))
