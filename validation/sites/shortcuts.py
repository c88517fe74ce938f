"""Two cheats that look at pages but do not read them: random clicks, and rules that pick a number.

Both know something that an agent does not: what kind of value each field takes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from django.conf import settings

from core.draws import Draws
from core.episodes.presentation import Look
from tasks_app.families.types import SiteTask
from tasks_app.sites import lanes
from tasks_app.sites.drafts import PlacedTask
from tasks_app.sites.worlds import SiteWorld
from tasks_app.worlds.digest import plain
from tasks_app.worlds.registry import worlds
from validation.sites import guesses
from validation.sites.blind_page import BlindPage, Field, Form
from validation.sites.site_walk import FIRST_PAGE, Walk
from verifiers import denotations, registry
from verifiers.builtin import site_state
from verifiers.types import Evidence, Gold

MOST_CLICKED = 0.05
MOST_SEEN = 0.15
CLICKS = 15
ANSWERS = 5
"""Answers submitted after one walk, each of which counts as a try."""
PAGES_SEARCHED = 40
"""Most pages visited in the search for the page about the wording's subject."""
PLACES = 25
WORLDS_CACHED = 32
SWITCH_CHANCE = 0.2
TYPE_CHANCE = 0.5
FORM_CHANCE = 0.3
IDENTIFIER = re.compile(r"[A-Z]{1,3}-?\d+(?:-[A-Z0-9]+)*")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

Rule = Callable[[list[float]], float]


def _at(place: int) -> Rule:
    return lambda values: values[place % len(values)]


RULES: dict[str, Rule] = {
    "least": min,
    "greatest": max,
    "commonest": lambda values: Counter(values).most_common(1)[0][0],
    "how many": lambda values: float(len(values)),
    **{f"number {place + 1}": _at(place) for place in range(PLACES)},
    **{f"number {place} from the end": _at(-place) for place in range(1, 6)},
}


@dataclass(frozen=True, kw_only=True)
class Shortcuts:
    """Shares of right answers for one family, from 0 to 1.

    ``clicked`` is for random clicks; ``seen`` is for the best field and rule, None if no field takes a number
    or a date.
    """

    family: str
    tasks: int
    clicked: float
    seen: float | None
    seen_by: str = ""

    @property
    def exceeding(self) -> tuple[str, ...]:
        over = ["random clicks"] if self.clicked > MOST_CLICKED else []
        return (*over, "first page") if self.seen is not None and self.seen > MOST_SEEN else tuple(over)


LEGEND = f"""
All figures are shares of tasks drawn for this table, not of loaded tasks. Right without reading:
  random clicks   walks of {CLICKS} random clicks that submit what they met; at most {MOST_CLICKED:.0%}
  first page      the best of {len(RULES)} rules that pick a number or date from the first page about the
                  subject, for its best field; at most {MOST_SEEN:.0%}; "-" if no field takes one
  by the rule     that rule ("number 9" is the ninth number on the page), and the field
The last column names the limits that are exceeded."""


def table(shortcuts: Iterable[Shortcuts], *, least: int = guesses.LEAST_JUDGED) -> str:
    """Format a table of one line per family and a legend; families under ``least`` tasks are not judged."""
    lines = [f"{'family':28}{'tasks':>7}{'random clicks':>16}{'first page':>13}  {'by the rule':30}"]
    for row in shortcuts:
        seen = "-" if row.seen is None else f"{row.seen:.1%}"
        over = " ".join(row.exceeding) if row.tasks >= least else guesses.TOO_FEW
        lines.append(f"{row.family:28}{row.tasks:>7}{row.clicked:>16.1%}{seen:>13}  {row.seen_by:30}  {over}")
    return "\n".join((*map(str.rstrip, lines), LEGEND))


def measure(site: str, *, split: str, count: int, seed: int, walks: int | None = None) -> list[Shortcuts]:
    """Measure the shortcuts of a site's families, in order of id; click through ``walks`` tasks of each."""
    drawn = lanes.tasks_draw(site, count=count, seed=seed, split=split, salt=settings.WORLD_SALT)
    by_family: dict[str, list[PlacedTask]] = {}
    for placed in drawn:
        by_family.setdefault(placed.task.family, []).append(placed)
    return [_family(family, placed, seed=seed, walks=walks) for family, placed in sorted(by_family.items())]


def _family(family: str, placed: Sequence[PlacedTask], *, seed: int, walks: int | None) -> Shortcuts:
    clicked = [measure_clicks(task, Draws("clicks", seed, n)) for n, task in enumerate(placed[:walks])]
    tries = Counter(field for task in placed for field in _comparable(task.task))
    rights = Counter(pair for task in placed for pair in find_right_rules(task))
    shares = {pair: rights[pair] / tries[pair[0]] for pair in sorted(rights)}
    best = max(shares, key=lambda pair: shares[pair], default=None)
    return Shortcuts(
        family=family,
        tasks=len(placed),
        clicked=sum(clicked) / len(clicked),
        seen=(shares[best] if best else 0.0) if tries else None,
        seen_by=f"{best[1]}, field {best[0] + 1}" if best else "",
    )


def _comparable(task: SiteTask) -> dict[int, float]:
    """Return the answer's values that are numbers or dates, by the position of their field."""
    values = {position: _parse_value(text) for position, text in enumerate(task.answer)}
    return {position: value for position, value in values.items() if value is not None}


