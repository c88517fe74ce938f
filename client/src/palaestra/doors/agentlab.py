"""The door for AgentLab: ``benchmark_make`` makes a benchmark for a ``Study``.

``Study([agent_args], benchmark_make(server, run=run, benchmark="gsm8k", samples=4)).run(...)``
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from agentlab.benchmarks.abstract_env import AbstractBenchmark
from agentlab.experiments.loop import EnvArgs
from browsergym.experiments.benchmark import HighLevelActionSetArgs

from palaestra.doors.browsergym import format_name, task_register, tasks_read

ON_PAGE = ("bid", "nav", "infeas")
BY_MESSAGE = ("chat", *ON_PAGE)
SEED_MAX = 2**31


@dataclass
class PalaestraEnvArgs(EnvArgs):
    """A Palaestra task, from which any process can make an environment."""

    def make_env(self, action_mapping: Any, exp_dir: Any, *arguments: Any, **keywords: Any) -> Any:
        steps = {} if self.max_steps is None else {"max_steps": self.max_steps}
        self.task_kwargs: dict[str, Any] = {**(self.task_kwargs or {}), **steps}
        task_register(self.task_name, **self.task_kwargs)
        return super().make_env(action_mapping, exp_dir, *arguments, **keywords)


class PalaestraBenchmark(AbstractBenchmark):
    """A benchmark of Palaestra tasks, with the two fields that AgentLab's agents read."""

    is_multi_tab: bool = False
    high_level_action_set_args: Any = None


def benchmark_make(
    server: str,
    *,
    run: int,
    limit: int = 100,
    samples: int = 1,
    max_steps: int | None = None,
    seed: int | None = None,
    pre_observation_delay: float | None = None,
    opening: dict[str, Any] | None = None,
    **filters: Any,
) -> PalaestraBenchmark:
    """Return a benchmark of the tasks that match the filters (``benchmark``, ``split``, ``tag``, ``ids``).

    All ``samples`` of a task form one group of the run, in the look that ``seed`` draws. ``opening`` takes
    further keywords of ``PalaestraTask``; ``pre_observation_delay`` is AgentLab's setting. Raises
    ``PalaestraError`` if ``PALAESTRA_KEY`` holds no key.
    """
    drawn = uuid.uuid4().int % SEED_MAX if seed is None else seed
    opening = opening or {}
    common = {"server": server, "run": run, "round_": uuid.uuid4().hex, "look_seed": drawn, **opening}
    subsets = BY_MESSAGE if opening.get("answer_channel") == "api" else ON_PAGE
    return PalaestraBenchmark(
        name=f"palaestra_{filters.get('benchmark', 'tasks')}",
        high_level_action_set_args=HighLevelActionSetArgs(subsets=subsets),
        env_args_list=[
            PalaestraEnvArgs(
                task_name=format_name(task),
                task_seed=sample,
                max_steps=max_steps,
                pre_observation_delay=pre_observation_delay,
                task_kwargs={**common, "task": task.id, "sample": sample},
            )
            for task in tasks_read(server, limit=limit, **filters)
            for sample in range(samples)
        ],
    )
