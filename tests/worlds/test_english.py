"""Every text of a world and every wording of a task is a sentence that a person would write.

Rules of form for all of them, read over several worlds, and the tone of reviews against their stars.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

import pytest

from core.draws import Draws
from tasks_app.families import registry
from tasks_app.families.types import LEVELS
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.reviews import questions as shop_asking
from tasks_app.worlds.reviews import text as shop_text
from tasks_app.worlds.reviews.world import world as shop_world
from tasks_app.worlds.stays import reviews as stay_reviews
from tasks_app.worlds.stays.text import description, fees_rows, policy_text, rules_rows
from tasks_app.worlds.stays.world import world as stays_world

pytestmark = pytest.mark.slow

DAY = date(2027, 3, 1)
WORLDS = 10
HOUSES = 25
EDITIONS: tuple[Edition, ...] = ("train", "test")
NUMBER = "two|three|four|five|six|seven|eight|nine|ten|[2-9]|[1-9][0-9]+"
NOUN = "day|week|fortnight|month|year|night|minute|hour|star|guest|room|person|vote|review|amenity"
# What no text contains, what it may contain all the same, and a sentence that has the fault.
FAULTS = {
    "notation that was not filled in": (r"[{}\[\]|@]", r"@example\.org", "The {x} is [good|bad]."),
    "two spaces, or one before a stop": (r"  | [,.;:!?](?:\s|$)", r"$^", "My mother praised the pocket ."),
    "two stops": (r"[,;:.!?][,;:.]|\?\?", r"\.\.\.|\?\.", "P.S.: it works.."),
    "a word twice": (r"(?i)\b([a-z]+) \1\b", r"$^", "Even with ten kilos in it it sits well."),
    "a before a vowel": (r"(?i)\ba [aeio]\w+", r"(?i)\ba (?:one|eu|once)", "A air fryer."),
    "an before a consonant": (r"(?i)\ban [bcdfgjklmnpqrstvwxyz]", r"(?i)\ban (?:mp3|led|fm)", "An tent."),
    "one of many": (
        rf"(?i)(?<![.,\w-])\b(?:{NUMBER}) (?:{NOUN})\b(?!-)",
        r"(?i)[a-z-]-(?:two|three|four)",
        "It broke after two week.",
    ),
    "many of one": (rf"(?i)(?<![.,\d-])\b(?:1|one) (?:{NOUN})s\b", r"$^", "1 reviews"),
    "time after time": (
        r"(?i)\b(?:after|within) (?:after|over|for|later)\b|\bLater after\b",
        r"$^",
        "Later after seven days: it leaks.",
    ),
}
PRAISE = (
    r"recommended to everyone|I (?:can|would) \w+ recommend|excellent|perfect|love it|flawless|first-rate|"
    r"beautifully|worth every|[Ww]ell made|[Nn]o complaints|bargain|delighted|Full marks|Top marks"
)
COMPLAINT = (
    r"gave out|poor|badly|flimsy|disappoint|refund|never again|money back|useless|terrible|shoddy|laughable|"
    r"hopeless|regret buying|falling apart|[Hh]ands off"
)


def shop_sentences() -> Iterator[str]:
    for number in range(WORLDS):
        shop = shop_world(b"english %d" % number, edition=EDITIONS[number % 2], first_day=DAY)
        for product in shop.products:
            yield product.summary
            for question in shop_asking.questions(shop, product.id):
                yield question.text
                yield from (answer.text for answer in question.answers)
            for review in shop_text.reviews(shop, product.id):
                yield from (review.title, *review.body, *([review.reply] if review.reply else []))


def stays_sentences() -> Iterator[str]:
    for number in range(WORLDS):
        town = stays_world(b"english %d" % number, edition=EDITIONS[number % 2], first_day=DAY)
        for house in town.listings[:HOUSES]:
            yield from (*description(town, house), *policy_text(house.policy))
            yield from (value for _, value in (*rules_rows(house.rules), *fees_rows(town, house)))
            for review in stay_reviews.reviews(town, house):
                yield from (review.title, *review.body, *([review.reply] if review.reply else []))


def wordings() -> Iterator[str]:
    registry.discover()
    for site, draw in (("stays", stays_world), ("reviews", shop_world)):
        for family in registry.list_families(site):
            for number, edition in enumerate(family.splits):
                of = draw(b"english %d" % number, edition=edition, first_day=DAY)
                tasks = (family.draw(of, Draws("english", number, level), level) for level in LEVELS)
                yield from (line for task in tasks if task for line in task.wording.splitlines())


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_seen_in_a_sentence_that_has_it(fault: str) -> None:
    wrong, right, sentence = FAULTS[fault]
    assert re.search(wrong, sentence)
    assert not re.search(right, sentence)


@pytest.mark.parametrize("sentences", [shop_sentences, stays_sentences, wordings])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_text_has_a_fault_of_form(sentences: object, fault: str) -> None:
    wrong, right = map(re.compile, FAULTS[fault][:2])
    faulty = {text for text in sentences() if wrong.search(text) and not right.search(text)}  # type: ignore[operator]
    assert not faulty, (len(faulty), sorted(faulty)[:8])


@pytest.mark.parametrize("sentences", [shop_sentences, stays_sentences])
def test_every_sentence_begins_with_a_capital(sentences: object) -> None:
    faulty = {text for text in sentences() if re.match(r"[\"(]?[a-z]", text)}  # type: ignore[operator]
    assert not {text for text in faulty if not re.match(r"until|from|each", text)}, sorted(faulty)[:8]


@pytest.mark.parametrize(("stars", "words"), [(1, PRAISE), (5, COMPLAINT)], ids=["one star", "five stars"])
def test_reviews_at_either_end_speak_in_one_tone(stars: int, words: str) -> None:
    faulty, read = [], 0
    for number in range(WORLDS):
        shop = shop_world(b"english %d" % number, edition=EDITIONS[number % 2], first_day=DAY)
        for product in shop.products:
            for review in shop_text.reviews(shop, product.id):
                if review.outline.stars == stars and not review.original:
                    read += 1
                    faulty += [text for text in (review.title, *review.body) if re.search(words, text)]
    assert read > 100
    assert not faulty, (len(faulty), sorted(set(faulty))[:12])
