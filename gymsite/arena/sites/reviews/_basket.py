"""The basket: the items that a visitor has put into it, their quantities and prices."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404

from gymsite.arena.sites.offers import Offer, not_offered
from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.reviews._page import page, product_at, product_card
from gymsite.arena.sites.reviews._shop import list_options, read_choice
from gymsite.arena.sites.site import Change, Page, Visit
from tasks_app.worlds.reviews.state import Line
from tasks_app.worlds.reviews.types import World

MOST = 10
"""Maximum quantity of one product in one colour and size."""
QUANTITIES = tuple(str(number) for number in range(1, MOST + 1))
DELIVERY_FREE_FROM = 60_00
DELIVERY = 4_90
FULL = f"You can order up to {MOST} of each item."
UPDATED = "Your basket has been updated."


def basket_page(visit: Visit) -> Page:
    """Show the basket."""
    world: World = visit.world
    goods = sum(product_at(world, line.product).price * line.quantity for line in visit.state.basket)
    delivery = 0 if goods >= DELIVERY_FREE_FROM else DELIVERY
    notes = not_offered(visit.query, [Offer("quantity", "Quantity", QUANTITIES)])
    return page(
        visit,
        "basket",
        title=visit.labels["basket"],
        here="basket",
        news=UPDATED if visit.news == "basket_changed" else "",
        notes=[*notes, *([FULL] if visit.query.get("full") else [])],
        lines=[_card(world, line) for line in visit.state.basket],
        quantities=QUANTITIES,
        goods=wording.money(goods),
        delivery=wording.money(delivery) if delivery else "Free",
        total=wording.money(goods + delivery),
    )


def _card(world: World, line: Line) -> dict[str, Any]:
    product = product_at(world, line.product)
    return {
        **product_card(world, product),
        "line": line,
        "quantity": str(line.quantity),
        "price": wording.money(product.price * line.quantity),
    }


def basket_add(visit: Visit) -> Change:
    """Add one item of a product in a colour and size. Raises ``Http404``."""
    if visit.form is None:
        raise Http404
    product = product_at(visit.world, visit.form.get("product", ""))
    options = list_options(visit, product)
    colour, size = (read_choice(option, visit.form) for option in options)
    if not (colour and size):
        requested = {option.name: visit.form.get(option.name, "") for option in options}
        return Change(events=(), to=f"products/{product.id}?{urlencode(requested)}")
    lines = [line for line in visit.state.basket if line.is_of(product.id, colour, size)]
    quantity = 1 + sum(line.quantity for line in lines)
    if quantity > MOST:
        return Change(events=(), to="basket?full=1")
    return _change(Line(product=product.id, colour=colour, size=size, quantity=quantity))


def basket_set(visit: Visit) -> Change:
    """Change the quantity of an item in the basket, or remove it. Raises ``Http404``."""
    form = visit.form
    if form is None:
        raise Http404
    key = tuple(form.get(name, "") for name in ("product", "colour", "size"))
    line = next((line for line in visit.state.basket if line.is_of(*key)), None)
    quantity = "0" if "remove" in form else form.get("quantity", "")
    if line is None or quantity == str(line.quantity):
        return Change(events=(), to="basket")
    if quantity not in ("0", *QUANTITIES):
        return Change(events=(), to=f"basket?{urlencode({'quantity': quantity})}")
    return _change(Line(product=line.product, colour=line.colour, size=line.size, quantity=int(quantity)))


def _change(line: Line) -> Change:
    facts = {name: getattr(line, name) for name in ("product", "colour", "size", "quantity")}
    return Change(events=(("basket_changed", facts),), to="basket", conflict_to="basket", is_confirmed=True)
