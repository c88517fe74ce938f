"""Solver of the shop's tasks in a browser. It finds the answers only by reading pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from playwright.sync_api import Locator, Page

from core.episodes.presentation import Look
from gymsite.arena.sites.labels import load_labels
from gymsite.arena.sites.reviews._query import BADGES
from gymsite.oracle.patience import wait_settled
from tasks_app.families.types import SiteTask
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.types import Product, Term, World

NEUTRAL = Look()
READ = """all => all.map(one => ({
    id: one.id,
    who: one.querySelector(".reviewer").textContent,
    day: one.querySelector("time").dateTime,
    title: one.querySelector(".review-title").textContent,
    text: one.querySelector(".review-text").textContent,
    reply: one.querySelector(".reply-text")?.textContent ?? "",
    stars: Number(one.querySelector(".stars").getAttribute("aria-label").split(" ")[0]),
    colour: one.querySelector(".review-colour").textContent,
    size: one.querySelector(".review-size").textContent,
    isVerified: one.querySelector(".verified") !== null,
    votes: Number(one.querySelector(".votes").textContent.match(/\\d+/)[0]),
    isTranslated: one.textContent.includes("Translated from"),
    links: Array.from(one.querySelectorAll("a"), link => link.textContent.trim()),
}))"""
GREW = """many => document.querySelectorAll(".review").length > many
    || document.querySelector("[data-pager] a[rel=next]") === null"""
Read = dict[str, Any]


@dataclass
class Solver:
    """Visitor of the shop. ``moves`` counts presses, choices, typed fields and scrolls."""

    page: Page
    world: World
    task: SiteTask
    look: Look = NEUTRAL
    moves: int = 0
    pattern: re.Pattern[str] | None = field(init=False)
    say: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.pattern = _pattern(self.world, self.task)
        self.say = load_labels("reviews", self.look.labels)

    @property
    def given(self) -> Mapping[str, Any]:
        return self.task.given

    @property
    def main(self) -> Locator:
        return self.page.locator("#main")

    def close_pop_ups(self) -> None:
        """Close all pop-ups that cover the page, one after the other."""
        button = self.page.locator("[data-pop-up]").get_by_role("button")
        while button.count():
            button.click()
            wait_settled(self.page)
            self.moves += 1

    def press(self, target: Locator) -> None:
        self.close_pop_ups()
        target.click()
        wait_settled(self.page)
        self.moves += 1

    def open_reviews(self, product: Product) -> None:
        self.press(self.main.get_by_role("link", name=product.name, exact=True).first)
        name = self.say["read_reviews"].format(reviews=f"{product.review_count} reviews")
        self.press(self.main.get_by_role("link", name=name, exact=True))

    def label_of(self, name: str) -> str:
        """Return a filter's label; the size filter's contains the word for size of the task's product."""
        word = self.world.product(self.given["product"]).size_word if "product" in self.given else ""
        return self.say[name].format(word, word.lower())

    def narrow(self, word: str, conditions: Iterable[tuple[str, str]] = ()) -> None:
        """Narrow the list with the site's search and with those conditions that its filters can express."""
        self.close_pop_ups()
        if self.look.form == "dialog":
            self.press(self.main.get_by_role("button", name=self.say["filters"], exact=True))
        for name, text in conditions:
            self.main.get_by_role("combobox", name=self.label_of(name), exact=True).select_option(label=text)
            self.moves += 1
        if word:
            self.main.get_by_role("searchbox", name=self.say["search"], exact=True).fill(word)
            self.moves += 1
        self.press(self.main.get_by_role("button", name=self.say["show"], exact=True))

    def submit(self, values: tuple[str, ...]) -> None:
        """Submit the answer in the task bar, which is collapsed after the first page."""
        self.close_pop_ups()
        bar = self.page.get_by_role("region", name="Task")
        button = bar.get_by_role("button", name="Submit answer")
        if not button.is_visible():
            bar.locator("summary").click()
            self.moves += 1
        for label, value in zip(self.task.fields, values, strict=True):
            bar.get_by_label(label, exact=True).fill(value)
            self.moves += 1
        button.click()
        self.page.get_by_role("heading", name="Answer recorded").wait_for()
        self.moves += 1

    def read(self, of: str = ".review") -> list[Read]:
        target: list[Read] = self.page.locator(of).evaluate_all(READ)
        return target

    def mentioning(self, product: Product, *, is_searched: bool = True) -> list[Read]:
        """List the reviews that the task is about. Each is expanded only as far as needed to decide that."""
        self.open_reviews(product)
        chosen = [
            _find_filter(review) for review in self.given.get("conditions", ()) if "way" not in self.given
        ]
        filters = list(filter(None, chosen))
        met: dict[str, Read] = {}
        for word in self._searched(product) if is_searched else [""]:
            if word or (filters and is_searched):
                self.narrow(word, filters)
                filters = []
            self._read_on(met)
        return [review for review in met.values() if self._is_meant(review)]

    def _read_on(self, met: dict[str, Read]) -> None:
        """Read all reviews of the list, from this page to the last, into ``met``."""
        while True:
            fresh = [review for review in self.read() if review["id"] not in met]
            for review in fresh:
                met[review["id"]] = self._opened(review)
            if not self._go_on() and not fresh:
                return

    def _go_on(self) -> bool:
        """Load more of the list; return False at its end."""
        self.close_pop_ups()
        paging = self.look.paging
        link = self.main.get_by_role(
            "link", name=self.say["next" if paging == "pages" else "load"], exact=True
        )
        if not link.count():
            return False
        if paging == "scroll":
            many = self.page.locator(".review").count()
            self.page.keyboard.press("End")
            self.page.wait_for_function(GREW, arg=many)
            wait_settled(self.page)
            self.moves += 1
        else:
            self.press(link)
        return True

    def _opened(self, review: Read) -> Read:
        """Expand the parts of a review that may contain a mention, until it is clear whether it counts."""
        if not self.pattern:
            return review
        for name, is_of_use in (("more", True), ("reply", self.given["rule"]["has_replies"])):
            if self._is_meant(review) or self._is_left_out(review):
                return review
            if is_of_use and self.say[name] in review["links"]:
                row = self.page.locator(f"#{review['id']}")
                self.press(row.get_by_role("link", name=self.say[name], exact=True))
                (review,) = self.read(f"#{review['id']}")
        return review

    def _searched(self, product: Product) -> list[str]:
        """List the texts to search for: the task's term, and those of its forms that do not contain it."""
        if not self.pattern:
            return [""]
        forms = [] if self.given["rule"]["is_one_form"] else _term(self.world, self.task).forms
        return [self.given["term"], *(form for form in forms if self.given["term"] not in form)]

    def _is_left_out(self, review: Read) -> bool:
        return bool(review["isTranslated"]) and not self.given["rule"]["has_translations"]

    def _is_meant(self, review: Read) -> bool:
        if not self.pattern:
            return True
        rule = self.given["rule"]
        texts = [review["text"], review["title"] if rule["has_titles"] else ""]
        texts.append(review["reply"] if rule["has_replies"] else "")
        return not self._is_left_out(review) and any(map(self.pattern.search, texts))


