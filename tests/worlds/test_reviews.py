from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from datetime import date
from itertools import combinations

import pytest

from tasks_app.worlds.digest import digest
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.mentions import FEWEST, MOST
from tasks_app.worlds.reviews.outlines import outlines, stars
from tasks_app.worlds.reviews.questions import questions
from tasks_app.worlds.reviews.state import State, fold, helpful_votes
from tasks_app.worlds.reviews.text import review, reviews, search
from tasks_app.worlds.reviews.types import FOLD, Mark, Product, Review, World
from tasks_app.worlds.reviews.world import world, world_change

DAY = date(2027, 3, 1)
WORLDS = [world(b"one", first_day=DAY), world(b"two", edition="test", first_day=DAY)]
KNOWN = "6fcc00f78c77701715318dc719c4825ee599198322305ca25cb992c8490e1a76"
COMPLAINTS = (
    "poor|disappoint|badly|cheap|broke|failed|gave out|came off|not last|refund|regret|returned|shoddy|never"
    "|quit|laughable|disgrace|rickety|worse|snapped|fell|waste|back|no use|missing|wrong|awful"
)


def everything(of: World) -> list[object]:
    return [of, [(reviews(of, product.id), questions(of, product.id)) for product in of.products]]


@pytest.mark.parametrize("of", WORLDS, ids=["train", "test"])
def test_no_two_ids_of_a_world_differ_only_by_case(of: World) -> None:
    numbers = [product.id for product in of.products]
    numbers += [one.id for product in of.products for one in reviews(of, product.id)]
    assert len({number.casefold() for number in numbers}) == len(numbers)


