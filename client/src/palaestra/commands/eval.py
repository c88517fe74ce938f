"""``palaestra eval``: run a model on the same items in every arm; run the command again to continue.

At the end it prints the report's tables and address.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from palaestra.api import Client
from palaestra.commands import format_arms, playing_add, server_add, stderr_print
from palaestra.commands.plan import design_add, format_plan, plan_make
from palaestra.engine import TEXT_INFLIGHT, Engine
from palaestra.errors import PalaestraError
from palaestra.evaluation.cells import Cell, Series, cells_make
from palaestra.evaluation.items import items_read, pictures_check, tools_check
from palaestra.evaluation.plan import Plan, plan_read
from palaestra.evaluation.planted_gap import PREFIX, PlantedPolicy, planted_read
from palaestra.evaluation.player import Played, Player, played_read, verdicts_wait
from palaestra.evaluation.reports import (
    build_run_plans,
    report_compute,
    report_create,
    report_find,
    runs_find,
)
from palaestra.evaluation.silence import MeteredPolicy, play_until, silence_wait
from palaestra.evaluation.tables import format_tables
from palaestra.models.health import EndpointHealth
from palaestra.models.options import endpoint_add, endpoint_make
from palaestra.models.policy import ModelPolicy
from palaestra.observation import get_format
from palaestra.policies import Policy, solutions_read
from palaestra.protocol.arms import arm_of
from palaestra.protocol.outcomes import JUDGED
from palaestra.records import Report, Run, Task, UsageTotals
from palaestra.rollouts import Rollout
from palaestra.run.plan import RunPlan, run_create
from palaestra.run.report import PriceTable, prices_read

# The rate is unknown until the first episode has ended.
FIRST_BAR = "[{bar:20}] {n_fmt}/{total_fmt} episodes"
BAR = (
    "[{bar:20}] {n_fmt}/{total_fmt} episodes  {rate_noinv_fmt}, {remaining} left, ends {eta:%H:%M}  {postfix}"
)
SIMULATED = "Simulated: answers are drawn with a planted gap."


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser(
        "eval", help="play an analysis plan, and report the gap", description=__doc__, epilog=format_arms()
    )
    server_add(parser)
    endpoint_add(parser)
    parser.add_argument(
        "--plan",
        type=Path,
        help="a file written by `palaestra plan`; without it, give the plan by these options:",
    )
    design_add(parser)
    parser.add_argument("--golds", type=Path, help="golds export (NDJSON), for --planted")
    playing_add(parser)
    parser.set_defaults(command=command, title="The evaluation")


def command(options: argparse.Namespace) -> int:
    """Play the plan and print its report; return 1 if an episode broke, or none was judged.

    Raises ``PalaestraError`` for inconsistent arguments, or if the evaluation cannot be played.
    """
    if bool(options.planted) != bool(options.golds):
        raise PalaestraError("--planted FILE and --golds FILE go together: give both or neither.")
    if options.plan:
        _check_plan_alone(options)
    return asyncio.run(_eval(options))


def _check_plan_alone(options: argparse.Namespace) -> None:
    """Raise ``PalaestraError`` if arguments repeat or contradict what the plan's file contains."""
    design = argparse.ArgumentParser()
    design_add(design)
    stated = {**vars(design.parse_args([])), "model": options.model, "planted": options.planted}
    if others := [name for name, value in stated.items() if getattr(options, name) != value]:
        named = ", ".join(name.replace("_", "-") for name in others)
        raise PalaestraError(f"--plan contains the whole plan. Leave out {named}, or write another plan.")


def _model_check(options: argparse.Namespace, plan: Plan) -> None:
    """Raise ``PalaestraError`` if the arguments name a different model or planted gap than the plan."""
    stated = PREFIX + planted_read(options.planted).name if options.planted else options.model
    if stated not in (None, plan.model.name):
        raise PalaestraError(f"The plan is for {plan.model.name}, not for {stated}.")
    without_ids = (arm for arm in plan.planned_arms if not get_format(plan.find_observation(arm)).has_ids)
    if options.planted and (
        arm := next((planned for planned in without_ids if arm_of(planned.arm).has_page), None)
    ):
        raise PalaestraError(
            f"A planted gap is played by the ids of elements, and {arm} shows none: use som."
        )
    if stated is None and plan.model.name.startswith(PREFIX):
        raise PalaestraError(
            f"The plan is for the simulated policy {plan.model.name}: give its files (--planted, --golds)."
        )


async def _eval(options: argparse.Namespace) -> int:
    async with Client(options.server, options.key) as client:
        plan = plan_read(options.plan) if options.plan else await plan_make(client, options)
        await pictures_check(client, plan)
        await tools_check(client, plan)
        _model_check(options, plan)
        stderr_print(format_plan(plan))
        report, problems, judged = await evaluation_play(client, options, plan)
        stderr_print("Computing the report...")
        ready = await report_compute(client, report.id, stderr_print)
    print(format_tables((ready.result or {}).get("tables", ())))
    print(f"\n{ready.url}")
    if not judged:
        stderr_print("Nothing was judged.")
    return 1 if problems or not judged else 0


