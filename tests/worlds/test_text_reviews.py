"""The answers can be read from the shop's text alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest

from tests.worlds import text_reader
from tests.worlds.text_reader import Case

pytestmark = pytest.mark.slow

FACTS = re.compile(
    r"(\d) stars? · (\d+ \w+ \d{4}) · by (.+?) · colour: (.+?) · [a-z]+: (.+?)( · verified purchase)?"
    r" · (\d+) (?:person|people) found this helpful"
)


@dataclass(frozen=True)
class PrintedReview:
    """A review as the text has it."""

    title: str
    stars: int
    day: date
    reviewer: str
    colour: str
    size: str
    is_verified: bool
    helpful: int
    text: str
    original: str
    reply: str


def read(text: str) -> dict[str, list[PrintedReview]]:
    """The reviews of each product by its name."""
    products = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return {part.split("\n", 1)[0]: [*map(_review, part.split("\n#### ")[1:])] for part in products}


def _review(part: str) -> PrintedReview:
    title, facts, body, *more = part.strip().split("\n\n")
    match = FACTS.fullmatch(facts)
    assert match
    stars, day, reviewer, colour, size, badge, helpful = match.groups()
    return PrintedReview(
        title=title,
        stars=int(stars),
        day=datetime.strptime(day, "%d %B %Y").replace(tzinfo=UTC).date(),
        reviewer=reviewer,
        colour=colour,
        size=size,
        is_verified=bool(badge),
        helpful=int(helpful),
        text=body,
        original="".join(one for one in more if one.startswith("Translated from ")),
        reply="".join(one.removeprefix("> Seller response: ") for one in more if one.startswith("> ")),
    )


def mentioning(reviews: Iterable[PrintedReview], case: Case) -> list[PrintedReview]:
    """Those that mention the term, by the rule and with the forms that the wording names."""
    given = case.task.given
    if "term" not in given:
        return list(reviews)
    rule, term = given["rule"], given["term"]
    beside = {condition["value"] for condition in given.get("conditions", ())}
    quoted = {*re.findall(r'"(\w+)"', case.task.wording)} - beside
    forms = "|".join([term] if rule["is_one_form"] else sorted(quoted))
    word = re.compile(rf"\b({forms})\b", re.NOFLAG if rule["is_small_letters"] else re.IGNORECASE)

    def parts(review: PrintedReview) -> str:
        title = review.title if rule["has_titles"] else ""
        reply = review.reply if rule["has_replies"] else ""
        return f"{review.text}\n{title}\n{reply}"

    return [
        review
        for review in reviews
        if (rule["has_translations"] or not review.original) and word.search(parts(review))
    ]


def missed(review: PrintedReview, conditions: Iterable[dict[str, Any]]) -> str:
    """The letters of the conditions that the review does not meet."""
    meets: dict[str, Callable[[Any], bool]] = {
        "stars": lambda value: review.stars == value,
        "at_least": lambda value: review.stars >= value,
        "at_most": lambda value: review.stars <= value,
        "colour": lambda value: review.colour == value,
        "size": lambda value: review.size == value,
        "verified": lambda value: review.is_verified is value,
        "month": lambda value: f"{review.day:%Y-%m}" == value,
        "year": lambda value: f"{review.day:%Y}" == value,
    }
    letters = zip("ab", conditions, strict=False)
    return "".join(letter for letter, one in letters if not meets[one["fact"]](one["value"]))


def foremost(reviews: list[PrintedReview], way: str) -> PrintedReview:
    return max(
        reviews,
        key=lambda one: (
            one.helpful if way == "most helpful" else one.day.toordinal() * (1 if way == "newest" else -1)
        ),
    )


def answer(case: Case) -> tuple[str, ...]:
    given, products = case.task.given, read(case.text())
    if case.task.family == "most_of_five":
        counts = {name: len(mentioning(matching, case)) for name, matching in products.items()}
        (name, most), (_, second), *_ = sorted(counts.items(), key=lambda each: -each[1])
        return name, str(most - second)
    (reviews,) = products.values()
    matching = mentioning(reviews, case)
    conditions = given.get("conditions", ())
    full = [one for one in matching if not missed(one, conditions)]
    if "way" not in given:
        number = str(len(full)) if case.task.family != "mean_rating" else _mean(full)
        return number, foremost(full, given["end"]).reviewer
    if not full:
        nearest = foremost([one for one in matching if len(missed(one, conditions)) == 1], given["way"])
        return missed(nearest, conditions), nearest.reviewer
    best = foremost(full, given["way"])
    return str(best.helpful if case.task.family == "most_helpful_mention" else best.day), best.reviewer


def _mean(reviews: list[PrintedReview]) -> str:
    return f"{sum(one.stars for one in reviews) / len(reviews):.2f}"


@pytest.mark.parametrize("family", text_reader.READING["reviews"])
def test_the_answer_can_be_read_from_the_text_alone(family: str) -> None:
    cases = text_reader.of_family("reviews", family)
    assert len(cases) >= 12
    assert [one.task for one in cases if answer(one) != one.task.answer] == []


@pytest.mark.parametrize("family", text_reader.READING["reviews"])
def test_every_review_of_the_products_is_there(family: str) -> None:
    for one in text_reader.of_family("reviews", family):
        counts = {product.name: product.review_count for product in one.world.products}
        counted = {name: len(reviews) for name, reviews in read(one.text()).items()}
        assert counted == {name: counts[name] for name in one.scope["products"]}


def test_a_plain_text_search_miscounts_the_mentions() -> None:
    for one in text_reader.of_family("reviews", "count_mentions"):
        (reviews,) = read(one.text()).values()
        careless = [each for each in reviews if one.task.given["term"].lower() in _all_of(each).lower()]
        assert len(careless) != int(one.task.answer[0])


def _all_of(review: PrintedReview) -> str:
    return " ".join((review.title, review.text, review.original, review.reply))


def test_questions_are_separate_from_the_reviews() -> None:
    for one in text_reader.of_family("reviews", "count_mentions")[:3]:
        before, _, after = one.text().partition("\n### Reviews\n")
        assert "### Questions" in before
        assert before.count("?") > 3
        assert "### Questions" not in after
