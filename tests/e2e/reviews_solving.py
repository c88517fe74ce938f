"""How tasks of the shop are done in a browser: by reading what the pages say, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from playwright.sync_api import Locator, Page

from tasks_app.families.types import SiteTask
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.types import Product, World

READ = """all => all.map(one => ({
    id: one.id,
    who: one.querySelector("strong").textContent,
    day: one.querySelector("time").dateTime,
    title: one.querySelector("h2").textContent,
    text: one.querySelector(".review-text").textContent,
    reply: one.querySelector(".reply p:last-child")?.textContent ?? "",
    stars: Number(one.querySelector(".stars").getAttribute("aria-label").split(" ")[0]),
    facts: one.querySelector(".review-facts").innerText,
    votes: Number(one.querySelector("form").textContent.match(/\\d+/)[0]),
    isTranslated: one.textContent.includes("Translated from"),
    links: Array.from(one.querySelectorAll("a"), link => link.textContent.trim()),
}))"""
Read = dict[str, Any]


def settled(page: Page) -> None:
    page.wait_for_selector("html[data-settled=true]", state="attached")


@dataclass
class Solver:
    """``actions`` counts what an agent would do: presses, choices and typing."""

    page: Page
    world: World
    task: SiteTask
    actions: int = 0
    pattern: re.Pattern[str] | None = field(init=False)

    def __post_init__(self) -> None:
        self.pattern = _pattern(self.world, self.task)

    @property
    def given(self) -> Mapping[str, Any]:
        return self.task.given

    def press(self, found: Locator) -> None:
        found.click()
        settled(self.page)
        self.actions += 1

    def press_all(self, name: str) -> None:
        """Every link of that name, until there is none."""
        links = self.page.get_by_role("link", name=name, exact=True)
        while links.count():
            self.press(links.first)

    def open_reviews(self, product: Product) -> None:
        self.press(self.page.get_by_role("link", name="Products", exact=True).first)
        self.press(self.page.get_by_role("link", name=product.name, exact=True))
        self.press(self.page.get_by_role("link", name=f"Read {product.review_count} reviews"))

    def narrow(self) -> None:
        """To what the site's search finds, and what its filters can say of the conditions."""
        chosen = [_filter_of(one) for one in self.given.get("conditions", ()) if "way" not in self.given]
        for label, text in filter(None, chosen):
            self.page.get_by_label(label, exact=True).select_option(label=text)
            self.actions += 1
        if self.pattern:
            self.page.get_by_label("Search in reviews").fill(self.given["term"])
            self.actions += 1
        self.press(self.page.get_by_role("button", name="Show reviews"))

    def read(self) -> list[Read]:
        found: list[Read] = self.page.get_by_role("article").evaluate_all(READ)
        return found

    def mentioning(self, product: Product, *, is_searched: bool = True) -> list[Read]:
        """The product's reviews that the task means, each opened as far as it takes to know."""
        self.open_reviews(product)
        if is_searched:
            self.narrow()
        self.press_all("Load more reviews")
        for review in self.read():
            self._open(review)
        return [one for one in self.read() if self._is_meant(one)]

    def _open(self, review: Read) -> None:
        if not self.pattern or self._is_meant(review) or self._is_left_out(review):
            return
        names = ["Read more"] + ["Show the seller's reply"] * self.given["rule"]["has_replies"]
        for name in names:
            if name in review["links"]:
                self.press(self.page.locator(f"#{review['id']}").get_by_role("link", name=name))

    def _is_left_out(self, review: Read) -> bool:
        return bool(review["isTranslated"]) and not self.given["rule"]["has_translations"]

    def _is_meant(self, review: Read) -> bool:
        if not self.pattern:
            return True
        rule = self.given["rule"]
        told = [review["text"], review["title"] if rule["has_titles"] else "", review["reply"]]
        return not self._is_left_out(review) and any(map(self.pattern.search, told))


def solve(solver: Solver, *, is_searched: bool = True) -> tuple[str, ...]:
    """The answer of a task of any family."""
    task, world = solver.task, solver.world
    if task.family == "most_of_five":
        return _most_of_five(solver)
    found = solver.mentioning(world.product(task.given["product"]), is_searched=is_searched)
    if "way" in task.given:
        return _picked(found, task.given)
    found = [one for one in found if all(meets(one, of) for of in task.given.get("conditions", ()))]
    days = sorted(found, key=lambda one: one["day"], reverse=task.given["end"] == "newest")
    number = str(len(found))
    if task.family == "mean_rating":
        number = f"{sum(one['stars'] for one in found) / len(found):.2f}"
    return number, days[0]["who"]


def _most_of_five(solver: Solver) -> tuple[str, str]:
    counts = {product.name: len(solver.mentioning(product)) for product in solver.world.rivals}
    (name, most), (_, second), *_ = sorted(counts.items(), key=lambda each: -each[1])
    return name, str(most - second)


def _picked(found: list[Read], given: Mapping[str, Any]) -> tuple[str, str]:
    """The foremost of those that meet all conditions; or, of those that miss one, with its letter."""
    missed = {one["id"]: [not meets(one, of) for of in given["conditions"]] for one in found}
    full = [one for one in found if not any(missed[one["id"]])]
    near = [one for one in found if sum(missed[one["id"]]) == 1]
    way = given["way"]
    key = "votes" if way == "most helpful" else "day"
    first = sorted(full or near, key=lambda one: one[key], reverse=way != "oldest")[0]
    value = str(first[key]) if full else "ab"[missed[first["id"]].index(True)]
    return value, first["who"]


def _pattern(world: World, task: SiteTask) -> re.Pattern[str] | None:
    if "term" not in task.given:
        return None
    rule = task.given["rule"]
    product = world.product(task.given["product"]) if "product" in task.given else world.rivals[0]
    terms = vocabulary.of(world.edition).categories[product.category].terms
    term = next(term for term in terms if term.word == task.given["term"])
    forms = (term.word,) if rule["is_one_form"] else term.all_forms
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", 0 if rule["is_small_letters"] else re.IGNORECASE)


def _filter_of(condition: Mapping[str, Any]) -> tuple[str, str] | None:
    """The select and the value that say a condition; None for what no filter says."""
    fact, value = condition["fact"], condition["value"]
    if fact == "stars":
        return "Stars", f"{value} star{'s' * (value != 1)}"
    if fact == "verified":
        return "Verified badge", f"{'With' if value else 'Without'} the verified badge"
    if fact == "month":
        return "Month", f"{date.fromisoformat(value + '-01'):%B %Y}"
    return (fact.capitalize(), value) if fact in ("colour", "size") else None


def meets(review: Read, condition: Mapping[str, Any]) -> bool:
    fact, value = condition["fact"], condition["value"]
    held: dict[str, Callable[[], bool]] = {
        "stars": lambda: review["stars"] == value,
        "at_least": lambda: review["stars"] >= value,
        "at_most": lambda: review["stars"] <= value,
        "colour": lambda: f"Colour: {value}" in review["facts"].splitlines(),
        "size": lambda: f"Size: {value}" in review["facts"].splitlines(),
        "verified": lambda: ("Verified purchase" in review["facts"]) is value,
        "month": lambda: review["day"].startswith(value),
        "year": lambda: review["day"].startswith(value),
    }
    return held[fact]()