def solve(solver: Solver, *, is_searched: bool = True) -> tuple[str, ...]:
    """Find the answer to a task of any family."""
    task, world = solver.task, solver.world
    if task.family == "most_of_five":
        return _most_of_five(solver)
    matches = solver.mentioning(world.product(task.given["product"]), is_searched=is_searched)
    if "way" in task.given:
        return _pick(matches, task.given)
    matches = [
        review for review in matches if all(meets(review, of) for of in task.given.get("conditions", ()))
    ]
    days = sorted(matches, key=lambda review: review["day"], reverse=task.given["end"] == "newest")
    number = str(len(matches))
    if task.family == "mean_rating":
        number = f"{sum(review['stars'] for review in matches) / len(matches):.2f}"
    return number, days[0]["who"]


def _most_of_five(solver: Solver) -> tuple[str, str]:
    counts: dict[str, int] = {}
    for product in solver.world.rivals:
        if counts:
            solver.press(solver.page.get_by_role("link", name=solver.say["products"], exact=True))
        counts[product.name] = len(solver.mentioning(product))
    (name, most), (_, second), *_ = sorted(counts.items(), key=lambda each: -each[1])
    return name, str(most - second)


def _pick(reviews: list[Read], given: Mapping[str, Any]) -> tuple[str, str]:
    """Answer from the first review that meets all conditions, or else the first that misses only one.

    Return its votes or day (or the letter of the condition that it misses), and its reviewer.
    """
    missed = {review["id"]: [not meets(review, of) for of in given["conditions"]] for review in reviews}
    full = [review for review in reviews if not any(missed[review["id"]])]
    near = [review for review in reviews if sum(missed[review["id"]]) == 1]
    way = given["way"]
    key = "votes" if way == "most helpful" else "day"
    first = sorted(full or near, key=lambda review: review[key], reverse=way != "oldest")[0]
    value = str(first[key]) if full else "ab"[missed[first["id"]].index(True)]
    return value, first["who"]


def _term(world: World, task: SiteTask) -> Term:
    product = world.product(task.given["product"]) if "product" in task.given else world.rivals[0]
    terms = vocabulary.load_vocabulary(world.edition).categories[product.category].terms
    return next(term for term in terms if term.word == task.given["term"])


def _pattern(world: World, task: SiteTask) -> re.Pattern[str] | None:
    if "term" not in task.given:
        return None
    rule, term = task.given["rule"], _term(world, task)
    forms = (term.word,) if rule["is_one_form"] else term.all_forms
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", 0 if rule["is_small_letters"] else re.IGNORECASE)


def _find_filter(condition: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the filter and value that express a condition, or None if no filter can."""
    fact, value = condition["fact"], condition["value"]
    if fact == "stars":
        return "stars", f"{value} star{'s' * (value != 1)}"
    if fact == "verified":
        return "badge", BADGES["with" if value else "without"]
    if fact == "month":
        return "month", f"{date.fromisoformat(value + '-01'):%B %Y}"
    return (fact, value) if fact in ("colour", "size") else None


def meets(review: Read, condition: Mapping[str, Any]) -> bool:
    """Return whether a review, as shown on the page, meets a condition."""
    fact, value = condition["fact"], condition["value"]
    held: dict[str, Callable[[], bool]] = {
        "stars": lambda: review["stars"] == value,
        "at_least": lambda: review["stars"] >= value,
        "at_most": lambda: review["stars"] <= value,
        "colour": lambda: review["colour"] == value,
        "size": lambda: review["size"] == value,
        "verified": lambda: review["isVerified"] is value,
        "month": lambda: review["day"].startswith(value),
        "year": lambda: review["day"].startswith(value),
    }
    return held[fact]()
