"""``palaestra open``: print an address for any browser, and the verdict on the answer given there."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from palaestra.api import Client
from palaestra.commands import count, server_add, stderr_print
from palaestra.errors import PalaestraError
from palaestra.foreign import RUN_NAME, ForeignEpisode

# A person may take a long time, during which the lease is renewed.
WAIT_S = 24 * 3_600.0


def add(commands: Any) -> None:
    """Add this subcommand and its arguments."""
    parser = commands.add_parser("open", help="open an episode for another browser", description=__doc__)
    server_add(parser)
    parser.add_argument("task", nargs="?", type=count, help="id of a task")
    parser.add_argument("--benchmark", help="play this benchmark's first task, if no id is given")
    parser.add_argument("--run", type=count, help=f'id of a run; default: the newest "{RUN_NAME}"')
    parser.add_argument("--arm", default="gym")
    parser.add_argument("--max-steps", type=count, help="default: the task's")
    parser.add_argument("--recording", choices=["events", "full"], default="full")
    parser.add_argument("--wait", type=float, default=WAIT_S, help="seconds to wait for the verdict")
    parser.set_defaults(command=command, title="The episode")


def command(options: argparse.Namespace) -> int:
    """Print the episode's address, and then the verdict."""
    return asyncio.run(episode_open(options))


async def episode_open(options: argparse.Namespace) -> int:
    """Open an episode and wait for its verdict; return 0, or 1 if there is no verdict in time.

    Without a verdict, the episode is closed as ``agent_stopped``.
    """
    task = options.task or await find_first_task(options)
    budget = {} if options.max_steps is None else {"max_steps": options.max_steps}
    episode = ForeignEpisode(
        options.server,
        options.key,
        task=task,
        run=options.run,
        arm=options.arm,
        recording=options.recording,
        **budget,
    )
    async with episode:
        print(episode.start_url, flush=True)
        address = f"{options.server.rstrip('/')}/episodes/{episode.id}/"
        stderr_print(f"Episode {episode.id}, at most {episode.max_steps} steps: {address}")
        verdict = await episode.verdict(limit_s=options.wait)
    if verdict is None:
        stderr_print("No answer in time.")
        return 1
    print(verdict.outcome, verdict.reason)
    return 0


async def find_first_task(options: argparse.Namespace) -> int:
    """Return the id of a benchmark's first task. Raises ``PalaestraError`` if there is none."""
    if not options.benchmark:
        raise PalaestraError("Name a task by its id, or a --benchmark.")
    async with Client(options.server, options.key) as client:
        tasks = await client.tasks(benchmark=options.benchmark, limit=1)
    if not tasks:
        raise PalaestraError(f"The benchmark {options.benchmark} has no tasks here.")
    return tasks[0].id
