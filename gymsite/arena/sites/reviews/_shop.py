"""The shop's front, a product, and the questions about it."""

from __future__ import annotations

from typing import Any

from gymsite.arena.sites.reviews import _wording as wording
from gymsite.arena.sites.reviews._page import page, product_at, product_card
from gymsite.arena.sites.site import Page, Visit
from tasks_app.worlds.reviews.asking import questions
from tasks_app.worlds.reviews.types import Question, World

RECENT = 3


def home(visit: Visit) -> Page:
    world: World = visit.world
    categories = {product.category: product.noun for product in world.products}
    chosen = visit.query.get("category", "")
    category = chosen if chosen in categories else ""
    return page(
        visit,
        "home",
        title=wording.several(categories[category]) if category else "All products",
        here=f"?category={category}" if category else "",
        category=category,
        categories=[(one, wording.several(noun)) for one, noun in sorted(categories.items())],
        cards=[
            product_card(world, product)
            for product in sorted(world.products, key=lambda product: product.name)
            if category in ("", product.category)
        ],
    )


def product_page(visit: Visit, product_id: str) -> Page:
    product = product_at(visit.world, product_id)
    return page(
        visit,
        "product",
        title=product.name,
        here=f"products/{product.id}",
        events=[("product_opened", {"product": product.id})],
        **product_card(visit.world, product),
        category=wording.several(product.noun),
        questions=wording.counted(len(questions(visit.world, product.id)), "question"),
    )


def questions_page(visit: Visit, product_id: str) -> Page:
    product = product_at(visit.world, product_id)
    return page(
        visit,
        "questions",
        title=f"Questions about the {product.name}",
        here=f"products/{product.id}/questions",
        events=[("questions_opened", {"product": product.id})],
        product=product,
        questions=[_question(one) for one in questions(visit.world, product.id)],
    )


def _question(question: Question) -> dict[str, Any]:
    return {"question": question, "day": wording.day_text(question.day)}
