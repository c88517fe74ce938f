from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from fake_stream import Answer, Messages, endpoint
from samples import Seat, note
from script import KEY, OPENING, SEED, SERVER, Played, Scene, episodes_of, example_run, paid, recorded, same


def evaluate(
    scene: Scene, answer: Answer, folder: Path, *options: str, **settings: Any
) -> list[dict[str, Any]]:
    """`vf-eval` itself; returns its traces."""
    with endpoint(answer) as address:
        config = {
            "model": "m",
            "client": {"base_url": address, "api_key_var": "PALAESTRA_KEY"},
            "env": {
                "taskset": {"id": "palaestra_vf", "server": SERVER, "ids": [scene.task]},
                "run": scene.run,
                "seed": SEED,
                "settings": OPENING | settings,
            },
        }
        path = folder / "eval.json"
        path.write_text(json.dumps(config))
        program = str(Path(sys.executable).with_name("vf-eval"))
        command = [program, "@", str(path), "--no-push", "--no-rich", "--output-dir", str(folder), *options]
        tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # uv is beside this Python
        done = subprocess.run(
            command,
            env={**os.environ, "PALAESTRA_KEY": KEY, "PATH": tools},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    [traces] = folder.rglob("traces.jsonl")
    text = traces.read_text()
    assert text, done.stdout + done.stderr
    return [json.loads(line) for line in text.splitlines()]


def scripted(texts: list[str], seen: list[Messages]) -> Answer:
    def answer(messages: Messages) -> str:
        seen.append(messages)
        return texts[sum(message["role"] == "assistant" for message in messages)]

    return answer


def rewards_of(record: Any) -> list[float]:
    """The rewards anywhere in a record of verifiers'."""
    if isinstance(record, list):
        return [reward for part in record for reward in rewards_of(part)]
    if not isinstance(record, dict):
        return []
    here = [reward["score"] for reward in (record.get("rewards") or {}).values()]
    return here + [reward for part in record.values() for reward in rewards_of(part)]


def metrics_of(record: Any) -> dict[str, float]:
    """Likewise the metrics."""
    if isinstance(record, list):
        return {name: value for part in record for name, value in metrics_of(part).items()}
    if not isinstance(record, dict):
        return {}
    here = record.get("metrics") or {}
    return {**here, **{n: v for part in record.values() for n, v in metrics_of(part).items()}}


def test_a_script_leaves_the_same_record_as_through_the_client(
    scene: Scene, reference: Played, tmp_path: Path
) -> None:
    seen: list[Messages] = []
    records = evaluate(scene, scripted(reference.texts, seen), tmp_path)
    [episode] = asyncio.run(episodes_of(scene.run))
    assert rewards_of(records) == [reference.verdict.reward]
    sent = [[(message["role"], message["content"]) for message in turn] for turn in seen]
    assert sent == [
        [(message["role"], message["content"]) for message in turn] for turn in reference.messages
    ]
    same(asyncio.run(recorded(episode.id)), reference)


def test_a_profile_pays_and_components_are_metrics(
    scene: Scene, reference: Played, profile: str, tmp_path: Path
) -> None:
    records = evaluate(scene, scripted(reference.texts, []), tmp_path, reward_profile=profile)
    [episode] = asyncio.run(episodes_of(scene.run))
    expected = asyncio.run(paid(episode.id, profile))
    assert rewards_of(records) == [expected.total]
    assert expected.total != reference.verdict.reward
    assert metrics_of(records) == expected.components


def test_the_trace_holds_what_an_episode_of_the_table_is_paid(seat: Seat, tmp_path: Path) -> None:
    def answer(messages: Messages) -> str | None:
        return seat.completion(sum(message["role"] == "assistant" for message in messages))

    records = evaluate(seat.scene, answer, tmp_path, **seat.settings)
    expected, rewards = seat.paid(), rewards_of(records)
    assert rewards == ([] if expected.total is None else [expected.total])
    held = metrics_of(records)
    assert held == {name: value for name, value in expected.components.items() if value is not None}
    note("verifiers", seat, rewards[0] if rewards else "no reward: the episode has failed", held)


def test_rollouts_are_one_group(scene: Scene, tmp_path: Path) -> None:
    records = evaluate(scene, lambda _: 'Action: {"type": "give_up"}', tmp_path, "-r", "3")
    episodes = asyncio.run(episodes_of(scene.run))
    assert rewards_of(records) == [0.0] * 3
    assert (len(episodes), len({episode.group for episode in episodes})) == (3, 1)


def test_a_model_that_fails_is_void_and_no_zero(scene: Scene, tmp_path: Path) -> None:
    records = evaluate(scene, lambda _: None, tmp_path)
    episodes = asyncio.run(episodes_of(scene.run))
    assert {(one.verdict.reward, one.verdict.reason) for one in episodes} == {(None, "model_error")}
    assert rewards_of(records) == []


def test_a_limit_of_the_framework_truncates(scene: Scene, tmp_path: Path) -> None:
    evaluate(scene, lambda _: 'Action: {"type": "noop"}', tmp_path, "--env.player.max-turns", "2")
    [episode] = asyncio.run(episodes_of(scene.run))
    assert (episode.verdict.reason, episode.verdict.truncated) == ("time_budget", True)


def test_the_example_runs() -> None:
    assert example_run("verifiers").endswith("correct 1.0 answer\n")
