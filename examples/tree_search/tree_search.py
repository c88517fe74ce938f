"""Comparison of tree search over forks with plain sampling, given the same number of actions.

    python examples/tree_search/tree_search.py http://127.0.0.1:8001 KEY total_price first_free_stretch

The arguments are the lab's URL, a key with the scopes `trainer` and `golds`, and families of the mock site
`stays`. The policy (`weak_policy.py`) is simulated, and the runs are marked as such. Pages are read without a
browser.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from search import Node, Rollout, Search, Settings
from weak_policy import WeakPolicy

from palaestra import Client, Env, Observation
from palaestra.records import Task

PAGE = 1_000
STEPS_MAX = 12


@dataclass
class Player:
    """A player that runs complete episodes of one task with the policy."""

    env: Env
    policy: WeakPolicy
    task: Task
    labels: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        self.labels = self.task.payload["fields"]

    async def start(self) -> Rollout:
        return await self._play(lambda: self.env.reset(self.task.id, seed=self.task.id))

    async def go_on(self, node: Node) -> Rollout:
        return await self._play(lambda: self.env.fork(node.episode, node.step))

    async def _play(self, begin: Callable[[], Awaitable[Observation]]) -> Rollout:
        observation = await begin()
        assert self.env.episode is not None
        opened, info, reward, is_over = self.env.episode.opened, {"step": 0}, None, False
        while not is_over:
            page = observation.text
            completion = self.policy.complete(page, task=self.task.id, labels=self.labels)
            observation, reward, terminated, truncated, info = await self.env.step(completion)
            is_over = terminated or truncated
        return Rollout(opened.id, opened.begins_after + 1, info["step"], reward)


@dataclass
class Result:
    """The result of one task: its rollouts' rewards in order, and the number of actions spent."""

    rewards: list[float] = field(default_factory=list)
    actions: int = 0


async def sample(player: Player, settings: Settings) -> Result:
    """Sample plainly, attempting the task from the beginning until the actions are spent."""
    result = Result()
    while result.actions < settings.actions:
        rollout = await player.start()
        result.actions += rollout.actions
        if rollout.reward is not None:
            result.rewards.append(rollout.reward)
    return result


async def search(client: Client, player: Player, settings: Settings) -> Result:
    """Search a tree that starts from a first attempt, and store the values with the episodes."""
    first = await player.start()
    if first.reward is None:
        return Result(actions=first.actions)
    tree = Search(Node(first.episode, 0), player.go_on, settings, spent=first.actions)
    tree.rewards.append(first.reward)
    tree.root.value, tree.root.visits = first.reward, 1
    await tree.run()
    for node in tree.root.walk():
        if node.visits:
            value = {"step": node.step, "value": node.mean, "visits": node.visits}
            await client.step_values_store(node.episode, [value])
    return Result(tree.rewards, tree.spent)


async def main(arguments: argparse.Namespace) -> None:
    settings = Settings(
        actions=arguments.actions,
        exploration=arguments.exploration,
        depth=arguments.depth,
        width=arguments.width,
        rollouts=arguments.rollouts,
    )
    async with Client(arguments.server, arguments.key) as client:
        tasks = await choose_tasks(client, arguments.families, count=arguments.tasks)
        golds = {
            gold["task"]: gold["answer"].split("|") async for gold in client.golds_export(benchmark="stays")
        }
        for way in ("sampling", "search"):
            run = await client.run_create(
                name=f"simulated {way}", kind="collect", simulated=True, settings={"browser": "lite"}
            )
            for family, of_family in tasks.items():
                results = []
                async with Env(
                    arguments.server, arguments.key, run=run.id, browser="lite", max_steps=STEPS_MAX
                ) as env:
                    answers = {task.id: golds[task.id] for task in of_family}
                    policy = WeakPolicy(answers, skill=arguments.skill, seed=f"{arguments.seed}/{family}")
                    for task in of_family:
                        player = Player(env, policy, task)
                        is_search = way == "search"
                        results.append(
                            await (
                                search(client, player, settings) if is_search else sample(player, settings)
                            )
                        )
                print(
                    json.dumps({"way": way, "family": family, "run": run.id, **summarise(results)}),
                    flush=True,
                )


async def choose_tasks(client: Client, families: Sequence[str], *, count: int) -> dict[str, list[Task]]:
    """Return the first ``count`` tasks of each family."""
    tasks = await client.tasks(benchmark="stays", limit=PAGE)
    return {
        family: [task for task in tasks if f"family:{family}" in task.tags][:count] for family in families
    }


def summarise(results: Sequence[Result]) -> dict[str, float]:
    """Count tasks, solved tasks, successes, rollouts and actions."""
    return {
        "tasks": len(results),
        "solved": sum(any(result.rewards) for result in results),
        "successes": int(sum(sum(result.rewards) for result in results)),
        "rollouts": sum(len(result.rewards) for result in results),
        "actions": sum(result.actions for result in results),
    }


def arguments_read() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server")
    parser.add_argument("key")
    parser.add_argument("families", nargs="+")
    parser.add_argument("--tasks", type=int, default=10)
    parser.add_argument("--actions", type=int, default=120, help="budget of actions per task and method")
    parser.add_argument("--skill", type=float, default=0.2, help="probability of entering a right value")
    parser.add_argument("--exploration", type=float, default=Settings.exploration)
    parser.add_argument("--depth", type=int, default=Settings.depth)
    parser.add_argument("--width", type=int, default=Settings.width)
    parser.add_argument("--rollouts", type=int, default=Settings.rollouts)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(arguments_read()))
