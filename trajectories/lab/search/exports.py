"""Streamed exports of a search's episodes, as trajectories, facts or ids.

The first line describes the search so that it can be repeated. Memory holds only one batch of ids and a few
episodes at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

import msgspec

from core.text.csv import encode_csv
from trajectories.actions.checks import PUBLISHED_COLUMNS
from trajectories.behaviour.facts.measures import TOTALS
from trajectories.lab.search.request import SearchRequest
from trajectories.lab.search.selectors import search_episode_ids
from trajectories.models import Episode
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.retrieval import selectors

EPISODES_AT_ONCE = 200
# Columns of the table of facts, each with its field.
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
    "parent": "parent_id",
    "begins_after": "begins_after",
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
    **{name: f"facts__{name}" for name in ("steps", "duration_ms", *TOTALS)},
}


def trajectories_export(request: SearchRequest, *, principal: Principal, now: datetime) -> Iterator[bytes]:
    """Yield NDJSON: a record ``{"search": ...}``, then lines as from ``GET /runs/{id}/trajectories``."""
    search = {
        "address": request.address(),
        "query": request.search.query,
        "filters": request.search.filters,
        "golds": principal.may("golds"),
        "made_at": now,
    }
    yield msgspec.json.encode({"search": search}) + b"\n"
    for ids in _batches(request):
        yield from selectors.write_trajectory_lines(episode_ids=ids, principal=principal)


def facts_export(request: SearchRequest, *, now: datetime, **_: object) -> Iterator[bytes]:
    """Yield CSV, one row per episode: ids, outcome and facts; facts not computed yet are empty."""
    yield _heading(request, now)
    yield encode_csv([COLUMNS])
    for ids in _batches(request):
        rows = Episode.objects.filter(pk__in=ids).order_by("-pk").values_list(*COLUMNS.values())
        yield encode_csv(rows)


def ids_export(request: SearchRequest, *, now: datetime, **_: object) -> Iterator[bytes]:
    """Yield the episodes' ids, one per line."""
    yield _heading(request, now)
    for ids in _batches(request):
        yield "".join(f"{episode_id}\n" for episode_id in ids).encode()


class Export(NamedTuple):
    lines: Callable[..., Iterator[bytes]]
    content_type: str
    file_name: str


EXPORTS = {
    "trajectories.ndjson": Export(
        trajectories_export, "application/x-ndjson", "palaestra-trajectories.ndjson"
    ),
    "facts.csv": Export(facts_export, "text/csv; charset=utf-8", "palaestra-facts.csv"),
    "ids.txt": Export(ids_export, "text/plain; charset=utf-8", "palaestra-episodes.txt"),
}


def _heading(request: SearchRequest, now: datetime) -> bytes:
    """Return the first line, a comment without commas or quotes so that a CSV reader sees one cell."""
    return f"# {request.address()} {now:%Y-%m-%dT%H:%M:%SZ}\n".encode()


def _batches(request: SearchRequest) -> Iterator[list[int]]:
    ids = search_episode_ids(request.search)
    while batch := list(islice(ids, EPISODES_AT_ONCE)):
        yield batch
