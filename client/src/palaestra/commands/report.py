"""``palaestra report``: write a report's files for a paper (page, tables, charts, and a row per episode)."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from palaestra.api import Client
from palaestra.commands import count, server_add, stderr_print
from palaestra.errors import PalaestraError
from palaestra.evaluation.reports import report_compute

PARTIAL = ".part"


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser("report", help="write a report's tables and charts", description=__doc__)
    server_add(parser)
    parser.add_argument("--report", type=count, required=True, metavar="ID", help="the report's id")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the files")
    parser.add_argument("--compute", action="store_true", help="compute the report again first")
    parser.set_defaults(command=command, title="The report")


def command(options: argparse.Namespace) -> int:
    """Write the report's files, replacing those of an earlier call."""
    asyncio.run(_write(options))
    return 0


async def _write(options: argparse.Namespace) -> None:
    async with Client(options.server, options.key) as client:
        report = await client.report(options.report)
        if options.compute:
            report = await report_compute(client, options.report, stderr_print)
        if report.result is None:
            raise PalaestraError(f"Report {report.id} has not been computed yet: add --compute. {report.url}")
        if report.stale:
            stderr_print("Verdicts have arrived since it was computed; add --compute to include them.")
        options.out.mkdir(parents=True, exist_ok=True)
        for file in await client.report_files(report.id):
            await file_write(client, report.id, file.name, options.out)
        print(f"{report.url}\n{options.out}")


async def file_write(client: Client, report: int, name: str, folder: Path) -> None:
    """Write one file, completely or not at all. Raises ``PalaestraError`` for a name outside the folder."""
    if Path(name).name != name:
        raise PalaestraError(f"The server names a file outside of {folder}: {name!r}.")
    partial, size = folder / (name + PARTIAL), 0
    with partial.open("wb") as file:
        async for part in client.report_file(report, name):
            size += file.write(part)
    partial.replace(folder / name)
    stderr_print(f"{size:>12,}  {name}")