def test_a_key_gives_the_same_bytes_under_another_hash_seed() -> None:
    script = (
        "from tests.worlds.test_reviews import *; print(digest(everything(world(b'one', first_day=DAY))))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert outputs == {KNOWN}


def test_equal_worlds_share_a_cache_key_and_changed_ones_do_not() -> None:
    drawn, again = (world.__wrapped__(b"one", first_day=DAY) for _ in range(2))
    change = {"review": outlines(drawn, drawn.products[0].id)[0].id, "fact": "is_verified", "value": False}
    assert drawn is not again
    assert {drawn: "once"}[again] == "once"
    assert len({drawn, again, world_change(drawn, [change])}) == 2


def test_another_key_edition_or_day_is_another_world() -> None:
    days = [world(b"one", first_day=DAY), world(b"one", first_day=date(2028, 2, 29))]
    assert len({digest(everything(each)) for each in [*days, *WORLDS]}) == 3


@pytest.mark.parametrize("of", WORLDS, ids=["train", "test"])
def test_the_shop_has_five_rivals_among_up_to_ten_products_of_50_to_600_reviews(of: World) -> None:
    assert 6 <= len(of.products) <= 10
    assert len({product.category for product in of.rivals}) == 1
    assert of.rivals[0].category not in {product.category for product in of.products[5:]}
    assert all(50 <= len(outlines(of, product.id)) <= 600 for product in of.products)
    assert len({product.name for product in of.products}) == len(of.products)


@pytest.mark.parametrize("of", WORLDS, ids=["train", "test"])
def test_reviewers_and_ids_are_never_shared(of: World) -> None:
    ids = [outline.id for product in of.products for outline in outlines(of, product.id)]
    assert len(set(ids)) == len(ids)
    for product in of.products:
        names = [outline.reviewer for outline in outlines(of, product.id)]
        assert len(set(names)) == len(names)
        assert all(outline.day < of.first_day for outline in outlines(of, product.id))


def word(form: str, case: str) -> str:
    return {"lower": form, "capital": form.capitalize(), "upper": form.upper()}[case]


def planted(of: World, product: Product) -> Counter[tuple[str, str, str]]:
    """Review, place and word of every mark of a whole word."""
    terms = {
        term.word: term for term in vocabulary.load_vocabulary(of.edition).categories[product.category].terms
    }
    return Counter(
        (outline.id, mark.place, word(terms[mark.term].all_forms[mark.form], mark.case))
        for outline in outlines(of, product.id)
        for mark in outline.marks
        if mark.form >= 0
    )


def read(of: World, product: Product) -> Counter[tuple[str, str, str]]:
    """The same, counted by reading every visible word."""
    terms = vocabulary.load_vocabulary(of.edition).categories[product.category].terms
    forms = {form for term in terms for form in term.all_forms}
    return Counter(
        (each.id, place, token)
        for each in reviews(of, product.id)
        for place, text in (("title", each.title), ("body", " ".join(each.body)), ("reply", each.reply))
        for token in re.findall(r"\w+", text)
        if token.lower() in forms
    )


@pytest.mark.parametrize("key", [b"a", b"b", b"c"])
@pytest.mark.parametrize("edition", ["train", "test"])
def test_reviews_mention_exactly_the_planted_terms(key: bytes, edition: Edition) -> None:
    of = world(key, edition=edition, first_day=DAY)
    for product in of.products:
        assert read(of, product) == planted(of, product)


def body_mentions(of: World, product: Product) -> Counter[str]:
    """Reviews written in English whose text has the term in any form."""
    return Counter(
        term
        for outline in outlines(of, product.id)
        if not outline.language
        for term in {mark.term for mark in outline.marks if mark.place == "body" and mark.form >= 0}
    )


def test_terms_are_mentioned_3_to_60_times_and_are_as_often_rare_as_common() -> None:
    shops = [world(b"%d" % number, first_day=DAY) for number in range(12)]
    counts = [
        count
        for of in shops
        for product in of.products
        if product.review_count > 200
        for count in body_mentions(of, product).values()
    ]
    assert (min(counts), max(counts)) == (FEWEST, MOST)
    rare, common = sum(count < 14 for count in counts), sum(count >= 14 for count in counts)
    assert 0.6 < rare / common < 1.6


def distractors(of: World, kind: str) -> int:
    tests = {
        "title": lambda mark, each: mark.place == "title",
        "reply": lambda mark, each: mark.place == "reply",
        "longer": lambda mark, each: mark.form < 0,
        "folded": lambda mark, each: mark.place == "body" and mark.at >= FOLD,
        "form": lambda mark, each: mark.form > 0,
        "case": lambda mark, each: mark.case != "lower",
        "translation": lambda mark, each: bool(each.outline.language),
    }
    product = of.rivals[0]
    return sum(tests[kind](mark, each) for each in reviews(of, product.id) for mark in each.outline.marks)


@pytest.mark.parametrize("kind", ["title", "reply", "longer", "folded", "form", "case", "translation"])
@pytest.mark.parametrize("of", WORLDS, ids=["train", "test"])
def test_distractors_of_every_kind_are_planted(of: World, kind: str) -> None:
    assert distractors(of, kind) > 0


def test_customer_questions_mention_terms_too() -> None:
    of = WORLDS[0]
    terms = vocabulary.load_vocabulary("train").categories[of.rivals[0].category].terms
    text = " ".join(question.text for product in of.rivals for question in questions(of, product.id))
    assert sum(term.word in text for term in terms) >= 4


def test_a_review_reads_the_same_alone_and_in_its_list() -> None:
    product = WORLDS[0].products[3]
    whole = reviews(WORLDS[0], product.id)
    assert [review(WORLDS[0], product.id, each.outline) for each in whole[:5]] == list(whole[:5])


def two_hundred(of: World) -> list[Review]:
    return [each for product in of.rivals for each in reviews(of, product.id)][:200]


def shingles(each: Review) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", " ".join(each.body).lower())
    return {tuple(words[at : at + 3]) for at in range(len(words) - 2)}


@pytest.mark.parametrize("of", WORLDS, ids=["train", "test"])
def test_two_hundred_reviews_do_not_read_alike(of: World) -> None:
    drawn = two_hundred(of)
    sentences = Counter(sentence for each in drawn for sentence in each.body)
    assert sum(count - 1 for count in sentences.values()) / sentences.total() < 0.25
    pairs = list(combinations(map(shingles, drawn), 2))
    overlap = [len(one & other) / max(1, len(one | other)) for one, other in pairs]
    assert sum(overlap) / len(overlap) < 0.02
    assert len({" ".join(each.body) for each in drawn}) > 190


@pytest.mark.parametrize("of", WORLDS, ids=["train", "test"])
def test_complaints_are_more_frequent_in_reviews_with_few_stars(of: World) -> None:
    shares: dict[int, list[float]] = {}
    for each in [each for product in of.products for each in reviews(of, product.id)]:
        if not each.outline.language:
            shares.setdefault(each.outline.stars, []).append(
                len(re.findall(COMPLAINTS, " ".join(each.body).lower())) / len(each.body)
            )
    means = {stars: sum(values) / len(values) for stars, values in shares.items()}
    assert min(means[1], means[2]) > 1.5 * max(means[4], means[5])


def test_the_sites_search_counts_more_than_whole_words() -> None:
    of = WORLDS[0]
    product = of.rivals[0]
    mentioned = body_mentions(of, product)
    assert all(len(search(of, product.id, term)) >= count for term, count in mentioned.items())
    assert sum(len(search(of, product.id, term)) > count for term, count in mentioned.items()) >= 7
    assert len(search(of, product.id, "Qx")) == 0


def test_star_counts_match_the_reviews() -> None:
    of = world(bytes(32), edition="test", first_day=date(2027, 3, 1))
    for product in of.products:
        assert Counter(stars(of, product.id)) == Counter(one.stars for one in outlines(of, product.id))


def test_a_change_alters_one_fact_of_one_review() -> None:
    of = WORLDS[0]
    product = of.products[0]
    chosen = next(each for each in outlines(of, product.id) if each.is_verified)
    other = world_change(of, [{"review": chosen.id, "fact": "is_verified", "value": False}])
    differing = [
        (one.outline, two.outline)
        for each in of.products
        for one, two in zip(reviews(of, each.id), reviews(other, each.id), strict=True)
        if one != two
    ]
    assert [(one.id, one.is_verified, two.is_verified) for one, two in differing] == [
        (chosen.id, True, False)
    ]
    assert world_change(of, []) is of


def test_a_state_folds_only_known_events() -> None:
    of = WORLDS[0]
    mine = outlines(of, of.products[0].id)[0].id
    state = fold(
        of,
        [
            ("helpful_voted", {"review": mine}),
            ("helpful_voted", {"review": "V0000000"}),
            ("no_such_kind", {"review": mine}),
            ("recent_search", {"text": "a"}),
            ("recent_search", {"text": "b"}),
            ("recent_search", {"text": "a"}),
            ("product_opened", {"product": of.products[0].id}),
            ("shown", {"facts": [f"review {mine}", f"review {mine} more"]}),
            ("banner_closed", {"name": "cookies"}),
        ],
    )
    assert state == State(
        voted=frozenset({mine}),
        unfolded=frozenset({mine}),
        closed=frozenset({"cookies"}),
        searches=({"text": "b"}, {"text": "a"}),
        seen=2,
    )
    assert fold(of, [("shown", {"facts": [f"review {mine} reply"]})]).replies == {mine}
    assert helpful_votes(state, review=mine, drawn=4) == 5
    assert fold(of, [("helpful_voted", {"review": mine}), ("helpful_withdrawn", {"review": mine})]) == State()


def test_marks_in_titles_and_replies_name_no_sentence() -> None:
    for product in WORLDS[0].products:
        marks = [mark for outline in outlines(WORLDS[0], product.id) for mark in outline.marks]
        assert {mark.at for mark in marks if mark.place != "body"} == {Mark("", 0, "lower", "title").at}
