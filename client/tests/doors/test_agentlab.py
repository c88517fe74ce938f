"""Studies of AgentLab's over Palaestra, run by AgentLab itself, with agents that need no model."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chromium_link import chromium_link
from script import BENCHMARK, GOLD, KEY, OPENING, SERVER, episodes_of, example_run, scene_make

from palaestra.doors.loop_thread import run_blocking

# AgentLab imports WebArena's package, which downloads data: see there.
OFFLINE = str(Path(__file__).parent / "offline")
sys.path.insert(0, OFFLINE)
os.environ |= {
    "PALAESTRA_KEY": KEY,
    "PLAYWRIGHT_BROWSERS_PATH": chromium_link(),
    "PYTHONPATH": OFFLINE,  # of the example
}

from agentlab.agents.agent_args import AgentArgs  # noqa: E402
from agentlab.experiments.study import Study  # noqa: E402
from browsergym.core.action.highlevel import HighLevelActionSet  # noqa: E402
from browsergym.experiments.agent import Agent, AgentInfo  # noqa: E402
from browsergym.utils.obs import flatten_axtree_to_str  # noqa: E402

from palaestra.doors.agentlab import benchmark_make  # noqa: E402


class Script(Agent):
    action_set = HighLevelActionSet(retry_with_force=True)

    def __init__(self, manner: str) -> None:
        self._manner = manner

    def obs_preprocessor(self, obs: dict[str, Any]) -> list[str]:
        return [flatten_axtree_to_str(obs["axtree_object"])]

    def get_action(self, obs: list[str]) -> tuple[str | None, AgentInfo]:
        if self._manner == "fails":
            raise RuntimeError("the model is gone")
        if self._manner == "stops":
            return None, AgentInfo(think="I stop.")
        field, button = (re.search(rf"\[(\w+)\] {role}(.*)", obs[0]) for role in ("textbox", "button"))
        if GOLD in field[2]:
            return f"click('{button[1]}')", AgentInfo(think="I hand it in.")
        return f"fill('{field[1]}', '{GOLD}')", AgentInfo(think="81 rolls at $2 each.")


@dataclass
class ScriptArgs(AgentArgs):
    agent_name: str = "script"
    manner: str = "answers"

    def make_agent(self) -> Agent:
        return Script(self.manner)


@pytest.mark.parametrize(
    ("manner", "rewards", "verdict"),
    [
        ("answers", [1.0, 1.0], ("correct", "answer")),
        ("stops", [0.0, 0.0], ("incorrect", "no_submission")),
        ("fails", [0.0, 0.0], ("void", "cancelled")),
    ],
)
def test_a_study_is_one_group_and_its_verdicts_are_recorded(
    manner: str, rewards: list[float], verdict: tuple[str, str], tmp_path: Path
) -> None:
    scene = run_blocking(scene_make(f"doors: AgentLab, {manner}"))
    benchmark = benchmark_make(
        SERVER, run=scene.run, benchmark=BENCHMARK, ids=[scene.task], samples=2, max_steps=4, opening=OPENING
    )
    study = Study([ScriptArgs(manner=manner)], benchmark)
    study.run(n_jobs=1, parallel_backend="sequential", n_relaunch=1, exp_root=tmp_path)
    results, _, _ = study.get_results()
    assert results["cum_reward"].tolist() == rewards
    assert [bool(problem) for problem in results["err_msg"]] == [manner == "fails"] * 2
    episodes = run_blocking(episodes_of(scene.run))
    assert [(one.verdict.outcome, one.verdict.reason) for one in episodes] == [verdict] * 2
    assert [one.sample_index for one in episodes] == [0, 1]
    assert len({one.group for one in episodes}) == 1
    assert not any(KEY in path.read_text(errors="replace") for path in tmp_path.rglob("*.json"))


def test_the_example_runs() -> None:
    assert example_run("agentlab").count("1.0        True      False") == 2
