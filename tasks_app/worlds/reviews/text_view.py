"""Text view of the shop: its pages' content about products, their questions and all their reviews."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from tasks_app.worlds.formats import counted, day_text
from tasks_app.worlds.registry import TextView
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.outlines import mean_tenths, outlines
from tasks_app.worlds.reviews.questions import questions
from tasks_app.worlds.reviews.text import helpful_text, review
from tasks_app.worlds.reviews.types import Outline, Product, Question, Review, World

Scope: TypeAlias = Mapping[str, Any]
JOINT = "\n\n"
PRODUCT_TOKENS = 620
REVIEW_TOKENS = 41
SENTENCE_TOKENS = 12
REPLY_TOKENS = 22
"""Average tokens in both editions of each part of a text.

The parts are a product with its questions, a review with title and facts, a sentence, and a seller's reply.
"""
TOLERANCE = 0.15
"""Maximum relative deviation of a product's text from the sum of its parts."""
INTRO = (
    "Each product with all its reviews, newest first, and its questions, which are not reviews. A review "
    "shows its title, stars, date, reviewer, options, badge and votes, then its text, and the seller "
    "response if there is one. A review in another language shows its translation, then its original title "
    "and text."
)


def build_scope(world: World, given: Mapping[str, Any]) -> dict[str, Any]:
    if "product" in given:
        return {"products": [world.product(given["product"]).name]}
    return {"products": [product.name for product in world.rivals]}


def render(world: World, scope: Scope | None) -> Iterator[str]:
    """Yield the world as Markdown in parts, either the products of a scope or everything."""
    yield f"# Products and their reviews\n\n{INTRO}"
    for product in world.products:
        if scope is None or product.name in scope["products"]:
            yield _product(world, product)
            yield "### Questions"
            yield "\n".join(map(_question, questions(world, product.id)))
            yield "### Reviews"
            for outline in outlines(world, product.id):
                yield _review(review(world, product.id, outline), product)


def bounds(world: World, scope: Scope) -> Iterator[tuple[int, int]]:
    """Yield one pair of bounds without writing any review."""
    about = 0
    for product in world.products:
        if product.name in scope["products"]:
            everything = outlines(world, product.id)
            about += PRODUCT_TOKENS + REVIEW_TOKENS * len(everything)
            about += SENTENCE_TOKENS * sum(outline.sentences for outline in everything)
            about += REPLY_TOKENS * sum(outline.has_reply for outline in everything)
    yield int(about * (1 - TOLERANCE)), int(about * (1 + TOLERANCE))


def _product(world: World, product: Product) -> str:
    about = (
        f"{product.noun.capitalize()} by {product.brand}, item number {product.id}. "
        f"€{product.price // 100}.{product.price % 100:02d}. Colours: {', '.join(product.colours)}. "
        f"{product.size_word}: {', '.join(product.sizes)}. "
        f"{mean_tenths(world, product.id) / 10:.1f} out of 5 stars, "
        f"{counted(product.review_count, 'review')}."
    )
    return JOINT.join([f"## {product.name}", product.summary, about])


def _question(question: Question) -> str:
    answers = [f"  - {answer.text} ({answer.author})" for answer in question.answers]
    none = "  - No answers yet."
    return "\n".join(
        [f"- {question.text} ({question.asker}, {day_text(question.day)})", *(answers or [none])]
    )


def _review(review: Review, product: Product) -> str:
    paragraphs = [f"#### {review.title}", _facts(review.outline, product), " ".join(review.body)]
    if review.original:
        title, *body = review.original
        language = vocabulary.LANGUAGES[review.outline.language]
        original = f"Original title: {title} Original text: {' '.join(body)}"
        paragraphs.append(f"Translated from {language}. {original}")
    if review.reply:
        paragraphs.append(f"> Seller response: {review.reply}")
    return JOINT.join(paragraphs)


def _facts(outline: Outline, product: Product) -> str:
    facts = [
        counted(outline.stars, "star"),
        day_text(outline.day),
        f"by {outline.reviewer}",
        f"colour: {outline.colour}",
        f"{product.size_word.lower()}: {outline.size}",
        *(["verified purchase"] if outline.is_verified else []),
        helpful_text(outline.helpful),
    ]
    return " · ".join(facts)


TEXT_VIEW = TextView(scope_of=build_scope, render=render, bounds=bounds)
