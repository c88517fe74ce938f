"""``palaestra demo``: play real questions with scripted policies, so that the lab has something to show."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tqdm import tqdm

from palaestra.api import Client
from palaestra.api.background import tasks_cancel
from palaestra.commands import count, server_add, stderr_print
from palaestra.engine import DEFAULT_PAGES, Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PalaestraError
from palaestra.observation import get_format
from palaestra.policies import Narrator, Null, Policy, Solver, VoidSeeker, solutions_read
from palaestra.policies.solver import Solution
from palaestra.records import Task
from palaestra.rollouts import Rollout

# One benchmark per kind of page; those that the server does not have are left out.
BENCHMARKS = ("gsm8k", "mmlu", "math", "chartqa", "wikitable", "mbpp")
BROWSER_ARM = "gym"
# A policy plays four of its six episodes in the browser and one in each text arm. All arms begin with the
# same tasks, so that a task can be compared across arms.
ARM_SHARES = ((BROWSER_ARM, 4), ("text_agent", 1), ("text_zero_shot", 1))
PROGRAMS = "mbpp"
# One in four of a policy's browser episodes is recorded in full, so that the lab can replay its pages.
FULL_EVERY = 4
TASKS_FETCHED = 200
STARTER_SPLIT = "starter"
BAR = "[{bar:30}] {n_fmt}/{total_fmt} episodes  {rate_noinv_fmt}{postfix}"


@dataclass
class Tally:
    """The results of one policy's episodes."""

    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    fully_recorded: list[Rollout] = field(default_factory=list)
    by_task: dict[int, dict[str, Rollout]] = field(default_factory=dict)

    def add(self, rollout: Rollout, *, is_full: bool = False) -> None:
        self.outcomes[rollout.outcome] += 1
        if rollout.problem:
            self.problems.append(f"episode {rollout.episode}: {rollout.problem}")
            return
        self.by_task.setdefault(rollout.task, {}).setdefault(rollout.arm, rollout)
        if is_full and rollout.steps:
            self.fully_recorded.append(rollout)


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser(
        "demo", help="run the scripted policies against a running server", description=__doc__
    )
    server_add(parser)
    parser.add_argument("--golds", type=Path, help="golds export (NDJSON), for the solver")
    parser.add_argument("--episodes", type=count, default=12, help="episodes per policy")
    parser.add_argument("--pages", type=count, default=DEFAULT_PAGES, help="browser pages used at once")
    parser.add_argument(
        "--policy", dest="policies", action="append", default=[], help="play only this policy (repeatable)"
    )
    parser.add_argument(
        "--no-pictures", dest="with_pictures", action="store_false", help="record no screenshots"
    )
    parser.set_defaults(command=command, title="The demonstration")


def command(options: argparse.Namespace) -> int:
    """Play the demonstration and print its results; return 1 if an episode broke."""
    tallies = asyncio.run(demo_run(options))
    print(format_table(tallies))
    if lines := format_links(tallies, options):
        print("", *lines, sep="\n")
    problems = [problem for tally in tallies.values() for problem in tally.problems]
    for problem in problems:
        stderr_print(problem)
    return 1 if problems else 0


async def demo_run(options: argparse.Namespace) -> dict[str, Tally]:
    """Play the demonstration and return results by policy. Raises ``PalaestraError`` without tasks."""
    solutions = solutions_read(options.golds) if options.golds else {}
    async with Client(options.server, options.key) as client:
        tasks = await _choose_tasks(client, solutions, options=options)
        policies = _choose_policies(solutions, tasks, options.policies)
        config = EpisodeConfig(observation=_choose_observation(options), with_pictures=options.with_pictures)
        every_s = 0.1 if sys.stderr.isatty() else 5.0
        total = len(policies) * options.episodes
        with tqdm(total=total, bar_format=BAR, ascii=".#", unit="", mininterval=every_s) as bar:
            async with Engine(client, pages=options.pages, config=config) as engine:
                return {
                    policy.name: await _play(engine, policy, tasks, options=options, bar=bar)
                    for policy in policies
                }


def format_table(tallies: Mapping[str, Tally]) -> str:
    """Format the results by policy as text."""
    head = f"{'policy (simulated)':<20}{'n':>6}{'correct':>10}{'incorrect':>11}{'void':>7}{'missing':>9}"
    rows = [
        f"{name:<20}{sum(tally.outcomes.values()):>6}{tally.outcomes['correct']:>10}"
        f"{tally.outcomes['incorrect']:>11}{tally.outcomes['void']:>7}{tally.outcomes['missing']:>9}"
        for name, tally in tallies.items()
    ]
    return "\n".join([head, *rows])


