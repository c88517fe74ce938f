"""Command line: ``python -m palaestra demo --server URL --key KEY [--golds FILE] [--episodes N]``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from palaestra.demo import DemoPlan, demo_run, links, table
from palaestra.errors import PalaestraError

KEY_SETTING = "PALAESTRA_KEY"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    plan = _parser().parse_args(arguments, DemoPlan(key=os.environ.get(KEY_SETTING, "")))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        tallies = asyncio.run(demo_run(plan))
    except (PalaestraError, OSError, msgspec.ValidationError) as failure:
        print(f"The demonstration stopped: {failure}", file=sys.stderr)
        return 1
    print(table(tallies))
    lines = links(tallies, plan)
    if lines:
        print("", *lines, sep="\n")
    problems = [problem for tally in tallies.values() for problem in tally.problems]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="palaestra", description="Client of the Palaestra reasoning gym.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser(
        "demo", help="run the scripted policies against a running server", argument_default=argparse.SUPPRESS
    )
    demo.add_argument("--server", help="address of the lab")
    demo.add_argument("--key", help=f"a trainer key; default: ${KEY_SETTING}")
    demo.add_argument("--golds", type=Path, help="golds export (NDJSON), for the solver")
    demo.add_argument("--episodes", type=_count, help="episodes per policy")
    demo.add_argument("--pages", type=_count, help="browser pages used at once")
    demo.add_argument("--policy", dest="policies", action="append", help="play only this policy (repeatable)")
    demo.add_argument(
        "--no-pictures", dest="with_pictures", action="store_false", help="record no screenshots"
    )
    return parser


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
