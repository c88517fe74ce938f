"""How the shop's world is opened, cached, and its events folded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from tasks_app.worlds.registry import WorldPlugin, worlds
from tasks_app.worlds.reviews.search import site_search
from tasks_app.worlds.reviews.state import fold, plain
from tasks_app.worlds.reviews.types import World
from tasks_app.worlds.reviews.vocabulary import Edition
from tasks_app.worlds.reviews.world import world, world_change


def open_world(
    key: bytes, *, edition: Edition, first_day: date, changes: Sequence[Mapping[str, Any]] = ()
) -> World:
    """The world of a key with its changes made; the same object while it is remembered."""
    if not changes:
        return world(key, edition=edition, first_day=first_day)
    return _changed(key, edition, first_day, json.dumps(list(changes), sort_keys=True))


@lru_cache(maxsize=64)
def _changed(key: bytes, edition: Edition, first_day: date, changes: str) -> World:
    return world_change(world(key, edition=edition, first_day=first_day), json.loads(changes))


def searched(of: World, given: Mapping[str, Any]) -> str | None:
    """How many reviews the shop's search finds for the term of a task."""
    if "product" not in given or "term" not in given:
        return None
    return str(site_search(of, given["product"], given["term"]))


worlds.register(
    "reviews",
    WorldPlugin(id="reviews", open_world=open_world, fold=fold, plain=plain, searched=searched),
)