def format_links(tallies: Mapping[str, Tally], options: argparse.Namespace) -> list[str]:
    """Return sentences with links to the lab, to a task across arms and to a page replayed from its DOM."""
    server = options.server.rstrip("/")
    lines = []
    across = [arms for tally in tallies.values() for arms in tally.by_task.values() if len(arms) > 1]
    if arms := next((arms for arms in across if BROWSER_ARM in arms), None):
        others = [rollout.episode for arm, rollout in sorted(arms.items()) if arm != BROWSER_ARM]
        numbers = ",".join(map(str, [*others, arms[BROWSER_ARM].episode]))
        lines.append(f"One task across arms, side by side: {server}/compare?episodes={numbers}")
    if rollouts := next((tally.fully_recorded for tally in tallies.values() if tally.fully_recorded), None):
        longest = max(rollouts, key=lambda rollout: rollout.steps)
        address = f"{server}/episodes/{longest.episode}/steps/{longest.steps}#dom"
        lines.append(f"A page as an agent saw it, replayed from its DOM: {address}")
        if options.with_pictures:
            lines.append("If the server has bubblewrap, it compares replays with screenshots within minutes.")
    return lines


def _choose_observation(options: argparse.Namespace) -> str:
    """Return the observation to play with; without screenshots, tasks with pictures are left out."""
    return "both" if options.with_pictures else "axtree"


def _choose_policies(
    solutions: Mapping[int, Solution], tasks: Sequence[Task], names: list[str]
) -> list[Policy]:
    known: list[Policy] = [Solver(solutions, tasks), Narrator(), Null(), VoidSeeker()]
    if not solutions:
        stderr_print("No golds were given (--golds FILE), so the solver is left out.")
        known = known[1:]
    return [policy for policy in known if not names or policy.name in names]


async def _choose_tasks(
    client: Client, solutions: Mapping[int, Solution], *, options: argparse.Namespace
) -> list[Task]:
    """Return tasks, taken from the benchmarks in turn; with ``solutions``, only tasks that have one."""
    present = {benchmark.id for benchmark in await client.benchmarks()}
    if not (await client.health()).has_sandbox:
        present.discard(PROGRAMS)
    by_benchmark = []
    for benchmark in filter(present.__contains__, BENCHMARKS):
        tasks = [
            task
            for task in await client.tasks(benchmark=benchmark, limit=TASKS_FETCHED)
            if task.gap_eligible and (not solutions or task.id in solutions)
            if options.with_pictures or not task.payload.get("pictures")
        ]
        # Official tasks come before the hand-written starter tasks, which only stand in for them.
        by_benchmark.append(sorted(tasks, key=lambda task: task.split == STARTER_SPLIT))
    mixed = [task for turn in zip_longest(*by_benchmark) for task in turn if task is not None]
    if not mixed:
        raise PalaestraError("The server has no tasks. Load a benchmark first (manage.py load_benchmark).")
    return [mixed[index % len(mixed)] for index in range(options.episodes)]


async def _play(
    engine: Engine, policy: Policy, tasks: Sequence[Task], *, options: argparse.Namespace, bar: tqdm[Any]
) -> Tally:
    run = await engine.client.run_create(
        name=f"demo: {policy.name}",
        kind="eval",
        model=f"scripted/{policy.name}",
        observation=get_format(_choose_observation(options)).id,
        simulated=policy.simulated,
    )
    tally = Tally()

    async def play(arm: str, chosen: Sequence[int], *, is_full: bool = False) -> None:
        def on_done(rollout: Rollout) -> None:
            tally.add(rollout, is_full=is_full)
            bar.set_postfix_str(policy.name, refresh=False)
            bar.update()

        recording: dict[str, Any] = {"recording": "full"} if is_full else {}
        # A task given twice in one call would become two groups, so repeated tasks go into separate calls.
        for ids in _split_rounds(chosen):
            await engine.rollout(run=run.id, tasks=ids, policy=policy, arm=arm, on_done=on_done, **recording)

    for arm, chosen in _split_by_arm(tasks).items():
        if arm != BROWSER_ARM:
            await play(arm, chosen)
            continue
        rest = [task for index, task in enumerate(chosen) if index % FULL_EVERY]
        await _run_together(play(arm, chosen[::FULL_EVERY], is_full=True), play(arm, rest))
    return tally


async def _run_together(*plays: Coroutine[Any, Any, None]) -> None:
    """Run all concurrently, so that no browser page idles; if one fails, cancel the others."""
    playing = [asyncio.ensure_future(play) for play in plays]
    try:
        await asyncio.gather(*playing)
    finally:
        await tasks_cancel(playing)


def _split_by_arm(tasks: Sequence[Task]) -> dict[str, list[int]]:
    """Assign task ids to arms; the browser arm comes last."""
    whole = sum(share for _, share in ARM_SHARES)
    counts = {arm: math.floor(len(tasks) * share / whole) for arm, share in ARM_SHARES if arm != BROWSER_ARM}
    counts[BROWSER_ARM] = len(tasks) - sum(counts.values())
    return {arm: [task.id for task in tasks[:count]] for arm, count in counts.items() if count}


def _split_rounds(ids: Sequence[int]) -> list[list[int]]:
    """Split ids into as few lists as possible, none of which contains an id twice."""
    counts = Counter(ids)
    return [[task for task in counts if counts[task] > number] for number in range(max(counts.values()))]
