"""The demonstration: scripted policies over real questions, so that the lab has something to show."""

from __future__ import annotations

import asyncio
import math
import sys
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from palaestra.api import Client
from palaestra.engine import DEFAULT_PAGES, Engine, Rollout
from palaestra.episode import Manner
from palaestra.errors import PalaestraError
from palaestra.observation import RECORDED_KIND, Kind
from palaestra.policies import Narrator, Null, Policy, Solver, VoidSeeker, solutions_read
from palaestra.policies.solver import Solution
from palaestra.progress import Progress
from palaestra.records import Task

# One of each kind of page; those that the server has not are left out.
BENCHMARKS = ("gsm8k", "mmlu", "math", "chartqa", "wikitable", "mbpp")
BROWSER_ARM = "gym"
# Out of six episodes of a policy four are played in the browser, and one in each of the text arms. All arms
# begin with the same items, so that one can be seen across arms.
ARM_SHARES = ((BROWSER_ARM, 4), ("text_agent", 1), ("text_zero_shot", 1))
PROGRAMS = "mbpp"
# Of so many episodes of a policy in the browser one is recorded in full: the lab can replay its pages.
FULL_EVERY = 4
TASKS_ASKED = 200
STARTER_SPLIT = "starter"


@dataclass(frozen=True, kw_only=True)
class DemoPlan:
    """How large a demonstration is. ``episodes`` counts those of each policy."""

    server: str
    key: str
    golds: Path | None = None
    episodes: int = 12
    pages: int = DEFAULT_PAGES
    policies: Sequence[str] = ()
    with_pictures: bool = True


@dataclass
class Tally:
    """What became of one policy's episodes."""

    outcomes: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    in_full: list[Rollout] = field(default_factory=list)
    by_task: dict[int, dict[str, Rollout]] = field(default_factory=dict)

    def add(self, done: Rollout, *, is_full: bool = False) -> None:
        self.outcomes[done.outcome] += 1
        if done.problem:
            self.problems.append(f"episode {done.episode}: {done.problem}")
            return
        self.by_task.setdefault(done.task, {}).setdefault(done.arm, done)
        if is_full and done.steps:
            self.in_full.append(done)


async def demo_run(plan: DemoPlan) -> dict[str, Tally]:
    """Play the demonstration; what became of it, by policy. Raises ``PalaestraError``."""
    solutions = solutions_read(plan.golds) if plan.golds else {}
    async with Client(plan.server, plan.key) as client:
        tasks = await _tasks(client, solutions, plan=plan)
        policies = _policies(solutions, tasks, wanted=plan.policies)
        progress = Progress(len(policies) * plan.episodes, what="episodes")
        manner = Manner(observation=_kind(plan), with_pictures=plan.with_pictures)
        async with Engine(client, pages=plan.pages, manner=manner) as engine:
            return {
                policy.name: await _play(engine, policy, tasks, plan=plan, progress=progress)
                for policy in policies
            }


def table(tallies: Mapping[str, Tally]) -> str:
    """Results by policy as text."""
    head = f"{'policy (simulated)':<20}{'n':>6}{'correct':>10}{'incorrect':>11}{'void':>7}{'missing':>9}"
    rows = [
        f"{name:<20}{sum(tally.outcomes.values()):>6}{tally.outcomes['correct']:>10}"
        f"{tally.outcomes['incorrect']:>11}{tally.outcomes['void']:>7}{tally.outcomes['missing']:>9}"
        for name, tally in tallies.items()
    ]
    return "\n".join([head, *rows])


def replay_address(tallies: Mapping[str, Tally], *, server: str) -> str:
    """Where the lab replays the DOM of an episode's last step; empty when none was recorded in full."""
    found = next((tally.in_full for tally in tallies.values() if tally.in_full), [])
    if not found:
        return ""
    longest = max(found, key=lambda rollout: rollout.steps)
    return f"{server.rstrip('/')}/episodes/{longest.episode}/steps/{longest.steps}#dom"


def arms_address(tallies: Mapping[str, Tally], *, server: str) -> str:
    """Where the lab shows one item across arms; empty when none was played in the browser and another."""
    for tally in tallies.values():
        for arms in tally.by_task.values():
            if BROWSER_ARM in arms and len(arms) > 1:
                others = [rollout.episode for arm, rollout in sorted(arms.items()) if arm != BROWSER_ARM]
                numbers = ",".join(map(str, [*others, arms[BROWSER_ARM].episode]))
                return f"{server.rstrip('/')}/compare?episodes={numbers}"
    return ""