def _open(placed: PlacedTask) -> Walk:
    return _walk(placed.world, json.dumps(placed.task.changes))


def _walk(where: SiteWorld, changes: str) -> Walk:
    return Walk(site=where.site, world=where.open(changes=json.loads(changes)), look=Look())


def find_right_rules(placed: PlacedTask) -> set[tuple[int, str]]:
    """Find the fields, by position, and the rules that pick their values on the page about the subject.

    A number is searched for among the page's numbers, a date among its dates.
    """
    page = find_page_about(placed)
    right = set()
    for position, right_value in _comparable(placed.task).items():
        is_date = DATE.fullmatch(placed.task.answer[position])
        values = [_parse_value(text) for text in (page.dates() if is_date else page.numbers())]
        known = [value for value in values if value is not None]
        right |= {(position, name) for name, rule in RULES.items() if known and rule(known) == right_value}
    return right


def find_page_about(placed: PlacedTask) -> BlindPage:
    """Find the first page, breadth first, whose link contains a name from the wording, or the home page."""
    pages = _first_pages(placed.world, json.dumps(placed.task.changes))
    for start, name, address in pages.links:
        if len(name) > len("My trips") and name in placed.task.wording:
            _, page = pages.behind(start, address)
            return page or pages.home
    return pages.home


class _FirstPages:
    """A world's first pages in breadth-first order, each fetched once by a visitor who changes nothing."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._read: dict[str, tuple[str, BlindPage | None]] = {}
        self.home = walk.here
        # Each entry is a page's path, and the name and address of a link on it.
        self.links = [(walk.path, *link) for link in walk.here.links]
        known = {walk.path}
        for start, _, address in islice(self.links, PAGES_SEARCHED):
            path, page = self.behind(start, address)
            if page and path not in known:
                known.add(path)
                self.links += [(path, *link) for link in page.links]

    def behind(self, start: str, address: str) -> tuple[str, BlindPage | None]:
        """Follow a link from the page at ``start``; return its path, and the page or None if it is dead."""
        target = urljoin(FIRST_PAGE + start, address)
        if target not in self._read:
            self._walk.path = start
            self._walk.events.clear()
            is_there = self._walk.go(address)
            page = self._walk.here if is_there else None
            self._read[target] = (self._walk.path, page)
        return self._read[target]


@lru_cache(maxsize=WORLDS_CACHED)
def _first_pages(where: SiteWorld, changes: str) -> _FirstPages:
    return _FirstPages(_walk(where, changes))


def measure_clicks(placed: PlacedTask, draws: Draws) -> float:
    """Return the share of ``ANSWERS`` tries that were right, with values from a random walk's last page."""
    walk = _open(placed)
    for _ in range(CLICKS):
        _click(walk, draws)
    plugin = worlds.get(placed.world.site)
    state = plain(plugin.fold(walk.world, walk.events))
    answers = [_answer(walk.here, placed.task, draws) for _ in range(ANSWERS)]
    return sum(is_right(placed.task, answer, state) for answer in answers) / ANSWERS


def _click(walk: Walk, draws: Draws) -> None:
    forms, links = walk.here.forms, walk.here.links
    if forms and (not links or draws.chance(FORM_CHANCE)):
        form = draws.pick(forms)
        walk.send(form, _fill(form, walk.here, draws))
    elif links:
        walk.go(draws.pick(links)[1])


def _fill(form: Form, here: BlindPage, draws: Draws) -> list[tuple[str, str]]:
    values = ((field.name, _value(field, here, draws)) for field in form.fields)
    return [(name, value) for name, value in values if value is not None]


def _value(field: Field, here: BlindPage, draws: Draws) -> str | None:
    if field.options:
        return draws.pick(field.options)
    if field.is_switch:
        return field.value if draws.chance(SWITCH_CHANCE) else None
    if field.is_hidden or not draws.chance(TYPE_CHANCE):
        return field.value
    return draws.pick([*here.words(), *here.numbers(), *here.dates(), field.value])


def _answer(here: BlindPage, task: SiteTask, draws: Draws) -> tuple[str, ...]:
    return tuple(draws.pick(_likely(here, value) or here.words() or [""]) for value in task.answer)


def _likely(here: BlindPage, value: str) -> list[str]:
    """List the texts on a page that are of the same kind as a value."""
    if DATE.fullmatch(value):
        return here.dates()
    if NUMBER.fullmatch(value):
        return here.numbers()
    return here.identifiers() if IDENTIFIER.fullmatch(value) else []


def is_right(task: SiteTask, answer: Iterable[str], state: Any) -> bool:
    """Return whether an answer and the state in which the visitor left the site solve the task."""
    extra = {} if task.goal is None else {"state": task.goal["state"]}
    gold = Gold(denotations.join_cell(task.answer), extra=extra)
    evidence = Evidence(tuple(answer), {"state": state})
    return registry.run("site_state-v1", gold=gold, evidence=evidence).correct


def _parse_value(text: str) -> float | None:
    """Parse a number to its value or a date to its ordinal; return None for anything else."""
    if day := site_state.parse_date(text):
        return float(day.toordinal())
    number = site_state.parse_number(text)
    return None if number is None else float(number)
