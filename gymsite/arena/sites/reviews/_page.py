"""What every page of the shop is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.http import Http404

from core.draws import Draws
from core.presentation import Look
from gymsite.arena.panels import SLOW_MS
from gymsite.arena.sites import notices
from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.reviews._panels import panels
from gymsite.arena.sites.site import Event, Instead, Page, Visit
from tasks_app.worlds.editions import toml_load
from tasks_app.worlds.formats import counted
from tasks_app.worlds.reviews.outlines import mean_tenths
from tasks_app.worlds.reviews.pictures import pictures
from tasks_app.worlds.reviews.types import Product, World

TEXTS = toml_load(Path(__file__).with_name("notices.toml"), notices.Texts)
SECTIONS = {
    "home": ("range", "service", "house"),
    "product": ("about", "customers", "facts", "service"),
    "reviews": ("list", "summary", "rules"),
    "questions": ("answers", "summary", "rules"),
    "instead": ("said", "service"),
}
"""Of each page, in their usual order; the first is what the page is there for."""


def page(
    visit: Visit,
    template: str,
    *,
    title: str,
    here: str,
    status: int = 200,
    events: Sequence[Event] = (),
    **context: Any,
) -> Page:
    """``here`` is the page's own address below the first page."""
    time = wording.time_text(visit.now, locale=visit.look.locale)
    pop_up = notices.pop_up_make(visit, TEXTS, time=time)
    order = sections(visit.look, template)
    return Page(
        template="arena/reviews/page.html",
        context={
            "title": title,
            "here": here,
            "page_kind": template,
            "sections": [f"arena/reviews/{template}/_{name}.html" for name in order],
            "main_section": f"arena/reviews/{template}/_{SECTIONS[template][0]}.html",
            "labels": visit.labels,
            "panels": panels(visit, here.partition("?")[0]),
            "slow_ms": SLOW_MS[visit.look.slow],
            "pop_up": pop_up,
            "today": wording.day_text(visit.now.date(), locale=visit.look.locale),
            **context,
        },
        status=status,
        events=tuple(events),
        pop_ups=(str(pop_up["name"]),) if pop_up else (),
    )


def instead(visit: Visit, said: Instead) -> Page:
    """What is said where the shop has no page."""
    home = visit.labels["home"]
    return page(visit, "instead", title=said.title, here="", status=said.status, said=said, home=home)


def sections(look: Look, template: str) -> list[str]:
    """The sections of a page in the look's order; a mixed one is another for every look."""
    usual = list(SECTIONS[template])
    if look.sections == "mixed":
        return Draws(look.digest(), "sections", template).shuffled(usual)
    return usual[::-1] if look.sections == "reversed" else usual


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
        "pictures": [
            {"name": picture.name, "words": picture.words, "caption": picture.colour}
            for picture in pictures(world, product)
        ],
        "rating": wording.rating_text(tenths),
        "stars": stars_drawn(round(tenths / 10)),
        "reviews": counted(product.review_count, "review"),
    }


def stars_drawn(number: int) -> str:
    return "★" * number + "☆" * (wording.STARS - number)
