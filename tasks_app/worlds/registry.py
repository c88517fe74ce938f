"""Registry of worlds by site.

The ``plugin`` module of each folder registers how to open and fold its world.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.registry import Registry
from tasks_app import worlds as package
from tasks_app.worlds.digest import plain
from tasks_app.worlds.keys import world_arguments

Event = tuple[str, Mapping[str, Any]]
Kind = Literal["goal", "frame", "allowed"]
"""Conditions that the task requires, that must stay unchanged, or that may end in any state."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """One condition on a final state.

    ``about``, ``expected`` and ``actual`` are as secret as the gold; ``kind`` and ``is_held`` are not.
    """

    kind: Kind
    about: str
    expected: str
    actual: str
    is_held: bool


@dataclass(frozen=True, kw_only=True)
class TextView:
    """A site's world as text, for arms without its pages.

    A scope is the part of the site that a task's wording names, as plain public data. ``render`` yields the
    Markdown for a scope, or for everything if it is None, in parts. ``bounds`` yields pairs of the minimum
    and maximum number of tokens in a scope's text; each pair costs more work than the one before and is
    tighter.
    """

    scope_of: Callable[[Any, Mapping[str, Any]], dict[str, Any]]
    render: Callable[[Any, Mapping[str, Any] | None], Iterator[str]]
    bounds: Callable[[Any, Mapping[str, Any]], Iterable[tuple[int, int]]]


@dataclass(frozen=True, kw_only=True)
class WorldPlugin:
    """A site's world, for pages, judges and task generation.

    ``open_world`` takes ``key, edition, first_day, changes`` and is cached. ``changes`` are the kinds of
    events that change something rather than record a page view.
    """

    id: str
    open_world: Callable[..., Any]
    fold: Callable[[Any, Sequence[Event]], Any]
    text_view: TextView
    changes: frozenset[str] = frozenset()
    searched: Callable[[Any, Mapping[str, Any]], str | None] | None = None
    """Returns the count that the site's own search gives for a task's ``given``, or None if it gives none."""
    compare: Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], list[Condition]] | None = (
        None
    )
    """Lists the conditions of an expected state, given the plain states before, expected and final.

    All of them hold exactly if the expected state is reached. None if the site has no actions.
    """


worlds: Registry[WorldPlugin] = Registry("world")


def discover() -> None:
    """Import every site's plug-in. Calling it again has no effect."""
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if module.ispkg and importlib.util.find_spec(f"{module.name}.plugin"):
            importlib.import_module(f"{module.name}.plugin")


def state_plain(payload: Mapping[str, Any], events: Sequence[Event], *, salt: bytes) -> dict[str, Any]:
    """Return the state of a task's world after the events, as JSON data."""
    plugin = worlds.get(payload["site"])
    world = plugin.open_world(**world_arguments(payload, salt=salt))
    return plain(plugin.fold(world, events))
