"""The list of runs: filtered, in an order of its columns, one page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.sql import Statement
from trajectories.models import Run
from trajectories.shell.grid.view import Sort
from trajectories.shell.queries.tallies import Tally, tallies_by_run

RUNS_PER_PAGE = 50
_PARTS = Statement(__file__, "run_parts")
# Joined where the list is sorted by a column of theirs.
JOINS = {
    "s": "LEFT JOIN trajectories_ratesum s ON s.run_id = r.id AND s.scope = 'run'",
    "n": "LEFT JOIN (SELECT d.run_id, sum(d.episodes) AS episodes, "
    "sum(d.episodes) FILTER (WHERE d.outcome = 'void') AS void "
    "FROM trajectories_endingsum d GROUP BY 1) n ON n.run_id = r.id",
    "o": "LEFT JOIN (SELECT e.run_id, count(*) AS episodes FROM trajectories_episode e "
    "WHERE e.status = 'open' GROUP BY 1) o ON o.run_id = r.id",
    "p": "LEFT JOIN (SELECT g.run_id, min(g.arm) AS arm, min(t.benchmark_id) AS benchmark "
    "FROM trajectories_group g JOIN tasks_app_task t ON t.id = g.task_id GROUP BY 1) p ON p.run_id = r.id",
}

CONDITIONS = {
    "q": "(r.name ILIKE %(q)s OR r.model ILIKE %(q)s OR EXISTS "
    "(SELECT 1 FROM unnest(r.tags) AS tag WHERE tag ILIKE %(q)s))",
    "model": "r.model = %(model)s",
    "kind": "r.kind = %(kind)s",
    "arm": "EXISTS (SELECT 1 FROM trajectories_group g WHERE g.run_id = r.id AND g.arm = %(arm)s)",
    "benchmark": "EXISTS (SELECT 1 FROM trajectories_group g JOIN tasks_app_task t ON t.id = g.task_id "
    "WHERE g.run_id = r.id AND t.benchmark_id = %(benchmark)s)",
}


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run with its episodes by outcome, and the arms and benchmarks that it has episodes of."""

    run: Run
    tally: Tally
    arms: Sequence[str]
    benchmarks: Sequence[str]

    @property
    def pk(self) -> int:
        return self.run.pk


def run_page(*, filters: Mapping[str, Any], sort: Sort, after: int | None) -> tuple[list[RunRow], int | None]:
    """One page of runs, and the cursor of the next."""
    conditions = [CONDITIONS[name] for name in filters]
    parameters = dict(filters)
    if "q" in parameters:
        parameters["q"] = f"%{_literal(parameters['q'])}%"
    joins = " ".join(join for alias, join in JOINS.items() if f"{alias}." in sort.sql)
    tables = f"trajectories_run r {joins}"
    if after is not None:
        conditions.append(sort.after("r.id", tables=tables))
        parameters["after"] = after
    statement = Statement(
        __file__,
        "runs_sorted",
        tables=tables,
        conditions=" AND ".join(conditions) or "true",
        order=sort.order_by("r.id"),
    )
    ids = [run_id for (run_id,) in statement.rows(limit=RUNS_PER_PAGE + 1, **parameters)]
    shown = ids[:RUNS_PER_PAGE]
    return run_rows(shown), shown[-1] if len(ids) > RUNS_PER_PAGE else None


def run_rows(run_ids: Sequence[int]) -> list[RunRow]:
    """Rows of these runs, in this order; those that do not exist are left out."""
    runs = Run.objects.defer("settings", "affordances").in_bulk(run_ids)
    tallies = tallies_by_run(list(run_ids))
    parts = {row[0]: row[1:] for row in _PARTS.rows(runs=list(run_ids))}
    return [
        RunRow(
            run=runs[run_id],
            tally=tallies.get(run_id, Tally()),
            arms=parts[run_id][0],
            benchmarks=parts[run_id][1],
        )
        for run_id in run_ids
        if run_id in runs
    ]


def _literal(text: str) -> str:
    """Escape the wildcards of ``LIKE`` in a text."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