def _kind(plan: DemoPlan) -> Kind:
    """Without screenshots nothing with a picture can be perceived, and such tasks stay out."""
    return "both" if plan.with_pictures else "axtree"


def _policies(
    solutions: Mapping[int, Solution], tasks: Sequence[Task], *, wanted: Sequence[str]
) -> list[Policy]:
    known: list[Policy] = [Solver(solutions, tasks), Narrator(), Null(), VoidSeeker()]
    if not solutions:
        print("No golds were given (--golds FILE), so the solver stays out.", file=sys.stderr)
        known = known[1:]
    return [policy for policy in known if not wanted or policy.name in wanted]


async def _tasks(client: Client, solutions: Mapping[int, Solution], *, plan: DemoPlan) -> list[Task]:
    """Tasks of the demonstration's benchmarks in turn, those with a solution where there are solutions."""
    present = {benchmark.id for benchmark in await client.benchmarks()}
    if not (await client.health()).has_sandbox:
        present.discard(PROGRAMS)
    found = [
        _imported_first(
            [
                task
                for task in await client.tasks(benchmark=benchmark, limit=TASKS_ASKED)
                if task.gap_eligible and (not solutions or task.id in solutions)
                if plan.with_pictures or not task.payload.get("pictures")
            ]
        )
        for benchmark in BENCHMARKS
        if benchmark in present
    ]
    mixed = [task for turn in zip_longest(*found) for task in turn if task is not None]
    if not mixed:
        raise PalaestraError("The server has no tasks: load a benchmark first (manage.py load_benchmark).")
    return [mixed[index % len(mixed)] for index in range(plan.episodes)]


def _imported_first(tasks: Sequence[Task]) -> list[Task]:
    """The official items where there are any; the hand-written starters only stand in for them."""
    return sorted(tasks, key=lambda task: task.split == STARTER_SPLIT)


async def _play(
    engine: Engine, policy: Policy, tasks: Sequence[Task], *, plan: DemoPlan, progress: Progress
) -> Tally:
    run = await engine.client.run_create(
        name=f"demo: {policy.name}",
        kind="eval",
        model=f"scripted/{policy.name}",
        observation=RECORDED_KIND[_kind(plan)],
        simulated=policy.simulated,
    )
    tally = Tally()

    async def rounds(arm: str, chosen: Sequence[int], *, is_full: bool = False) -> None:
        def done(rollout: Rollout) -> None:
            tally.add(rollout, is_full=is_full)
            progress.advance(note=policy.name)

        recording: dict[str, Any] = {"recording": "full"} if is_full else {}
        # The same task twice in one call would be one group too many: samples are opened round by round.
        for ids in _rounds(chosen):
            await engine.rollout(run=run.id, tasks=ids, policy=policy, arm=arm, on_done=done, **recording)

    for arm, chosen in _shares(tasks).items():
        if arm != BROWSER_ARM:
            await rounds(arm, chosen)
            continue
        rest = [task for place, task in enumerate(chosen) if place % FULL_EVERY]
        await _together(rounds(arm, chosen[::FULL_EVERY], is_full=True), rounds(arm, rest))
    return tally


async def _together(*jobs: Coroutine[Any, Any, None]) -> None:
    """All at once, so that no browser page waits; when one fails the others end too."""
    running = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.gather(*running)
    finally:
        for job in running:
            job.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _shares(tasks: Sequence[Task]) -> dict[str, list[int]]:
    """Tasks by arm, the browser's last. All arms begin with the same ones."""
    whole = sum(share for _, share in ARM_SHARES)
    counts = {arm: math.floor(len(tasks) * share / whole) for arm, share in ARM_SHARES if arm != BROWSER_ARM}
    counts[BROWSER_ARM] = len(tasks) - sum(counts.values())
    return {arm: [task.id for task in tasks[:count]] for arm, count in counts.items() if count}


def _rounds(ids: Sequence[int]) -> list[list[int]]:
    rounds: list[list[int]] = []
    for task in ids:
        place = next((part for part in rounds if task not in part), None)
        if place is None:
            rounds.append([task])
        else:
            place.append(task)
    return rounds
