"""Worlds by site: the ``plugin`` module of each folder registers how its world is opened and folded."""

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
"""Demanded by the task; to be left unchanged; or free to end in any state."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """``about``, ``expected`` and ``actual`` are as secret as the gold; ``kind`` and ``is_held`` are not."""

    kind: Kind
    about: str
    expected: str
    actual: str
    is_held: bool


@dataclass(frozen=True, kw_only=True)
class TextView:
    """A site's world as text, for arms without its pages.

    A scope is the part of the site that a task's wording names, as plain public data. ``render`` gives the
    Markdown of a scope, or with None of everything, in parts. ``bounds`` gives the least and most tokens of a
    scope's text, in pairs that take more work from one to the next and get closer.
    """

    scope_of: Callable[[Any, Mapping[str, Any]], dict[str, Any]]
    render: Callable[[Any, Mapping[str, Any] | None], Iterator[str]]
    bounds: Callable[[Any, Mapping[str, Any]], Iterable[tuple[int, int]]]


@dataclass(frozen=True, kw_only=True)
class WorldPlugin:
    """A site's world, for pages, judges and task generation.

    ``open_world`` takes ``key, edition, first_day, changes`` and is cached. ``changes`` are the kinds of
    events that change something, as opposed to recording a page view.
    """

    id: str
    open_world: Callable[..., Any]
    fold: Callable[[Any, Sequence[Event]], Any]
    text_view: TextView
    changes: frozenset[str] = frozenset()
    searched: Callable[[Any, Mapping[str, Any]], str | None] | None = None
    """The count that the site's own search gives for a task's ``given``; None if it gives none."""
    compare: Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], list[Condition]] | None = (
        None
    )
    """The conditions of an expected state, from the plain states before, expected and final, in this order.
    All are held exactly when the expected state is reached. None if nothing is done on the site."""


worlds: Registry[WorldPlugin] = Registry("world")


def discover() -> None:
    """Import the plug-in of every site. Idempotent."""
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if module.ispkg and importlib.util.find_spec(f"{module.name}.plugin"):
            importlib.import_module(f"{module.name}.plugin")


def state_plain(payload: Mapping[str, Any], events: Sequence[Event], *, salt: bytes) -> dict[str, Any]:
    """Return the state in which the events left a task's world, as JSON."""
    plugin = worlds.get(payload["site"])
    world = plugin.open_world(**world_arguments(payload, salt=salt))
    return plain(plugin.fold(world, events))
