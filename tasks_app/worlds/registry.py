"""Worlds by site: the module ``plugin`` of each folder registers how its world is opened and folded."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.registry import Registry
from tasks_app import worlds as package
from tasks_app.worlds.conditions import Condition
from tasks_app.worlds.keys import world_arguments

Event = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Telling:
    """A site's world in words, for arms without its pages.

    A scope is what a task's wording names, as plain data: it is public. ``tell`` gives Markdown in parts, of
    a scope or (None) of everything; ``bounds`` how many tokens a scope's text has at least and at most, in
    pairs that each take more work than the one before and are closer.
    """

    scope_of: Callable[[Any, Mapping[str, Any]], dict[str, Any]]
    tell: Callable[[Any, Mapping[str, Any] | None], Iterator[str]]
    bounds: Callable[[Any, Mapping[str, Any]], Iterable[tuple[int, int]]]


@dataclass(frozen=True, kw_only=True)
class WorldPlugin:
    """A site's world, for whoever has events to fold: pages, judges and generators alike.

    ``open_world`` takes ``key, edition, first_day, changes`` and is cached; ``plain`` makes JSON of a state;
    ``changes`` are the kinds of the events by which the pages change something, and do not only note a look.
    """

    id: str
    open_world: Callable[..., Any]
    fold: Callable[[Any, Sequence[Event]], Any]
    plain: Callable[[Any], dict[str, Any]]
    telling: Telling
    changes: frozenset[str] = frozenset()
    searched: Callable[[Any, Mapping[str, Any]], str | None] | None = None
    """What the site's own search counts for what a task's wording states; None where that is nothing."""
    compare: Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], list[Condition]] | None = (
        None
    )
    """The conditions of a wanted state, from the plain states before, wanted and found, in this order; all
    are held exactly when the wanted one is reached. None where nothing is done on the site."""


worlds: Registry[WorldPlugin] = Registry("world")


def discover() -> None:
    """Import the plug-in of every site that has one; doing it again changes nothing."""
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if module.ispkg and importlib.util.find_spec(f"{module.name}.plugin"):
            importlib.import_module(f"{module.name}.plugin")


def state_plain(payload: Mapping[str, Any], events: Sequence[Event], *, salt: bytes) -> dict[str, Any]:
    """What the events have made of the world of a task, as JSON."""
    plugin = worlds.get(payload["site"])
    world = plugin.open_world(**world_arguments(payload, salt=salt))
    return plugin.plain(plugin.fold(world, events))
