"""Summaries of a draw, and of the results since the previous one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct

from trajectories.rollouts.samplers.course import Progress
from trajectories.rollouts.samplers.plans import DrawnTask
from trajectories.rollouts.samplers.selectors import RunState
from trajectories.rollouts.samplers.types import Pool, rounded

# The upper ends of "easy" and "middle"; the rest is "hard".
EASY, MIDDLE = 1 / 3, 2 / 3


class Result(NamedTuple):
    """Results of one task: the number of judged episodes, and of correct ones."""

    difficulty: float | None
    judged: int
    correct: int


class ResultTally(Struct):
    judged: int
    correct: int


class DrawSummary(Struct):
    """``results`` and groups are those since the draw before."""

    reasons: Annotated[dict[str, int], Meta(description="How many tasks were drawn for which reason.")]
    tried: Annotated[int, Meta(description="Tasks of the pool with a result.")]
    tasks: Annotated[int, Meta(description="Tasks that were drawn at least once before.")]
    samples: Annotated[int, Meta(description="Episodes that the draw asks for.")]
    max_steps: Annotated[list[int] | None, Meta(description="Least and greatest; null if left to the tasks.")]
    mean: Annotated[float | None, Meta(description="Mean posterior success of what was drawn.")]
    results: Annotated[dict[str, ResultTally], Meta(description="Easy, middle, hard, unknown.")]
    groups: Annotated[
        int, Meta(description="Groups of plain episodes that have completed since the draw before.")
    ]
    degenerate: Annotated[
        int, Meta(description="Those of them with two or more judged samples and equal rewards.")
    ]
    teaching: Annotated[
        int | None,
        Meta(
            description="Those of them whose rewards differ. Absent in draws made before it was counted, "
            "whose `degenerate` are all other groups."
        ),
    ] = None
    count: Annotated[
        int | None, Meta(description="Tasks that the call was for. Absent where each of them is an item.")
    ] = None
    progress: Annotated[
        Progress | None,
        Meta(description="Of `stages`: the stage that the run has reached, and what its criteria come to."),
    ] = None


def summary_make(
    items: Sequence[DrawnTask], pool: Pool, *, results: Sequence[Result], state: RunState, count: int
) -> dict[str, object]:
    """The summary of a draw, as it is stored."""
    steps = [item.max_steps for item in items if item.max_steps is not None]
    means = [item.why["mean"] for item in items if "mean" in item.why]
    summary = DrawSummary(
        reasons=dict(Counter(item.why["reason"] for item in items)),
        tried=int((pool.judged > 0).sum()),
        tasks=int((pool.drawn > 0).sum()),
        samples=sum(item.samples_per_task for item in items),
        max_steps=[min(steps), max(steps)] if steps else None,
        mean=rounded(sum(means) / len(means)) if means else None,
        results=_by_difficulty(results),
        groups=state.groups,
        degenerate=state.degenerate,
        teaching=state.teaching,
        count=count,
        progress=pool.progress,
    )
    stored: dict[str, object] = msgspec.to_builtins(summary)
    return stored


def difficulty_name(difficulty: float | None) -> str:
    if difficulty is None:
        return "unknown"
    return "easy" if difficulty <= EASY else "middle" if difficulty <= MIDDLE else "hard"


def _by_difficulty(results: Sequence[Result]) -> dict[str, ResultTally]:
    tallies: dict[str, ResultTally] = {}
    for result in results:
        tally = tallies.setdefault(difficulty_name(result.difficulty), ResultTally(judged=0, correct=0))
        tally.judged += result.judged
        tally.correct += result.correct
    return tallies
