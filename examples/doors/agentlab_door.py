"""An AgentLab study on Palaestra's tasks."""

import asyncio
import os
import re
import tempfile
from dataclasses import dataclass
from typing import Any

from agentlab.agents.agent_args import AgentArgs
from agentlab.experiments.study import Study
from browsergym.experiments.agent import Agent, AgentInfo
from browsergym.utils.obs import flatten_axtree_to_str
from stand_in import PLAIN

from palaestra import Client
from palaestra.doors.agentlab import benchmark_make

server, key = os.environ["PALAESTRA_SERVER"], os.environ["PALAESTRA_KEY"]


class StandIn(Agent):
    """A stand-in for your agent, which types 162 into the only field of a plain page and submits it."""

    def obs_preprocessor(self, obs: dict[str, Any]) -> list[str]:
        return [flatten_axtree_to_str(obs["axtree_object"])]

    def get_action(self, obs: list[str]) -> tuple[str, AgentInfo]:
        field, button = (re.search(rf"\[(\w+)\] {role}(.*)", obs[0]) for role in ("textbox", "button"))
        if "162" in field[2]:
            return f"click('{button[1]}')", AgentInfo(think="I hand it in.")
        return f"fill('{field[1]}', '162')", AgentInfo(think="96 rolls less 15 are 81, at $2 each.")


@dataclass
class StandInArgs(AgentArgs):
    agent_name: str = "stand-in"

    def make_agent(self) -> Agent:
        return StandIn()


async def run_open() -> int:
    async with Client(server, key) as client:
        return (await client.run_create(name="AgentLab", kind="eval")).id


if __name__ == "__main__":
    benchmark = benchmark_make(
        server,
        run=asyncio.run(run_open()),
        benchmark="gsm8k",
        limit=1,
        samples=2,
        seed=1,
        opening={"presentation": PLAIN},
    )
    study = Study([StandInArgs()], benchmark)
    study.run(n_jobs=1, parallel_backend="sequential", exp_root=tempfile.mkdtemp())
    results, _, _ = study.get_results()
    print(results[["cum_reward", "terminated", "truncated", "err_msg"]].to_string())
