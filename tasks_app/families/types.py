"""Tasks of mock sites, and the parts that a family's module provides."""

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
    """One task about one world, with its truth.

    ``answer`` holds the value and its witness, one for each of ``fields`` (the labels), in the form in which
    they are typed. ``goal`` holds the conditions on the final state of a task that requires actions.
    ``needs`` names the facts that the answer depends on by the places where they are shown.
    """

    family: str
    level: int
    wording: str
    answer: tuple[str, ...]
    fields: tuple[str, ...]
    forms: int
    """Maximum number of forms that a solution submits; in a look with dialogs, each takes an extra move.

    It is public, so it may depend only on the wording.
    """
    goal: Mapping[str, Any] | None = None
    needs: tuple[str, ...] = ()
    is_possible: bool = True
    twin: str = ""
    """Id that an impossible task shares with the possible task of the same wording."""
    oracle_steps: int = 0
    """Steps of this particular task's solution, which reveal part of the truth."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """The wording's statements as plain data, for the brute-force check and scripted solutions."""
    changes: tuple[Mapping[str, Any], ...] = ()
    """Changes to the world that the key draws, as arguments for the site's ``world_change``."""


@dataclass(frozen=True, kw_only=True)
class GoldFacts:
    """The part of a ``SiteTask`` that its gold holds and milestones use. Fields are as in ``SiteTask``."""

    answer: tuple[str, ...]
    needs: tuple[str, ...]
    given: Mapping[str, Any]
    goal: Mapping[str, Any] | None
    """The expected final state, part by part."""


SiteEvents = tuple[tuple[str, Mapping[str, Any]], ...]
"""Kind and data of site events, in order."""
Parts = Callable[[GoldFacts], Collection[str]]
Meets = Callable[[GoldFacts, str, Mapping[str, Any]], Collection[str]]
When = Callable[[Mapping[str, Any]], bool]


def always(given: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Milestone:
    """Progress towards the answer that an episode's site events show. It is never the reward.

    ``parts`` lists what the task requires, or nothing if no event can reach the milestone. ``meets`` lists
    the parts that an event, given its kind and data, has met, or facts from which they follow
    (``worlds/evidence.py``). The event that meets the last part reaches the milestone.

    ``when`` decides from the wording's statements whether a task has the milestone at all. An impossible task
    and its possible twin therefore have the same milestones, and their names never reveal which of the two a
    task is.
    """

    name: str
    parts: Parts
    meets: Meets
    when: When = always
    is_one_way: bool = False
    """True if other ways lead to the evidence too; showing all of it then also reaches the milestone."""


Draw = Callable[[W, Draws, int], SiteTask | None]
"""Draws a task of a level from 1 to 5, or returns None if the world has no such task."""
Wrong = Callable[[W, SiteTask], tuple[str, ...]]
"""Returns a plausible wrong answer."""
Check = Callable[[W, SiteTask], bool]
"""Returns whether a brute-force search of the world gives the same answer."""
Twin = Callable[[W, SiteTask], SiteTask | None]
"""Derives the impossible task of the same wording, in a world that differs in one fact, or None."""
WrongActions = Callable[[W, SiteTask], tuple[SiteEvents, ...]]
"""Lists plausible wrong actions that the pages allow. They are incorrect whatever the agent then answers."""


@dataclass(frozen=True, kw_only=True)
class Family(Wording, Generic[W]):
    """A family: one kind of task about the worlds (``W``) of one site."""

    draw: Draw[W]
    wrong: Wrong[W]
    check: Check[W]
    milestones: tuple[Milestone, ...]
    twin: Twin[W] | None
    wrong_actions: WrongActions[W] | None
    """None for a family whose tasks require an answer but no actions."""

    @property
    def is_done(self) -> bool:
        """True if tasks are judged by the final state rather than by an answer alone."""
        return self.wrong_actions is not None
