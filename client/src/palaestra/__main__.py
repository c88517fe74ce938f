"""Command line: ``python -m palaestra demo --server URL --key KEY [--golds FILE] [--episodes N]``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from palaestra.demo import DemoPlan, Tally, arms_address, demo_run, replay_address, table
from palaestra.engine import DEFAULT_PAGES
from palaestra.errors import PalaestraError

KEY_SETTING = "PALAESTRA_KEY"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    plan = DemoPlan(
        server=given.server,
        key=given.key,
        golds=given.golds,
        episodes=given.episodes,
        pages=given.pages,
        policies=given.policy or (),
        with_pictures=not given.no_pictures,
    )
    try:
        tallies = asyncio.run(demo_run(plan))
    except (PalaestraError, OSError, msgspec.ValidationError) as failure:
        print(f"The demonstration stopped: {failure}", file=sys.stderr)
        return 1
    print(table(tallies))
    for line in _to_see(tallies, plan):
        print(line)
    problems = [problem for tally in tallies.values() for problem in tally.problems]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _to_see(tallies: Mapping[str, Tally], plan: DemoPlan) -> Iterator[str]:
    across = arms_address(tallies, server=plan.server)
    replay = replay_address(tallies, server=plan.server)
    if across or replay:
        yield ""
    if across:
        yield f"One item across arms, text beside page: {across}"
    if replay:
        yield f"A page as an agent saw it, replayed from its DOM: {replay}"
    if replay and plan.with_pictures:
        yield "Where the server has bubblewrap, replays are held against screenshots in the next minutes."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="palaestra", description="Client of the Palaestra reasoning gym.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="run the scripted policies against a running server")
    demo.add_argument("--server", default="http://127.0.0.1:8001", help="address of the lab")
    demo.add_argument(
        "--key", default=os.environ.get(KEY_SETTING, ""), help=f"a trainer key; default: ${KEY_SETTING}"
    )
    demo.add_argument("--golds", type=Path, help="golds export (NDJSON), for the solver")
    demo.add_argument("--episodes", type=_count, default=12, help="episodes of each policy")
    demo.add_argument("--pages", type=_count, default=DEFAULT_PAGES, help="browser pages at once")
    demo.add_argument("--policy", action="append", help="only this policy; may be repeated")
    demo.add_argument("--no-pictures", action="store_true", help="record no screenshots")
    return parser


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
