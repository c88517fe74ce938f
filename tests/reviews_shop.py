"""Episodes of the mock shop, with tasks drawn for them."""

from __future__ import annotations

from datetime import date, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from core.draws import Draws
from core.episodes.presentation import Look
from tasks_app.families.registry import FAMILIES, discover
from tasks_app.families.reviews import count_mentions
from tasks_app.families.types import SiteTask
from tasks_app.worlds.editions import Edition
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal, world_key
from tasks_app.worlds.reviews.types import Product, World
from tasks_app.worlds.reviews.world import world as world_draw
from tests import factories
from trajectories.models import Episode

FIRST_DAY = date(2027, 3, 1)
KEY = world_key(salt=b"", site="reviews", number=PUBLIC_WORLD)
FAMILIES_OF_SHOP = (
    "count_conditions",
    "count_mentions",
    "mean_rating",
    "mention_when",
    "most_helpful_mention",
    "most_of_five",
)


def world(edition: Edition = "train", *, first_day: date = FIRST_DAY) -> World:
    return world_draw(KEY, edition=edition, first_day=first_day)


def smallest() -> Product:
    return min(world().products, key=lambda product: product.review_count)


@cache
def task_of(*, level: int = 3, **rule: bool) -> SiteTask:
    """Return the task of this level with these clauses in its rule whose product has the fewest reviews."""
    drawn = (count_mentions.draw(world(), Draws(b"e2e", number), level) for number in range(500))
    return min(
        (task for task in drawn if task and rule.items() <= task.given["rule"].items()),
        key=lambda task: world().product(task.given["product"]).review_count,
    )


def edition_of(family: str) -> Edition:
    discover()
    return "train" if "train" in FAMILIES.get(family).splits else "test"


@cache
def drawn_task(family: str, *, level: int, seed: int = 0, first_day: date = FIRST_DAY) -> SiteTask:
    """Draw ten tasks and return the one that takes the fewest moves."""
    of = world(edition_of(family), first_day=first_day)
    draw = FAMILIES.get(family).draw
    tasks = (draw(of, Draws(b"e2e", family, level, seed, number), level) for number in range(10))
    return min(filter(None, tasks), key=lambda task: task.oracle_steps)


def payload_of(task: SiteTask, *, edition: Edition = "train", first_day: date = FIRST_DAY) -> dict[str, Any]:
    return {
        "site": "reviews",
        "world": PUBLIC_WORLD,
        "edition": edition,
        "first_day": first_day.isoformat(),
        "changes": changes_seal(task.changes, key=KEY, text=task.wording),
        "text": task.wording,
        "format": "plain",
        "fields": list(task.fields),
        "forms": task.forms,
    }


def episode_of(
    task: SiteTask,
    *,
    edition: Edition = "train",
    look: Look | None = None,
    first_day: date = FIRST_DAY,
    **fields: Any,
) -> Episode:
    """Create an episode that begins at nine o'clock on the world's first day, in the look's time zone."""
    zone = ZoneInfo((look or Look()).time_zone)
    start = datetime(first_day.year, first_day.month, first_day.day, 9, tzinfo=zone)
    made = factories.task(kind="site", payload=payload_of(task, edition=edition, first_day=first_day))
    presentation = look.as_dict("site") if look else {}
    return factories.episode(task=made, virtual_start=start, presentation=presentation, **fields)
