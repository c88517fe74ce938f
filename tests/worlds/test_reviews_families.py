from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from core.draws import Draws
from tasks_app.families import registry
from tasks_app.families import reviews as package
from tasks_app.families.types import LEVELS, Family, SiteTask
from tasks_app.worlds.reviews.text import reviews, search
from tasks_app.worlds.reviews.types import World
from tasks_app.worlds.reviews.world import SIZES, world, world_change
from validation.sites import guesses

pytestmark = pytest.mark.slow

registry.discover()
FAMILIES = {family.id: family for family in registry.list_families("reviews")}
DAYS = (date(2027, 3, 1), date(2028, 2, 29), date(2026, 12, 31))
WITH_CONDITIONS = ("mention_when", "most_helpful_mention")


def drawn(family: Family[World], count: int = 3) -> list[tuple[World, SiteTask]]:
    """The tasks of every level that a family draws in so many worlds."""
    return [pair for number in range(count) for pair in drawn_in(family.id, number)]


@cache
def drawn_in(name: str, number: int) -> list[tuple[World, SiteTask]]:
    family = FAMILIES[name]
    edition = "train" if "train" in family.splits and number % 2 == 0 else "test"
    of = world(b"%s %d" % (name.encode(), number), edition=edition, first_day=DAYS[number % 3])
    tasks = [family.draw(of, Draws(number, level), level) for level in LEVELS]
    return [(of, task) for task in tasks if task]


def test_there_are_six_families_two_of_them_only_in_the_test_split() -> None:
    assert len(FAMILIES) == 6
    only = {family.id for family in FAMILIES.values() if family.splits == ("test",)}
    assert only == {"most_of_five", "most_helpful_mention"}


def test_one_file_is_one_family_named_like_it() -> None:
    files = {path.stem for path in Path(package.__path__[0]).glob("*.py") if not path.stem.startswith("_")}
    assert set(FAMILIES) == files


@pytest.mark.parametrize("name", FAMILIES)
def test_the_constructed_answer_is_the_answer_by_reading(name: str) -> None:
    pairs = drawn(FAMILIES[name])
    assert len(pairs) >= 12
    assert [task for of, task in pairs if not FAMILIES[name].check(of, task)] == []


@pytest.mark.parametrize("name", FAMILIES)
def test_the_wrong_answer_of_a_family_differs_from_its_gold(name: str) -> None:
    for of, task in drawn(FAMILIES[name]):
        answer = FAMILIES[name].wrong(of, task)
        assert answer != task.answer
        assert len(answer) == len(task.answer) == len(task.fields) == 2


@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_draws_make_the_same_task(name: str) -> None:
    first, second = drawn_in.__wrapped__(name, 0), drawn_in.__wrapped__(name, 0)
    assert [task for _, task in first] == [task for _, task in second]


@pytest.mark.parametrize("name", FAMILIES)
def test_neither_wording_nor_needs_contain_the_answer(name: str) -> None:
    for of, task in drawn(FAMILIES[name]):
        witness = task.answer[0] if name == "most_of_five" else task.answer[1]
        text = task.wording if name != "most_of_five" else " ".join(task.needs)
        assert witness not in text
        ids = {each.id for product in of.products for each in reviews(of, product.id)}
        assert {re.split(" ", need)[1] for need in task.needs} <= ids
        assert task.needs


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "most_of_five"])
def test_a_higher_level_has_more_reviews_to_read(name: str) -> None:
    for of, task in drawn(FAMILIES[name]):
        low, high = SIZES[task.level - 1]
        assert low <= of.product(task.given["product"]).review_count <= high


def test_mean_ratings_cover_at_least_eight_reviews() -> None:
    for _, task in drawn(FAMILIES["mean_rating"]):
        assert len(task.needs) >= 8
        assert re.fullmatch(r"[1-5]\.\d\d", task.answer[0])


def test_counts_go_from_3_to_60() -> None:
    for name in ("count_mentions", "count_conditions"):
        assert all(3 <= int(task.answer[0]) <= 60 for _, task in drawn(FAMILIES[name], 6))


@pytest.mark.parametrize("name", WITH_CONDITIONS)
def test_a_twin_differs_from_its_task_by_one_fact_and_the_answer(name: str) -> None:
    family = FAMILIES[name]
    assert family.twin
    pairs = [(of, task, twin) for of, task in drawn(family, 12) if (twin := family.twin(of, task))]
    assert len(pairs) >= 3
    for of, task, twin in pairs:
        other = world_change(of, twin.changes)
        assert (twin.wording, twin.given, twin.is_possible) == (task.wording, task.given, False)
        assert twin.oracle_steps == task.oracle_steps
        assert len(twin.changes) == 1
        assert family.check(other, twin)
        assert not family.check(other, task)
        assert not family.check(of, twin)
        assert family.wrong(other, twin) != twin.answer


@pytest.mark.parametrize("name", FAMILIES)
def test_no_cheat_is_right_more_often_than_allowed(name: str) -> None:
    tasks = [task for _, task in drawn(FAMILIES[name], 16)]
    (measured,) = guesses.measure(tasks)
    assert measured.exceeding == ()


@pytest.mark.parametrize("name", ["count_mentions", "count_conditions"])
def test_the_sites_search_counts_something_else(name: str) -> None:
    pairs = [(of, task) for of, task in drawn(FAMILIES[name], 8) if "term" in task.given]
    searched = [str(len(search(of, task.given["product"], task.given["term"]))) for of, task in pairs]
    (measured,) = guesses.measure([task for _, task in pairs], searched=searched)
    assert measured.searched is not None
    assert measured.searched <= 1 - guesses.LEAST_DIFFERENT


def test_tasks_differ_in_wording_and_answer() -> None:
    tasks = [task for family in FAMILIES.values() for _, task in drawn(family, 4)]
    assert max(Counter((task.wording, task.answer) for task in tasks).values()) == 1
