"""What a search finds, taken away: trajectories, facts or ids of its episodes, made piece by piece.

The first line says which search it was, so that it can be asked again. Memory holds one batch of ids, and
what is made of a few episodes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec

from trajectories.actions.checks import PUBLISHED_COLUMNS
from trajectories.api.auth import Principal
from trajectories.episodes.trajectories import selectors
from trajectories.lab.search.query import Asked
from trajectories.lab.search.selectors import search_episode_ids
from trajectories.models import Episode

EPISODES_AT_ONCE = 200
# A spreadsheet takes a cell that begins so for a formula.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
# Columns of the table of facts by where they come from.
COLUMNS = {
    "episode": "id",
    "run": "run_id",
    "model": "run__model",
    "simulated": "run__simulated",
    "benchmark": "task__benchmark_id",
    "split": "task__split",
    "task": "task_id",
    "key": "task__key",
    "arm": "arm",
    "group": "group_id",
    "sample_index": "sample_index",
    "policy_version": "policy_version",
    "guidance": "guidance__kind",
    "status": "status",
    "outcome": "verdict__outcome",
    "reward": "verdict__reward",
    "score": "verdict__score",
    "reason": "verdict__reason",
    "terminated": "verdict__terminated",
    "truncated": "verdict__truncated",
    "opened_at": "opened_at",
    "finished_at": "finished_at",
    **{name: f"facts__{column}" for column, name in PUBLISHED_COLUMNS.items()},
    **{
        name: f"facts__{name}"
        for name in (
            *("steps", "duration_ms"),
            *("loops", "backtracks", "page_changes", "checks"),
            *("thought_chars", "thought_words", "numbers", "formulas", "restates"),
        )
    },
}


def trajectories_selected(asked: Asked, *, principal: Principal, now: datetime) -> Iterator[bytes]:
    """NDJSON: a record ``{"search": ...}``, then the lines of ``GET /runs/{id}/trajectories``."""
    about = {
        "address": asked.address(),
        "query": asked.search.query,
        "filters": asked.search.filters,
        "golds": principal.may("golds"),
        "made_at": now,
    }
    yield msgspec.json.encode({"search": about}) + b"\n"
    for ids in _batches(asked):
        yield from selectors.trajectory_lines_of(episode_ids=ids, principal=principal)


def facts_selected(asked: Asked, *, now: datetime) -> Iterator[bytes]:
    """CSV, one row an episode: ids, how it ended, and its computed facts, empty until there are any."""
    yield _heading(asked, now)
    yield _csv([COLUMNS])
    for ids in _batches(asked):
        rows = Episode.objects.filter(pk__in=ids).order_by("-pk").values_list(*COLUMNS.values())
        yield _csv([_cell(value) for value in row] for row in rows)


def ids_selected(asked: Asked, *, now: datetime) -> Iterator[bytes]:
    """One id a line."""
    yield _heading(asked, now)
    for ids in _batches(asked):
        yield "".join(f"{one}\n" for one in ids).encode()


def _heading(asked: Asked, now: datetime) -> bytes:
    """A comment without commas and quotes, so that it is one cell of a table."""
    return f"# {asked.address()} {now:%Y-%m-%dT%H:%M:%SZ}\n".encode()


def _batches(asked: Asked) -> Iterator[list[int]]:
    ids = search_episode_ids(asked.search)
    while batch := list(islice(ids, EPISODES_AT_ONCE)):
        yield batch


def _csv(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
        return f"'{value}"
    return value
