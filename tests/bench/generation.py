"""`python -m tests.bench.generation SITE SPLIT COUNT SEED`: generate and load tasks, then load them again.

Prints a JSON object with the tasks per second of both: `generated` and `loaded`. Run it in a new process each
time, because worlds and guess rates are cached.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import django

from tests.bench.imports import tables_empty

if TYPE_CHECKING:
    from tasks_app.types import Row


def main(site: str, split: str, count: str, seed: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from tasks_app.registry import benchmarks

    generate = benchmarks.get(site).generate
    if generate is None:
        raise ValueError(f"{site} is not generated")
    copies: list[Row] = []
    generated = _loaded(site, split, _copied(generate(int(count), int(seed), split), copies))
    sys.stdout.write(json.dumps({"generated": generated, "loaded": _loaded(site, split, copies)}))


def _copied(rows: Iterable[Row], copies: list[Row]) -> Iterator[Row]:
    for row in rows:
        copies.append(row)
        yield row


def _loaded(site: str, split: str, rows: Iterable[Row]) -> float:
    """Load the tasks into empty tables like `manage.py load_benchmark`, and return the tasks per second."""
    from tasks_app import loader
    from tasks_app.registry import benchmarks

    tables_empty()
    begun = time.perf_counter()
    report = loader.tasks_load(benchmarks.get(site), rows, split=split)
    taken_s = time.perf_counter() - begun
    if report.bad or not report.new:
        raise ValueError(f"{report.new} rows loaded, {len(report.bad)} bad: {report.bad[:3]}")
    return report.new / taken_s


if __name__ == "__main__":
    main(*sys.argv[1:])
