"""The lab's lists in each of their orders, filtered and far down, requested as a browser does.

`python -m tests.bench.grid_pages LAB_URL LIST` prints a JSON object with, for each request, its URL, the
milliseconds to the first byte, and those of one bare statement for the same rows; and with the cookie of a
login.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any
from urllib.parse import urlencode

import django
from django.db import connection

PER_PAGE = 50
# Each filter's query parameters, and its SQL condition.
Filter = tuple[dict[str, str], str]


@dataclass(frozen=True)
class Listed:
    """A list of the lab, whose rows are identified by ``key``.

    A bare statement for it reads ``columns`` from ``tables``. ``cursor`` is the query parameter with a page's
    position.
    """

    path: str
    key: str
    cursor: str
    tables: str
    columns: str
    filters: tuple[Filter, ...]


LISTS = {
    "episodes": Listed(
        path="/search",
        key="e.id",
        cursor="after",
        tables="""trajectories_episode e JOIN trajectories_run r ON r.id = e.run_id
            JOIN tasks_app_task t ON t.id = e.task_id
            LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
            LEFT JOIN trajectories_episodefacts a ON a.episode_id = e.id""",
        columns="""e.*, r.name, r.model, t.benchmark_id, t.key, left(t.prompt, 300), v.outcome, v.reason, a.*,
            (SELECT left(s.thought, 300) FROM trajectories_step s
                WHERE s.episode_id = e.id ORDER BY s.index DESC LIMIT 1)""",
        filters=(
            ({}, "true"),
            ({"outcome": "correct"}, "v.outcome = 'correct'"),
            (
                {"arm": "gym", "outcome": "incorrect", "reason": "step_budget"},
                "e.arm = 'gym' AND v.outcome = 'incorrect' AND v.reason = 'step_budget'",
            ),
            ({"model": "model-3", "policy_version": "4"}, "r.model = 'model-3' AND e.policy_version = 4"),
            ({"action_check": "different_effect"}, "a.different_effect > 0"),
            ({"steps_min": "40"}, "a.steps >= 40"),
            ({"benchmark": "gsm8k"}, "t.benchmark_id = 'gsm8k'"),
        ),
    ),
    "tasks": Listed(
        path="/tasks/",
        key="t.id",
        cursor="cursor",
        tables="tasks_app_task t",
        columns="t.*",
        filters=(
            ({}, "true"),
            ({"split": "listed"}, "t.split = 'listed'"),
            ({"kind": "free_answer", "gap": "left_out"}, "t.kind = 'free_answer' AND NOT t.gap_eligible"),
            ({"q": "part 7"}, "'part 7' = ANY(t.tags)"),
            ({"benchmark": "gsm8k"}, "t.benchmark_id = 'gsm8k'"),
        ),
    ),
    "runs": Listed(
        path="/",
        key="r.id",
        cursor="cursor",
        tables="trajectories_run r",
        columns="r.*",
        filters=(
            ({}, "true"),
            ({"q": "listed 3"}, "r.name LIKE 'listed 3%'"),
            ({"kind": "eval", "model": "model-2"}, "r.kind = 'eval' AND r.model = 'model-2'"),
            (
                {"arm": "gym"},
                "EXISTS (SELECT 1 FROM trajectories_endingsum d WHERE d.run_id = r.id AND d.arm = 'gym')",
            ),
            (
                {"benchmark": "gsm8k"},
                """EXISTS (SELECT 1 FROM trajectories_group g JOIN tasks_app_task t ON t.id = g.task_id
                    WHERE g.run_id = r.id AND t.benchmark_id = 'gsm8k')""",
            ),
        ),
    ),
}


def requests(name: str) -> Iterator[tuple[str, str]]:
    """Yield each page's URL and the bare statement for its rows, from the top and from the middle."""
    from trajectories.lab.search.selectors import JOINS
    from trajectories.lab.tasks.pages import TASKS
    from trajectories.rollouts.runs.pages import pages
    from trajectories.rollouts.runs.pages.pages import RUNS
    from trajectories.shell.grid.episodes import EPISODES
    from trajectories.shell.queries import tasks

    answer = {"answer": JOINS["answer"]}  # the others are in the bare statement already
    table, joins = {
        "episodes": (EPISODES, answer),
        "runs": (RUNS, pages.JOINS),
        "tasks": (TASKS, tasks.JOINS),
    }[name]
    listed = LISTS[name]
    ways = product((column for column in table.columns if column.sort), ("", "-"))
    # Each order with one of the filters, whose odd number lets each meet both directions.
    for (column, sign), (filters, condition) in zip(ways, cycle(listed.filters), strict=False):
        joined = " ".join(join for alias, join in joins.items() if f"{alias}." in column.sort)
        direction = "DESC" if sign else "ASC"
        order = f"ORDER BY {column.sort} {direction}, {listed.key} {direction}"
        source = f"FROM {listed.tables} {joined} WHERE {condition}"
        address = f"{listed.path}?{urlencode({**filters, 'sort': f'{sign}{column.id}'})}"
        keys = f"SELECT {listed.key} {source} {order} LIMIT {PER_PAGE}"
        yield address, _bare(listed, keys)
        middle = _rows(f"SELECT count(*) {source}")[0][0] // 2
        if middle > PER_PAGE:
            ((after,),) = _rows(f"SELECT {listed.key} {source} {order} LIMIT 1 OFFSET {middle}")
            yield f"{address}&{listed.cursor}={after}", _bare(listed, f"{keys} OFFSET {middle}")


def _bare(listed: Listed, keys: str) -> str:
    return f"SELECT {listed.columns} FROM {listed.tables} WHERE {listed.key} IN ({keys})"


def _rows(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def main(lab: str, name: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from tests.bench.loads import MS_PER_SECOND, Browser, session_make

    session = session_make()
    browser = Browser(lab, session)
    browser.first_byte(LISTS[name].path)
    measured = []
    for address, bare in requests(name):
        begun = time.perf_counter()
        _rows(bare)
        bare_ms = (time.perf_counter() - begun) * MS_PER_SECOND
        measured.append((address, browser.first_byte(address), bare_ms))
    print(json.dumps({"requests": measured, "cookie": session}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
