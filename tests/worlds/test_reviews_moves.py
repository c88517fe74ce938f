from __future__ import annotations

from datetime import date

import pytest

from core.draws import Draws
from tasks_app.families.registry import FAMILIES, discover
from tasks_app.families.reviews.common import moves, rules
from tasks_app.families.reviews.common.conditions import Condition
from tasks_app.families.reviews.common.rules import Rule
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.text import search
from tasks_app.worlds.reviews.types import FOLD, World
from tasks_app.worlds.reviews.world import world

pytestmark = pytest.mark.slow

DAY = date(2027, 3, 1)
WORLDS = 8


def worlds(edition: Edition) -> list[World]:
    return [world(bytes([number]), edition=edition, first_day=DAY) for number in range(WORLDS)]


@pytest.mark.parametrize("edition", ["train", "test"])
def test_site_searches_list_only_reviews_with_a_planted_term(edition: Edition) -> None:
    """For every search, so that a task's moves are known without reading a review."""
    for shop in worlds(edition):
        for product in shop.products:
            for term in rules.terms(shop, product):
                query = rules.query_make(shop, product, term, Rule())
                known = {entry.outline.id for entry in query.lax}
                for word, _ in moves._searches(query):
                    assert {review.id for review in search(shop, product.id, word)} <= known, word


def test_the_searched_words_list_every_mention() -> None:
    """The oracle searches for the term and for the forms that do not hold it, such as feet for foot."""
    for edition in ("train", "test"):
        for shop in worlds(edition)[:3]:
            product = shop.rivals[0]
            for term in rules.terms(shop, product):
                query = rules.query_make(shop, product, term, Rule())
                words = [term.word, *(form for form in term.forms if term.word not in form)]
                listed = {review.id for word in words for review in search(shop, product.id, word)}
                assert {outline.id for outline in query.mentions} <= listed


def test_only_conditions_that_are_filters_shorten_the_list() -> None:
    shop = worlds("train")[0]
    product = max(shop.products, key=lambda product: product.review_count)
    everything = outlines(shop, product.id)
    pages = -(-len(everything) // moves.LIST_LENGTH)
    unsaid = (Condition("at_least", 1), Condition("year", "2026"))
    assert moves.meeting(everything, unsaid, None) == moves.OPENING + pages - 1
    conditions = (Condition("stars", everything[0].stars), Condition("colour", everything[0].colour))
    assert moves.meeting(everything, conditions, None) < moves.OPENING + pages - 1


def test_only_hidden_content_costs_a_move() -> None:
    """Moves differ by rule: replies must be opened to be read."""
    shop = worlds("train")[1]
    for product in shop.products:
        for term in rules.terms(shop, product):
            plain = rules.query_make(shop, product, term, Rule())
            replies = rules.query_make(shop, product, term, Rule(has_replies=True))
            assert moves.mentioning(plain) <= moves.mentioning(replies)
            foldable = sum(entry.outline.sentences > FOLD for entry in plain.lax)
            turned = -(-len(plain.lax) // moves.LIST_LENGTH)
            most = moves.OPENING + moves.SEARCHING * len(term.all_forms) + turned * 2 + foldable
            assert moves.mentioning(plain) <= most


def test_five_products_take_the_moves_of_each_and_of_the_way_back() -> None:
    discover()
    shop = worlds("test")[0]
    draws = (Draws(b"five", number) for number in range(20))
    task = next(task for one in draws if (task := FAMILIES.get("most_of_five").draw(shop, one, 1)))
    term = rules.term_named(shop, shop.rivals[0], task.given["term"])
    rule = Rule(**task.given["rule"])
    alone = [moves.mentioning(rules.query_make(shop, product, term, rule)) for product in shop.rivals]
    assert task.oracle_steps == sum(alone) + 4 * moves.RETURNING + len(task.fields) + moves.SUBMITTING
