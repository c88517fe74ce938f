"""What a task of a mock site is, and what the one file of a family provides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from gymsite.core.draws import Draws

W = TypeVar("W")

LEVELS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, kw_only=True)
class SiteTask:
    """One task over one world, with its truth.

    ``answer`` is the value and its witness, one for each of ``fields`` (the labels), written as the fields
    take them. ``goal`` holds the conditions on the folded state, and the frame, of a task that is done rather
    than told. ``needs`` names the facts that the answer rests on by where they are shown.
    """

    family: str
    level: int
    wording: str
    answer: tuple[str, ...]
    fields: tuple[str, ...]
    goal: Mapping[str, Any] | None = None
    needs: tuple[str, ...] = ()
    is_possible: bool = True
    twin: str = ""
    """Shared by an impossible task and the possible one of the same wording."""
    oracle_steps: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)
    """What the wording states, as plain data: for the second way to the truth and for scripted solutions."""
    changes: tuple[Mapping[str, Any], ...] = ()
    """In which facts the task's world differs from its key's, as the site's ``world_change`` takes it."""


@dataclass(frozen=True, kw_only=True)
class Family(Generic[W]):
    """A kind of task over the worlds (``W``) of one site."""

    id: str
    site: str
    title: str
    splits: tuple[str, ...]
    draw: Callable[[W, Draws, int], SiteTask | None]
    """A task of a level from 1 to 5, or None when this world has no such task."""
    wrong: Callable[[W, SiteTask], tuple[str, ...]]
    """The answer of a plausible wrong way; never the truth."""
    check: Callable[[W, SiteTask], bool]
    """Whether the answer is the truth, found a second time by brute force over the world."""
    twin: Callable[[W, SiteTask], SiteTask | None] | None = None
    """The impossible task of the same wording, in a world that differs in one fact; None without one."""
