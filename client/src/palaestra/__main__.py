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

from palaestra.demo import DemoPlan, Tally, comparison_url, demo_run, replay_url, table
from palaestra.engine import DEFAULT_PAGES
from palaestra.errors import PalaestraError

KEY_SETTING = "PALAESTRA_KEY"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    plan = DemoPlan(
        server=options.server,
        key=options.key,
        golds=options.golds,
        episodes=options.episodes,
        pages=options.pages,
        policies=options.policy or (),
        with_pictures=not options.no_pictures,
    )
    try:
        tallies = asyncio.run(demo_run(plan))
    except (PalaestraError, OSError, msgspec.ValidationError) as failure:
        print(f"The demonstration stopped: {failure}", file=sys.stderr)
        return 1
    print(table(tallies))
    for line in _links(tallies, plan):
        print(line)
    problems = [problem for tally in tallies.values() for problem in tally.problems]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _links(tallies: Mapping[str, Tally], plan: DemoPlan) -> Iterator[str]:
    comparison = comparison_url(tallies, server=plan.server)
    replay = replay_url(tallies, server=plan.server)
    if comparison or replay:
        yield ""
    if comparison:
        yield f"One task across arms, side by side: {comparison}"
    if replay:
        yield f"A page as an agent saw it, replayed from its DOM: {replay}"
    if replay and plan.with_pictures:
        yield "If the server has bubblewrap, it checks replays against screenshots in the next few minutes."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="palaestra", description="Client of the Palaestra reasoning gym.")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="run the scripted policies against a running server")
    demo.add_argument("--server", default="http://127.0.0.1:8001", help="address of the lab")
    demo.add_argument(
        "--key", default=os.environ.get(KEY_SETTING, ""), help=f"a trainer key; default: ${KEY_SETTING}"
    )
    demo.add_argument("--golds", type=Path, help="golds export (NDJSON), for the solver")
    demo.add_argument("--episodes", type=_count, default=12, help="episodes per policy")
    demo.add_argument("--pages", type=_count, default=DEFAULT_PAGES, help="browser pages used at once")
    demo.add_argument("--policy", action="append", help="play only this policy (repeatable)")
    demo.add_argument("--no-pictures", action="store_true", help="record no screenshots")
    return parser


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
