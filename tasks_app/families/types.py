"""A task of a mock site, and what a family's file provides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from core.draws import Draws
from tasks_app.families.wordings import Wording

W = TypeVar("W")

LEVELS = (1, 2, 3, 4, 5)


@dataclass(frozen=True, kw_only=True)
class SiteTask:
    """One task over one world, with its truth.

    ``answer`` is the value and its witness, one for each of ``fields`` (the labels), written as the fields
    take them. ``goal`` holds the conditions on the final state of a task that is done rather than answered.
    ``needs`` names the facts that the answer rests on by where they are shown.
    """

    family: str
    level: int
    wording: str
    answer: tuple[str, ...]
    fields: tuple[str, ...]
    forms: int
    """Forms that a solution sends at most: in a look with dialogs each takes one move more. Public, so that
    it may depend on the wording and on nothing else."""
    goal: Mapping[str, Any] | None = None
    needs: tuple[str, ...] = ()
    is_possible: bool = True
    twin: str = ""
    """Shared by an impossible task and the possible one of the same wording."""
    oracle_steps: int = 0
    """The truth of this very task, in part."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """The statements of the wording, as plain data: for the brute-force check and for scripted solutions."""
    changes: tuple[Mapping[str, Any], ...] = ()
    """Changes to the world that the key draws, as arguments to the site's ``world_change``."""


@dataclass(frozen=True, kw_only=True)
class GoldFacts:
    """The part of it that a task's gold holds, for its milestones; fields as in ``SiteTask``."""

    answer: tuple[str, ...]
    needs: tuple[str, ...]
    given: Mapping[str, Any]
    goal: Mapping[str, Any] | None
    """The expected state, part by part."""


SiteEvents = tuple[tuple[str, Mapping[str, Any]], ...]
"""Site events, in order, by kind and data."""
Parts = Callable[[GoldFacts], Collection[str]]
Meets = Callable[[GoldFacts, str, Mapping[str, Any]], Collection[str]]
When = Callable[[Mapping[str, Any]], bool]


def always(given: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Milestone:
    """Something on the way to the answer that an episode's site events show. Never the reward.

    ``parts`` are what a task asks for, none if nothing can reach this milestone; ``meets`` are those that
    an event, by kind and data, has met, or facts that they follow from (``worlds/evidence.py``). It is
    reached by the event that meets the last of them.

    ``when`` says whether a task has it at all, going by what the wording states: an impossible task and its
    possible twin have the same milestones, so that names alone never give away which of them it is.
    """

    name: str
    parts: Parts
    meets: Meets
    when: When = always
    is_one_way: bool = False
    """Other ways lead to the evidence too: with all of that shown, it is reached as well."""


Draw = Callable[[W, Draws, int], SiteTask | None]
"""Draws a task of a level from 1 to 5, or None when this world has no such task."""
Wrong = Callable[[W, SiteTask], tuple[str, ...]]
"""A plausible wrong answer."""
Check = Callable[[W, SiteTask], bool]
"""Checks whether a brute-force search of the world gives the same answer."""
Twin = Callable[[W, SiteTask], SiteTask | None]
"""The impossible task of the same wording, in a world that differs in one fact; None if there is none."""
WrongActions = Callable[[W, SiteTask], tuple[SiteEvents, ...]]
"""Plausible wrong ways that the pages allow. Incorrect, whatever the agent then answers."""


@dataclass(frozen=True, kw_only=True)
class Family(Wording, Generic[W]):
    """A kind of task about the worlds (``W``) of one site."""

    draw: Draw[W]
    wrong: Wrong[W]
    check: Check[W]
    milestones: tuple[Milestone, ...]
    twin: Twin[W] | None
    wrong_actions: WrongActions[W] | None
    """None for a family whose tasks are answered rather than done."""

    @property
    def is_done(self) -> bool:
        """True if its tasks are judged by the final state rather than by an answer alone."""
        return self.wrong_actions is not None
