"""``palaestra benchmarks``: list an installation's benchmarks, with their splits and numbers of tasks."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from typing import Any

from palaestra.api import Client
from palaestra.commands import server_add
from palaestra.records import Benchmark


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser(
        "benchmarks", help="list benchmarks with their splits and numbers of tasks", description=__doc__
    )
    server_add(parser)
    parser.set_defaults(command=command, title="The list of benchmarks")


def command(options: argparse.Namespace) -> int:
    """Print the list of benchmarks."""
    print(format_table(asyncio.run(_read_benchmarks(options))))
    return 0


async def _read_benchmarks(options: argparse.Namespace) -> list[Benchmark]:
    async with Client(options.server, options.key) as client:
        return await client.benchmarks()


def format_table(benchmarks: Sequence[Benchmark]) -> str:
    """Format the benchmarks, one per line in order of id, with the number of tasks in each split."""
    if not benchmarks:
        return "No benchmark is loaded: run manage.py load_benchmark."
    width = max(len(benchmark.id) for benchmark in benchmarks)
    return "\n".join(
        f"{benchmark.id:<{width}}  {_format_splits(benchmark)}  ({benchmark.title or benchmark.kind})"
        for benchmark in sorted(benchmarks, key=lambda benchmark: benchmark.id)
    )


def _format_splits(benchmark: Benchmark) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(benchmark.splits.items())) or "no tasks"
