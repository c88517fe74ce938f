"""Context shared by every page of the shop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import Http404

from core.draws import Draws
from core.text.toml import toml_load
from gymsite.arena.panels import SLOW_MS
from gymsite.arena.sites import pop_ups
from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.site import Event, Message, Page, Visit, order_sections
from tasks_app.worlds.formats import counted
from tasks_app.worlds.reviews.outlines import mean_tenths, star_counts
from tasks_app.worlds.reviews.pictures import pictures
from tasks_app.worlds.reviews.types import Product, World

TEXTS = toml_load(Path(__file__).with_name("pop_ups.toml"), pop_ups.Texts)
SECTIONS = {
    "home": ("range", "service"),
    "product": ("about", "customers", "facts", "related"),
    "reviews": ("list", "summary"),
    "questions": ("answers", "summary"),
    "basket": ("lines", "service"),
    "account": ("guest", "service"),
    "help": ("text", "topics"),
    "instead": ("message", "service"),
}
"""Sections of each kind of page in their usual order; the first one is the page's main section."""
SHARED_SECTIONS = frozenset({"service", "summary"})
"""Sections whose template is the same on every page that has them."""


def page(
    visit: Visit,
    template: str,
    *,
    title: str,
    here: str,
    status: int = 200,
    events: Sequence[Event] = (),
    crumb: tuple[str, str] | None = None,
    news: str = "",
    notes: Sequence[str] = (),
    searched: str = "",
    **context: Any,
) -> Page:
    """Build a page. ``here`` is its address below the first page, ``crumb`` its parent's address and name."""
    time = wording.time_text(visit.now, locale=visit.look.locale)
    pop_up = pop_ups.pop_up_make(visit, TEXTS, time=time)
    order = order_sections(visit.look, SECTIONS[template], seed=template)
    return Page(
        template="arena/reviews/page.html",
        context={
            **_frame(visit),
            "title": title,
            "here": here,
            "page_kind": template,
            "crumb": crumb,
            "news": news,
            "notes": notes,
            "searched": searched,
            "sections": [_section_template(template, name) for name in order],
            "main_section": _section_template(template, SECTIONS[template][0]),
            "panels": draw_panels(visit, here.partition("?")[0]),
            "pop_up": pop_up,
            **context,
        },
        status=status,
        events=tuple(events),
        pop_ups=(str(pop_up["name"]),) if pop_up else (),
    )


def _section_template(page_kind: str, section: str) -> str:
    folder = "" if section in SHARED_SECTIONS else f"{page_kind}/"
    return f"arena/reviews/{folder}_{section}.html"


def _frame(visit: Visit) -> dict[str, Any]:
    """Build the context of the page's header and footer."""
    return {
        "labels": visit.labels,
        "in_basket": sum(line.quantity for line in visit.state.basket),
        "slow_ms": SLOW_MS[visit.look.slow],
        "today": wording.day_text(visit.now.date(), locale=visit.look.locale),
    }


def message_page(visit: Visit, message: Message) -> Page:
    """Show a message in the shop's frame, in place of a page."""
    title, status, home = message.title, message.status, visit.labels["home"]
    return page(visit, "instead", title=title, here="", status=status, message=message, home=home)


def product_at(world: World, product_id: str) -> Product:
    """Return the product with this id. Raises ``Http404`` if the shop has no such product."""
    for product in world.products:
        if product.id == product_id:
            return product
    raise Http404


def product_card(world: World, product: Product) -> dict[str, Any]:
    """Build the context of a product in a list."""
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


def star_shares(world: World, product: Product) -> list[dict[str, Any]]:
    """Return the share of each number of stars among all reviews of a product, five stars first."""
    counts = star_counts(world, product.id)
    return [
        {"stars": number, "words": wording.stars_text(number), "percent": round(100 * count / sum(counts))}
        for number, count in reversed(list(enumerate(counts, start=1)))
    ]


def find_label(visit: Visit, name: str, product: Product) -> str:
    """Return a field's label; the size field's contains the product's word for size, such as capacity."""
    return visit.labels[name].format(product.size_word, product.size_word.lower())


def stars_drawn(number: int) -> str:
    return "★" * number + "☆" * (wording.STARS - number)


NUMBERS = {"none": 0, "one": 1, "two": 2}
LINKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    title: str
    text: str
    links: tuple[tuple[str, str], ...] = ()
    """Each link as a product id and a text."""


WRITTEN = toml_load(Path(__file__).with_name("panels.toml"), dict[str, tuple[Panel, ...]])["panels"]


def draw_panels(visit: Visit, here: str) -> list[Panel]:
    """Draw the page's panels at random, as many as the look has."""
    count = NUMBERS[visit.look.panels]
    if not count:
        return []
    world: World = visit.world
    draws = Draws(world.key, "reviews", "panels", visit.look.digest(), here)
    return draws.sample((*WRITTEN, _also(world, draws), _brands(world)), count)


def _also(world: World, draws: Draws) -> Panel:
    chosen = draws.sample(world.products, LINKS)
    links = tuple((product.id, product.name) for product in chosen)
    return Panel(title="Customers also viewed", text="Popular in the last hour:", links=links)


def _brands(world: World) -> Panel:
    brands = sorted(product.brand for product in world.products)
    return Panel(title="Our brands", text=f"{', '.join(brands[:-1])} and {brands[-1]}.")
