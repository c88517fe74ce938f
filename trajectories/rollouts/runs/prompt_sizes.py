"""Prompt lengths under each history, as clients measure them by replaying episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from core.errors import GymError
from core.sql import Statement
from trajectories.models import Run
from trajectories.record.api.auth import Principal
from trajectories.rollouts.runs.records import PromptTotals

COLUMNS = ("characters", "longest_characters", "tokens", "longest_tokens")
SHOWN_MAX = 10

STORE = Statement(__file__, "prompt_sizes_store")
TOTALS = Statement(__file__, "prompt_totals")


@transaction.atomic
def prompt_sizes_store(
    *, run: Run, principal: Principal, history: str, episodes: Sequence[Mapping[str, Any]]
) -> int:
    """Store the sizes of a run's episodes under one history; returns their number.

    Raises ``GymError`` 422 ``unknown_episode`` and then stores none.
    """
    by_episode = {size["episode"]: size for size in episodes}
    columns = {name: [size.get(name) for size in by_episode.values()] for name in COLUMNS}
    stored = STORE.rows(
        run=run.pk, splits=sorted(principal.splits), history=history, episodes=list(by_episode), **columns
    )
    if missing := by_episode.keys() - {episode for (episode,) in stored}:
        shown = ", ".join(map(str, sorted(missing)[:SHOWN_MAX]))
        raise GymError("unknown_episode", f"Run {run.pk} has no episode {shown}.", status=422)
    return len(stored)


def prompt_totals(*, run: Run, tasks: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """The fields of ``PromptTotals`` by task, one of each history."""
    totals = defaultdict[int, list[dict[str, Any]]](list)
    for task, *columns in TOTALS.rows(run=run.pk, tasks=list(tasks)):
        totals[task].append(dict(zip(PromptTotals.__struct_fields__, columns, strict=True)))
    return totals
