"""``palaestra run``: run a model on a benchmark; run the command again to continue an interrupted run."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tqdm import tqdm

from palaestra.api import Client
from palaestra.commands import count, format_arms, playing_add, server_add, setup_add, stderr_print
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.evaluation.silence import MeteredPolicy, play_until, silence_wait
from palaestra.models.options import build_sampling, endpoint_add, endpoint_make
from palaestra.models.policy import ModelPolicy
from palaestra.pages.surface import BROWSERS
from palaestra.protocol.arms import ARMS
from palaestra.protocol.outcomes import JUDGED
from palaestra.records import Run
from palaestra.rollouts import Rollout
from palaestra.run.plan import (
    PLAIN,
    SEED,
    Progress,
    RunPlan,
    episodes_list,
    progress_read,
    run_create,
    run_find,
)
from palaestra.run.report import PriceTable, prices_read, report_read

BAR = "[{bar:24}] {n_fmt}/{total_fmt} episodes  {rate_noinv_fmt}, {remaining} left  {postfix}"


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser(
        "run", help="run a model on a benchmark", description=__doc__, epilog=format_arms()
    )
    server_add(parser)
    endpoint_add(parser)
    parser.add_argument("--model", required=True, help="the model's id at its endpoint")
    parser.add_argument("--benchmark", required=True, help="one that `palaestra benchmarks` lists")
    parser.add_argument("--split", help="default: all")
    parser.add_argument(
        "--arm", choices=sorted(ARMS), default="gym", help="how tasks are presented; see below"
    )
    setup_add(parser)
    parser.add_argument("--limit", type=count, help="number of tasks, from the first; default: all")
    parser.add_argument("--samples", type=count, default=1, help="episodes per task; default: 1")
    parser.add_argument("--name", default="", help="name of the run; default: derived from its settings")
    parser.add_argument("--tag", dest="tags", action="append", default=[], help="tag of the run (repeatable)")
    parser.add_argument(
        "--prompt-token-budget", type=count, help="most tokens that the model may read in an episode"
    )
    parser.add_argument(
        "--with-pictures", action="store_true", help="record a screenshot of the page with every step"
    )
    parser.add_argument(
        "--browser", choices=BROWSERS, default="chromium", help="lite reads pages without a browser"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of looks and worlds; default: {SEED}")
    playing_add(parser)
    parser.set_defaults(command=command, title="The run")


def command(options: argparse.Namespace) -> int:
    """Play the run and print its report; return 1 if an episode broke, or none was judged."""
    prices = prices_read(options.prices) if options.prices else None
    return asyncio.run(run_play(options, build_plan(options), prices))


def build_plan(options: argparse.Namespace) -> RunPlan:
    """Build the run plan that the arguments define."""
    stated = vars(options)
    config, plan = (
        {field.name: stated[field.name] for field in fields(kind) if field.name in stated}
        for kind in (EpisodeConfig, RunPlan)
    )
    return RunPlan(config=EpisodeConfig(**config), sampling=build_sampling(options), **plan)


async def run_play(options: argparse.Namespace, plan: RunPlan, prices: PriceTable | None) -> int:
    """Play the missing episodes of a plan, and return the exit status."""
    async with Client(options.server, options.key) as client, endpoint_make(options) as endpoint:
        run = await run_find(client, plan)
        progress = await progress_read(client, plan, run)
        if progress.left_out:
            stderr_print(f"{progress.left_out} tasks are skipped, because they cannot be perceived this way.")
        policy = ModelPolicy(endpoint, client, model=plan.model, sampling=plan.sampling)
        if progress.unfinished or progress.count_missing:
            stderr_print(f"Trying one call of {plan.model} at {endpoint.address} ...")
            await policy.try_once()
        run = run or await run_create(client, plan)
        address = f"{options.server.rstrip('/')}/runs/{run.id}/"
        stderr_print(f'Run {run.id} "{run.name}": {address}')
        engine = Engine(
            client,
            pages=options.pages,
            config=plan.config,
            time_limit_s=options.time_limit,
            browser=plan.browser,
        )
        async with engine:
            problems = await play(engine, run, plan, progress, policy)
        states = await episodes_list(client, run.id, origin=PLAIN)
        report = await report_read(client, run.id, states, model=plan.model, prices=prices)
        print(report.format_table())
        print(address)
    return 1 if problems or not report.answers else 0


async def play(
    engine: Engine, run: Run, plan: RunPlan, progress: Progress, policy: ModelPolicy
) -> Counter[str]:
    """Play the missing episodes with a progress bar, and return the problems with their counts.

    Raises ``PalaestraError`` if the model no longer answers.
    """
    outcomes, problems = Counter[str](), Counter[str]()
    outcomes.update(state.verdict.outcome for state in progress.judged if state.verdict)
    total = len(progress.judged) + len(progress.unfinished) + progress.count_missing
    every_s = 0.1 if sys.stderr.isatty() else 5.0
    bar = tqdm(
        total=total, initial=len(progress.judged), bar_format=BAR, ascii=".#", unit="", mininterval=every_s
    )

    def on_done(rollout: Rollout) -> None:
        outcomes[rollout.outcome] += 1
        problems[rollout.problem] += bool(rollout.problem)
        judged = sum(outcomes[name] for name in JUDGED)
        void = f", {outcomes['void']} void" if outcomes["void"] else ""
        bar.set_postfix_str(f"{outcomes['correct']} of {judged} correct{void}", refresh=False)
        bar.update()

    metered = MeteredPolicy(policy)
    with bar:
        silence = silence_wait(metered, policy.health, lambda line: bar.write(line, file=sys.stderr))
        playing = _play_missing(engine, progress, plan.opening, run=run.id, policy=metered, on_done=on_done)
        await play_until(silence, playing)
    return +problems


async def _play_missing(
    engine: Engine, progress: Progress, opening: Mapping[str, Any], **playing: Any
) -> None:
    """Resume interrupted episodes and open the missing ones; ``playing`` is the run, policy and callback."""
    interrupted = [state for state in progress.unfinished if state.status == "open"]
    await engine.resume(interrupted=interrupted, **playing)
    for samples in sorted(set(progress.missing.values())):
        tasks = [task for task, missing in progress.missing.items() if missing == samples]
        await engine.rollout(tasks=tasks, samples_per_task=samples, **opening, **playing)
