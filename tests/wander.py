"""`python -m tests.wander [--count 120] [--split test]`: a check whether step budgets are enough for a
visitor who looks at everything.

The wanderer first opens every page about a task's subjects (its houses, trips or products, with each list,
calendar and offer), and then follows the whole scripted solution. For each task family, a line is printed
with the median numbers of steps and the shares of tasks whose budget is enough. The last share is for a
wanderer who also opens what no task asks for (guest reviews, questions) and unfolds every text.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

import django

SALT = b"the worlds of this table"
NAME = re.compile(r"[A-Z]{1,3}-[0-9A-Z-]*[0-9A-Z]")
COLUMNS = ("site", "family", "scripted", "budget", "pages", "enough", "more", "enough for all")
FIRST = (("page", "1"),)
"""What the link back to the first part of a list adds to the query; that part has already been opened."""
FOLDS = frozenset({"more", "reply", "translation", "original"})
"""Query parameters that unfold something on a page."""
NARROWED = frozenset({"stars"})
"""Query parameters that only leave out part of a list and show nothing new."""
ASIDE = re.compile(r"stays/[^/]+/reviews|products/[^/]+/questions")
"""Pages that no task depends on."""
View = tuple[str, tuple[tuple[str, str], ...]]


def main() -> int:
    options = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from tasks_app.worlds import registry

    print("| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS), sep="\n")
    for site in registry.worlds:
        for row in rows(site, count=options.count, split=options.split):
            print("| " + " | ".join(map(str, row)) + " |", flush=True)
    return 0


def rows(site: str, *, count: int, split: str) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each family: medians, and the shares of tasks whose budget is enough."""
    from core.episodes.presentation import Look
    from tasks_app.models import max_steps_for
    from tasks_app.questions import questions
    from tasks_app.sites import lanes
    from tasks_app.sites.drafts import draft_make

    drawn = lanes.tasks_draw(site, count=count, seed=0, split=split, salt=SALT)
    for family in sorted({one.task.family for one in drawn}):
        placed = [one for one in drawn if one.task.family == family]
        drafts = [draft_make(one, split=split) for one in placed]
        extra = [questions.get("site").more_moves(draft.payload, Look()) for draft in drafts]
        scripted = [one.task.oracle_steps + steps for one, steps in zip(placed, extra, strict=True)]
        budgets = [
            max_steps_for(draft.oracle_steps + steps) for draft, steps in zip(drafts, extra, strict=True)
        ]
        opened = [views(one) for one in placed]
        more = [sum(map(_is_more, seen)) for seen in opened]
        pages = [len(seen) - extra for seen, extra in zip(opened, more, strict=True)]
        spare = [budget - steps - seen for budget, steps, seen in zip(budgets, scripted, pages, strict=True)]
        is_enough = [left >= 0 for left in spare]
        is_enough_for_all = [left >= extra for left, extra in zip(spare, more, strict=True)]
        yield (
            f"`{site}`",
            f"`{family}`",
            *(math.ceil(statistics.median(numbers)) for numbers in (scripted, budgets, pages)),
            f"{statistics.mean(is_enough):.0%}",
            math.ceil(statistics.median(more)),
            f"{statistics.mean(is_enough_for_all):.0%}",
        )


def _is_more(view: View) -> bool:
    path, added = view
    return bool(ASIDE.match(path)) or any(name in FOLDS for name, _ in added)


def views(placed: Any) -> set[View]:
    """Return all pages about a task's subjects, as paths with what the link to them adds to the query."""
    from core.episodes.presentation import Look
    from validation.sites.site_walk import Walk

    world = placed.world.open(changes=placed.task.changes)
    walk = Walk(site=placed.world.site, world=world, look=Look())
    seen: set[View] = set()
    for root in _roots(placed.task, world):
        _explore(walk, root, seen)
    return seen


def _explore(walk: Any, root: str, seen: set[View]) -> None:
    """Open ``root`` and all pages below it that its pages link to.

    Other views of a page are opened only if they are further parts of its list; the others lead back.
    """
    waiting = [(root, "")]
    seen.add((root, ()))
    while waiting:
        path, query = waiting.pop(0)
        if not walk.go(f"/{path}?{query}"):
            continue
        known = set(parse_qsl(query))
        for _, address in walk.here.links:
            parts = urlsplit(urljoin(f"http://site/{path}?{query}", address))
            target, added = parts.path.lstrip("/"), tuple(sorted(set(parse_qsl(parts.query)) - known))
            is_below = target == root or target.startswith(f"{root}/")
            key = (target, added if target == path else ())
            is_known = target == path and (added in ((), FIRST) or not NARROWED.isdisjoint(dict(added)))
            if not is_below or key in seen or is_known:
                continue
            seen.add(key)
            if target != path or {name for name, _ in added} == {"page"}:
                waiting.append((target, parts.query))


def _roots(task: Any, world: Any) -> Sequence[str]:
    """Return the paths of the houses, trips and products that a task names or its answer depends on."""
    if hasattr(world, "products"):
        products = [task.given["product"]] if "product" in task.given else [one.id for one in world.rivals]
        return [f"products/{product}" for product in products]
    names = dict.fromkeys(NAME.findall(json.dumps(task.given, default=str) + " ".join(task.needs)))
    house_of = {room.id: house.id for house in world.listings for room in house.rooms}
    house_of |= {house.id: house.id for house in world.listings}
    trips = [trip.code for trip in world.trips if trip.code in names]
    houses = dict.fromkeys(house_of[name] for name in names if name in house_of)
    return [*(f"stays/{house}" for house in houses), *(f"trips/{code}" for code in trips)]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.wander", description=__doc__)
    parser.add_argument("--count", type=int, default=120, help="number of tasks per site")
    parser.add_argument("--split", choices=("train", "test"), default="test")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
