from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from byte_tokenizer import BEGIN
from samples import Seat, note
from script import KEY, OPENING, SEED, SERVER, Played, Scene, episodes_of, example_run, paid, recorded, same
from verl import DataProto
from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage
from verl.trainer.ppo.v1 import agent_loop_tq
from verl.workers.rollout.replica import TokenOutput
from verl_worker import Servers, batch_make, worker_make

from palaestra import Client, Env, PalaestraError
from palaestra.doors import verl as door
from palaestra.doors.verl import VoidEpisode, row

GIVE_UP = 'Action: {"type": "give_up"}'
RIGHT = 'Action: {"type": "answer", "text": "162"}'
VERSION = 5
Play = Callable[..., DataProto]


class Scripted(Servers):
    """Keeps what it was sent, and tells the version of its weights as verl's servers do."""

    def __init__(self, complete: Callable[[str], str], *, stop_reason: str = "completed") -> None:
        super().__init__(complete)
        self.seen: list[str] = []
        self._stop_reason = stop_reason

    async def generate(self, *, prompt_ids: list[int], **more: Any) -> TokenOutput:
        self.seen.append(self.tokenizer.decode(prompt_ids))
        written = await super().generate(prompt_ids=prompt_ids, **more)
        names = ("global_steps", "min_global_steps", "max_global_steps")
        versions = dict.fromkeys(names, VERSION + len(self.seen))
        return written.model_copy(update={"stop_reason": self._stop_reason, "extra_fields": versions})


def give_up(_: str) -> str:
    return GIVE_UP


