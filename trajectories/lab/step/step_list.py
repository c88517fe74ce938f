"""The list of steps beside a step: those around it; scripts add the others as they come into view."""

from __future__ import annotations

from dataclasses import dataclass

from trajectories.lab.step.index import thought_line
from trajectories.shell.queries import steps
from trajectories.shell.queries.missing_steps import MissingRange
from trajectories.shell.queries.timeline import Cell, Timeline


@dataclass(frozen=True, kw_only=True)
class ListedStep:
    """A row of the list; ``thought`` is how its thought begins."""

    cell: Cell
    thought: str


def steps_listed(timeline: Timeline, *, episode_id: int) -> list[ListedStep | MissingRange]:
    """The rows of a part of the timeline, with how their thoughts begin."""
    numbers = [item.index for item in timeline.items if isinstance(item, Cell)]
    if not numbers:
        return []
    starts = steps.thought_starts(episode_id=episode_id, first=numbers[0], last=numbers[-1])
    return [
        ListedStep(cell=item, thought=thought_line(starts.get(item.index, "")))
        if isinstance(item, Cell)
        else item
        for item in timeline.items
    ]
