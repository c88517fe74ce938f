"""The shop's front, a product, and the questions about it."""

from __future__ import annotations

from gymsite.arena.sites.offers import Offer, not_offered
from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.reviews._page import page, product_at, product_card
from gymsite.arena.sites.site import Page, Visit
from tasks_app.worlds.formats import counted
from tasks_app.worlds.reviews.questions import questions
from tasks_app.worlds.reviews.types import World

RECENT = 3


def home(visit: Visit) -> Page:
    world: World = visit.world
    categories = {product.category: product.noun for product in world.products}
    chosen = visit.query.get("category", "")
    category = chosen if chosen in categories else ""
    return page(
        visit,
        "home",
        title=wording.plural(categories[category]) if category else visit.labels["all_products"],
        here=f"?category={category}" if category else "",
        category=category,
        notes=not_offered(visit.query, [Offer("category", visit.labels["categories"], categories)]),
        categories=[(one, wording.plural(noun)) for one, noun in sorted(categories.items())],
        cards=[
            product_card(world, product)
            for product in sorted(world.products, key=lambda product: product.name)
            if category in ("", product.category)
        ],
    )


def product_page(visit: Visit, product_id: str) -> Page:
    product = product_at(visit.world, product_id)
    say = visit.labels
    requested = len(questions(visit.world, product.id))
    return page(
        visit,
        "product",
        title=product.name,
        here=f"products/{product.id}",
        events=[("product_opened", {"product": product.id})],
        product=product,
        card=product_card(visit.world, product),
        crumb=(f"?category={product.category}", wording.plural(product.noun)),
        read_reviews=say["read_reviews"].format(reviews=counted(product.review_count, "review")),
        see_questions=say["see_questions"].format(questions=counted(requested, "question")),
    )


def questions_page(visit: Visit, product_id: str) -> Page:
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
        questions=[
            {"question": one, "day": wording.day_text(one.day, locale=visit.look.locale)}
            for one in questions(visit.world, product.id)
        ],
    )