async def evaluation_play(
    client: Client, options: argparse.Namespace, plan: Plan
) -> tuple[Report, Counter[str], int]:
    """Play a plan's missing cells.

    Returns the report, the problems with their counts, and the number of judged episodes.
    """
    tasks = await items_read(client, [task for benchmark in plan.benchmarks for task in benchmark.task_ids])
    items = cells_make(plan, tasks)
    cells: dict[int, Cell] = {}
    async with policy_make(client, options, plan, tasks, cells) as policy:
        report, runs, played = await _prepare(client, options, plan, policy, items)
        async with Engine(client, pages=options.pages, time_limit_s=options.time_limit) as engine:
            inflight = options.pages + TEXT_INFLIGHT
            player = Player(engine, plan, runs, tasks, items, played, cells=cells, inflight=inflight)
            problems, judged = await _play(player, policy, options.prices)
        if waiting := await verdicts_wait(client, runs.values()):
            stderr_print(f"{waiting} answers have no verdict yet, so the report does not cover them.")
    return report, problems, judged


async def _prepare(
    client: Client, options: argparse.Namespace, plan: Plan, policy: Policy, items: Sequence[Sequence[Cell]]
) -> tuple[Report, dict[Series, Run], Played]:
    """Return the plan's report, its runs, and the cells already played.

    Missing reports and runs are created after a trial call to the model, so a wrong endpoint leaves no trace.
    """

    def build_plans(report: Report) -> dict[Series, RunPlan]:
        return build_run_plans(
            plan,
            report,
            model=policy.name,
            model_note=SIMULATED if policy.simulated else options.model_note,
            planted=policy.find_accuracy if isinstance(policy, PlantedPolicy) else None,
        )

    report = await report_find(client, plan)
    runs = await runs_find(client, build_plans(report)) if report else {}
    played = await played_read(client, runs, items)
    if isinstance(policy, ModelPolicy) and len(played.done) < sum(map(len, items)):
        await policy.try_once()
    report = report or await report_create(client, plan)
    stderr_print(f'Report {report.id} "{plan.name}", plan {report.plan_sha256}: {report.url}')
    plans = build_plans(report)
    runs = {
        series: runs.get(series) or await run_create(client, missing) for series, missing in plans.items()
    }
    return report, runs, played


@asynccontextmanager
async def policy_make(
    client: Client, options: argparse.Namespace, plan: Plan, tasks: dict[int, Task], cells: dict[int, Cell]
) -> AsyncIterator[Policy]:
    """Yield the policy that the plan names, which is a model or a simulated policy with a planted gap."""
    if options.planted:
        yield PlantedPolicy(
            planted_read(options.planted),
            solutions=solutions_read(options.golds),
            tasks=tasks,
            looks=plan.all_looks,
            cells=cells,
        )
        return
    options.base_url = options.base_url or plan.model.base_url
    async with endpoint_make(options) as endpoint:
        yield ModelPolicy(endpoint, client, model=plan.model.name, sampling=plan.model.sampling)


async def _play(player: Player, policy: Policy, table: Path | None) -> tuple[Counter[str], int]:
    """Play with a progress bar; return the problems with their counts, and the number of judged episodes."""
    cost = _make_cost_format(prices_read(table) if table else None, policy.name)
    metered, outcomes, problems = MeteredPolicy(policy), Counter[str](), Counter[str]()
    with tqdm(
        total=sum(map(len, player.items)),
        initial=len(player.played.done),
        bar_format=FIRST_BAR,
        ascii=".#",
        unit="",
        mininterval=0.1 if sys.stderr.isatty() else 5.0,
    ) as bar:

        def on_done(rollout: Rollout) -> None:
            outcomes[rollout.outcome] += 1
            problems[rollout.problem] += bool(rollout.problem)
            bar.bar_format = BAR
            bar.set_postfix_str(_format_postfix(outcomes, metered.usage, cost), refresh=False)
            bar.update()

        health = policy.health if isinstance(policy, ModelPolicy) else EndpointHealth()
        silence = silence_wait(metered, health, lambda line: bar.write(line, file=sys.stderr))
        await play_until(silence, player.play(metered, on_done))
    judged = len(player.played.done) + sum(outcomes[name] for name in (*JUDGED, "missing"))
    return +problems, judged


def _make_cost_format(prices: PriceTable | None, model: str) -> Callable[[UsageTotals], str]:
    price = prices.models.get(model) if prices else None
    if prices is None or price is None:
        return lambda _: ""
    return lambda usage: f", {price.compute_cost(usage):,.2f} {prices.currency}"


def _format_postfix(outcomes: Counter[str], usage: UsageTotals, cost: Callable[[UsageTotals], str]) -> str:
    void = f"{outcomes['void']} void" if outcomes["void"] else ""
    tokens = (
        f"{usage.prompt:,} tokens read, {usage.completion:,} written{cost(usage)}" if usage.prompt else ""
    )
    return ", ".join(filter(None, (tokens, void)))