@pytest.fixture
def play(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Samples of the task, by verl's own worker of agent loops."""
    monkeypatch.setattr(door, "derive_seed", lambda _: SEED)

    def played(
        servers: Servers,
        *overrides: str,
        samples: int = 1,
        opening: dict[str, Any] | None = None,
        **settings: Any,
    ) -> DataProto:
        named = {"server": SERVER, "run": scene.run, "settings": OPENING | (opening or {}), **settings}
        worker = worker_make(tmp_path, servers, *overrides, **named)
        return asyncio.run(worker.generate_sequences(batch_make(row(scene.task), samples=samples)))

    return played


async def versions_of(episode: int) -> list[int | None]:
    async with Client(SERVER, KEY) as client:
        return [step["policy_version"] for step in (await client.trajectory(episode))["steps"]]


def rewards_of(output: DataProto) -> list[float]:
    return output.batch["rm_scores"].sum(-1).tolist()


def test_a_script_leaves_the_same_record_as_through_the_client(play: Play, reference: Played) -> None:
    servers = Scripted(lambda shown: reference.texts[shown.count(f"{BEGIN}assistant") - 1])
    output = play(servers)
    tokenizer = servers.tokenizer
    assert rewards_of(output) == [reference.verdict.reward]
    assert servers.seen == [
        tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        for messages in reference.messages
    ]
    mask = output.batch["response_mask"][0].bool()
    written = tokenizer.decode(output.batch["responses"][0][mask], skip_special_tokens=True)
    assert written == "".join(reference.texts)
    assert output.batch["rollout_log_probs"][0][mask].unique().tolist() == [-1.0]
    assert output.batch["rollout_log_probs"][0][~mask].unique().tolist() in ([0.0], [])
    attended = output.batch["attention_mask"][0].bool()
    assert tokenizer.decode(output.batch["input_ids"][0][attended]).startswith(servers.seen[-1])
    [episode] = output.non_tensor_batch["episode"]
    same(asyncio.run(recorded(episode)), reference)


def test_a_profile_pays_and_rows_have_the_components(play: Play, reference: Played, profile: str) -> None:
    servers = Scripted(lambda shown: reference.texts[shown.count(f"{BEGIN}assistant") - 1])
    output = play(servers, opening={"reward_profile": profile})
    [episode] = output.non_tensor_batch["episode"]
    expected = asyncio.run(paid(episode, profile))
    assert rewards_of(output) == [pytest.approx(expected.total)] != [reference.verdict.reward]
    assert output.non_tensor_batch["reward_components"].tolist() == [expected.components]


def test_the_batch_holds_what_an_episode_of_the_table_is_paid(
    seat: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(shown: str) -> str:
        completion = seat.completion(shown.count(f"{BEGIN}assistant") - 1)
        if completion is None:
            raise RuntimeError("the server is gone")
        return completion

    monkeypatch.setattr(door, "derive_seed", lambda _: SEED)
    worker = worker_make(
        tmp_path, Scripted(answer), server=SERVER, run=seat.scene.run, settings=seat.settings
    )
    number: float | str
    try:
        output = asyncio.run(worker.generate_sequences(batch_make(row(seat.scene.task), samples=1)))
        [number], [held] = rewards_of(output), output.non_tensor_batch["reward_components"]
    except RuntimeError:
        number, held = "no row: the model's error", None
    except VoidEpisode as void:
        number, held = "no row: an error, with the parts", void.rewards and void.rewards.components
    expected = seat.paid()
    assert (None if isinstance(number, str) else number) == pytest.approx(expected.total)
    assert held == (None if seat.sample.is_void else expected.components)
    assert len(asyncio.run(episodes_of(seat.scene.run))) == 1, "what was played is not played again"
    note("verl", seat, number, held)


def test_turns_say_which_weights_wrote_them(play: Play) -> None:
    texts = iter(["I wait.", GIVE_UP])
    output = play(Scripted(lambda _: next(texts)))
    [episode] = output.non_tensor_batch["episode"]
    assert asyncio.run(versions_of(episode)) == [VERSION + 1, VERSION + 2]
    assert output.non_tensor_batch["min_global_steps"].tolist() == [VERSION + 1]
    assert output.non_tensor_batch["max_global_steps"].tolist() == [VERSION + 2]


def test_samples_of_one_prompt_are_one_group_and_are_compared(play: Play, scene: Scene) -> None:
    texts = iter([RIGHT, GIVE_UP, GIVE_UP])
    output = play(Scripted(lambda _: next(texts)), samples=3, opening={"answer_channel": "api"})
    assert sorted(rewards_of(output)) == [0.0, 0.0, 1.0]
    episodes = asyncio.run(episodes_of(scene.run))
    assert (len(episodes), len({episode.group for episode in episodes})) == (3, 1)
    mask = output.batch["response_mask"]
    advantages, _ = compute_grpo_outcome_advantage(
        output.batch["rm_scores"], mask, index=output.non_tensor_batch["uid"]
    )
    firsts = [advantages[place][mask[place].bool()][0] for place in np.argsort(rewards_of(output))]
    assert firsts[0] == firsts[1] < 0 < firsts[2]


def test_a_model_that_fails_is_void_and_no_zero(play: Play, scene: Scene) -> None:
    def fail(_: str) -> str:
        raise RuntimeError("the server is gone")

    with pytest.raises(RuntimeError, match="the server is gone"):
        play(Scripted(fail))
    [episode] = asyncio.run(episodes_of(scene.run))
    assert (episode.verdict.reward, episode.verdict.reason) == (None, "model_error")


class Queue:
    """In the place of the queue of verl's default trainer, which needs processes of its own."""

    def __init__(self) -> None:
        self.statuses: list[str] = []
        self.samples: list[tuple[dict[str, Any], Any]] = []

    def init(self) -> None: ...

    async def async_kv_put(self, *, tag: dict[str, Any], **_: Any) -> None:
        self.statuses.append(tag["status"])

    async def async_kv_batch_put(self, *, tags: list[dict[str, Any]], fields: Any, **_: Any) -> None:
        self.samples += [(tag, fields[place]) for place, tag in enumerate(tags)]


def test_the_default_trainers_worker_goes_on_without_a_void_sample(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([GIVE_UP, None, RIGHT])

    def answer(_: str) -> str:
        text = next(answers)
        if text is None:
            raise RuntimeError("one of three is not answered")
        return text

    queue, opening = Queue(), OPENING | {"answer_channel": "api"}
    monkeypatch.setattr(agent_loop_tq, "tq", queue)
    kind = agent_loop_tq.AgentLoopWorkerTQ.__ray_metadata__.modified_class
    named = {"server": SERVER, "run": scene.run, "settings": opening}
    worker = worker_make(tmp_path, Scripted(answer), kind=kind, **named)
    prompt = {
        **row(scene.task),
        "uid": "of a prompt",
        "index": 0,
        "__rollout_n__": 3,
        "global_steps": VERSION,
    }
    prompt["raw_prompt"] = prompt["prompt"]
    trajectory = {"step": VERSION, "sample_index": 0, "rollout_n": 0, "validate": False}
    asyncio.run(worker._run_prompt(prompt, {"logprobs": True}, trajectory=trajectory))
    assert queue.statuses == ["running", "failure"]
    assert sorted(float(sample["rm_scores"].sum()) for _, sample in queue.samples) == [0.0, 1.0]
    assert all(tag["min_global_steps"] == tag["max_global_steps"] > VERSION for tag, _ in queue.samples)
    episodes = asyncio.run(episodes_of(scene.run))
    assert len({episode.group for episode in episodes}) == 1
    assert sorted(str(episode.verdict.reward) for episode in episodes) == ["0.0", "1.0", "None"]


def test_a_void_is_played_again_in_its_group_and_never_a_number(
    play: Play, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_down(self: Env, _: Any) -> Any:
        return await self.stop("harness_error", "the power went")

    stepped = Env.step
    monkeypatch.setattr(Env, "step", break_down)
    with pytest.raises(VoidEpisode, match="harness_error"):
        play(Scripted(give_up), tries=2)

    async def break_down_once(self: Env, completion: Any) -> Any:
        monkeypatch.setattr(Env, "step", stepped)
        return await break_down(self, completion)

    monkeypatch.setattr(Env, "step", break_down_once)
    assert rewards_of(play(Scripted(give_up), tries=2)) == [0.0]
    episodes = asyncio.run(episodes_of(scene.run))
    assert [episode.verdict.reward for episode in episodes] == [None, None, None, 0.0]
    assert episodes[2].group == episodes[3].group


def test_what_verl_aborts_is_void(play: Play) -> None:
    with pytest.raises(VoidEpisode, match="model_error"):
        play(Scripted(give_up, stop_reason="aborted"), tries=1)


def test_what_does_not_fit_is_truncated_and_incorrect(play: Play) -> None:
    output = play(Scripted(lambda _: "and on and on"), turn_tokens=4)
    assert (rewards_of(output), output.non_tensor_batch["reason"]) == ([0.0], ["token_budget"])
    assert output.batch["response_mask"].sum() == 4
    output = play(Scripted(lambda _: "I wait."), "data.max_response_length=40")
    assert (rewards_of(output), output.non_tensor_batch["reason"]) == ([0.0], ["context_length"])
    servers = Scripted(give_up)
    output = play(servers, "data.max_prompt_length=40")
    assert (rewards_of(output), output.non_tensor_batch["reason"]) == ([0.0], ["context_length"])
    assert (servers.seen, output.batch["response_mask"].sum()) == ([], 0)


def test_other_histories_are_refused(play: Play) -> None:
    with pytest.raises(Exception, match="history must be full") as refused:
        play(Scripted(give_up), opening={"history": "last_k:1"})
    assert isinstance(refused.value.__cause__, PalaestraError)


def test_the_example_runs() -> None:
    printed = example_run("verl")
    assert "reward 1.0, advantage +0.50" in printed
    assert "reward 0.0, advantage -1.50" in printed
