"""``palaestra benchmarks``: list the benchmarks of an installation, their splits and the tasks in each."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from typing import Any

from palaestra.api import Client
from palaestra.commands import server_add
from palaestra.records import Benchmark


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "benchmarks", help="list benchmarks, splits and numbers of tasks", description=__doc__
    )
    server_add(parser)
    parser.set_defaults(command=command, title="The list of benchmarks")


def command(options: argparse.Namespace) -> int:
    """Print the list."""
    print(table(asyncio.run(_benchmarks(options))))
    return 0


async def _benchmarks(options: argparse.Namespace) -> list[Benchmark]:
    async with Client(options.server, options.key) as client:
        return await client.benchmarks()


def table(benchmarks: Sequence[Benchmark]) -> str:
    """The benchmarks by id, one a line, with the tasks of each split."""
    if not benchmarks:
        return "No benchmark is loaded: manage.py load_benchmark."
    width = max(len(one.id) for one in benchmarks)
    return "\n".join(
        f"{one.id:<{width}}  {_splits(one)}  ({one.title or one.kind})"
        for one in sorted(benchmarks, key=lambda one: one.id)
    )


def _splits(benchmark: Benchmark) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(benchmark.splits.items())) or "no tasks"
