"""Opening, caching and folding of the shop's world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks_app.worlds.cache import cache_size, world_opener
from tasks_app.worlds.registry import WorldPlugin, worlds
from tasks_app.worlds.reviews.state import fold
from tasks_app.worlds.reviews.text import search
from tasks_app.worlds.reviews.text_view import TEXT_VIEW
from tasks_app.worlds.reviews.types import World
from tasks_app.worlds.reviews.world import world, world_change

open_world = world_opener(world, world_change, most_changed=cache_size(megabytes=1, kib=5))


def searched(of: World, given: Mapping[str, Any]) -> str | None:
    """Count the reviews that the shop's own search returns for a task's term, if the task has one."""
    if "product" not in given or "term" not in given:
        return None
    return str(len(search(of, given["product"], given["term"])))


worlds.register(
    "reviews",
    WorldPlugin(
        id="reviews",
        open_world=open_world,
        fold=fold,
        changes=frozenset({"helpful_voted", "helpful_withdrawn", "banner_closed", "basket_changed"}),
        searched=searched,
        text_view=TEXT_VIEW,
    ),
)
