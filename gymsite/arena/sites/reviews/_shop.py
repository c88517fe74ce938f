"""The shop's home page, its product pages, and the questions about products."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import QueryDict

from gymsite.arena.sites.offers import Offer, not_offered
from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.reviews._page import find_label, page, product_at, product_card, star_shares
from gymsite.arena.sites.reviews._query import text_read
from gymsite.arena.sites.site import Page, Visit
from tasks_app.worlds.formats import counted
from tasks_app.worlds.reviews.questions import questions
from tasks_app.worlds.reviews.types import Product, World

RELATED = 4


def home(visit: Visit) -> Page:
    """Show the shop's home page, or the results of a search for products."""
    world: World = visit.world
    categories = {product.category: product.noun for product in world.products}
    chosen = visit.query.get("category", "")
    category = chosen if chosen in categories else ""
    text = text_read(visit.query)
    title = wording.plural(categories[category]) if category else visit.labels["all_products"]
    in_category = [product for product in _by_name(world) if category in ("", product.category)]
    return page(
        visit,
        "home",
        title=visit.labels["found"].format(text) if text else title,
        here=_address(q=text, category=category),
        events=[("products_searched", {"text": text})] if text else [],
        category=category,
        searched=text,
        notes=not_offered(visit.query, [Offer("category", visit.labels["categories"], categories)]),
        categories=[(kind, wording.plural(noun)) for kind, noun in sorted(categories.items())],
        cards=[product_card(world, product) for product in in_category if _matches(product, text)],
    )


def _by_name(world: World) -> list[Product]:
    return sorted(world.products, key=lambda product: product.name)


def _address(**query: str) -> str:
    chosen = urlencode({name: value for name, value in query.items() if value})
    return f"?{chosen}" if chosen else ""


def _matches(product: Product, text: str) -> bool:
    """Return whether each word of a search is in the product's name or kind."""
    about = f"{product.name} {product.noun} {wording.plural(product.noun)}".casefold()
    return all(word in about for word in text.casefold().split())


def product_page(visit: Visit, product_id: str) -> Page:
    """Show a product."""
    world: World = visit.world
    product = product_at(world, product_id)
    say = visit.labels
    requested = len(questions(world, product.id))
    options = list_options(visit, product)
    return page(
        visit,
        "product",
        title=product.name,
        here=f"products/{product.id}",
        events=[("product_opened", {"product": product.id})],
        product=product,
        card=product_card(world, product),
        crumb=(f"?category={product.category}", wording.plural(product.noun)),
        notes=not_offered(visit.query, options),
        options=[(option, read_choice(option, visit.query)) for option in options],
        spread=[{**share, "query": f"stars={share['stars']}"} for share in star_shares(world, product)],
        related=[product_card(world, other) for other in _related(world, product)],
        read_reviews=say["read_reviews"].format(reviews=counted(product.review_count, "review")),
        see_questions=say["see_questions"].format(questions=counted(requested, "question")),
    )


def list_options(visit: Visit, product: Product) -> list[Offer]:
    """List the choices that a customer has for a product: its colour and its size."""
    return [
        Offer("colour", visit.labels["colour"], product.colours),
        Offer("size", find_label(visit, "size", product), product.sizes),
    ]


def read_choice(option: Offer, query: QueryDict) -> str:
    """Return the value in the address, or "" if it is not offered."""
    value = query.get(option.name, "")
    return value if value in option.values else ""


def _related(world: World, product: Product) -> list[Product]:
    """List other products, starting with those of the same kind."""
    others = [other for other in _by_name(world) if other.id != product.id]
    return sorted(others, key=lambda other: other.category != product.category)[:RELATED]


def questions_page(visit: Visit, product_id: str) -> Page:
    """Show the questions about a product."""
    product = product_at(visit.world, product_id)
    return page(
        visit,
        "questions",
        title=visit.labels["questions_of"].format(product.name),
        here=f"products/{product.id}/questions",
        events=[("questions_opened", {"product": product.id})],
        product=product,
        card=product_card(visit.world, product),
        crumb=(f"products/{product.id}", product.name),
        spread=(),
        questions=[
            {"question": question, "day": wording.day_text(question.day, locale=visit.look.locale)}
            for question in questions(visit.world, product.id)
        ],
    )
