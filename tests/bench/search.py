"""The lab's queries over a large store, timed inside a process of the installation.

`python -m tests.bench.search FIRST_EPISODE EPISODES RUN` prints a JSON object with the milliseconds of each
query.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import django

REPEATS = 3
WORDS = (
    "check",
    "verify",
    "telescopes",
    "contradiction",
    "narration",
    "verify -check",
    '"check verify"',
    "7001",
)


def searches(run: int) -> Iterator[tuple[str, dict[str, Any]]]:
    filters: list[dict[str, Any]] = [
        {},
        {"run": run},
        {"outcome": "correct"},
        {"arm": "gym", "outcome": "incorrect", "reason": "step_budget"},
        {"model": "model-3", "policy_version": 4},
        {"action_check": "different_effect", "action": "type"},
        {"steps_min": 80, "duration_min_ms": 100_000},
        {"problem": "how many -apples"},
    ]
    yield from product(WORDS, filters)


def lists(run: int) -> Iterator[dict[str, Any]]:
    yield from (filters for words, filters in searches(run) if words == WORDS[0])
    yield {"run": run, "outcome": "void"}
    yield {"steps_min": 10_000}
    yield {"benchmark": "gsm8k", "action_check": "no_effect"}


def _timed(work: Callable[[], object]) -> list[float]:
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1000)
    return times


def main(first_episode: int, episodes: int, run: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from trajectories.behaviour.facts import store
    from trajectories.lab.search.selectors import Search, search_counts, search_page

    times_ms: dict[str, list[float]] = defaultdict(list)
    worst: dict[str, tuple[float, str]] = {}

    def note(name: str, search: Search, work: Callable[[], object]) -> None:
        times = _timed(work)
        times_ms[name] += times
        worst[name] = max(worst.get(name, (0.0, "")), (max(times), f"{search.query} {search.filters}"))

    for words, filters in searches(run):
        search = Search(query=words, filters=filters)
        note("search", search, lambda search=search: search_page(search))
        note("counts", search, lambda search=search: search_counts(search))
    for filters in lists(run):
        search = Search(filters=filters)
        note("list", search, lambda search=search: search_page(search))
        note("list counts", search, lambda search=search: search_counts(search))
    begun = time.perf_counter()
    steps = store.facts_compute(range(first_episode, first_episode + episodes))
    seconds = time.perf_counter() - begun
    print(json.dumps({"times_ms": times_ms, "worst": worst, "steps": steps, "seconds": seconds}))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
