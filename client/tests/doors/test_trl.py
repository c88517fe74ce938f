from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from samples import PARTS, Seat, note
from script import KEY, SEED, SERVER, Played, Scene, episodes_of, example_run, paid, recorded, same
from tiny_model import BEGIN, CHATML, END, model_make, tokenizer_make
from transformers import AddedToken
from trl import GRPOConfig, GRPOTrainer

from palaestra import Client, Completion, PalaestraError
from palaestra.doors import trl as door
from palaestra.doors.tokens import tokens_text
from palaestra.doors.trl import GroupRollouts, component, verdict
from palaestra.policies.base import PolicyStopped

SAMPLES = 4
GIVE_UP = 'Action: {"type": "give_up"}'
Trained = Callable[..., tuple[GroupRollouts, GRPOTrainer]]


@pytest.fixture
def trained(scene: Scene, place: dict[str, list[str]], tmp_path: Path) -> Iterator[Trained]:
    """A trainer whose model's place is taken by ``generate``."""
    made: list[GroupRollouts] = []

    def make(
        generate: Any, *, opening: dict[str, Any] | None = None, **options: Any
    ) -> tuple[GroupRollouts, GRPOTrainer]:
        keywords = {**scene.env, **place, **(opening or {})}
        rollouts = GroupRollouts(seed=SEED, generate=generate, pages=2, **keywords)
        made.append(rollouts)
        return rollouts, trainer_make(rollouts, scene, tmp_path, verdict, **options)

    yield make
    for rollouts in made:
        rollouts.close()


def trainer_make(
    rollouts: GroupRollouts,
    scene: Scene,
    folder: Path,
    reward_funcs: Any,
    *,
    num_generations: int = SAMPLES,
    **options: Any,
) -> GRPOTrainer:
    """A trainer of a tiny model on the scene's task."""
    tokenizer = tokenizer_make()
    config = GRPOConfig(
        output_dir=str(folder),
        use_cpu=True,
        num_generations=num_generations,
        per_device_train_batch_size=num_generations,
        max_completion_length=32,
        report_to="none",
        save_strategy="no",
        logging_steps=1,
        **options,
    )
    return GRPOTrainer(
        model=model_make(tokenizer),
        args=config,
        processing_class=tokenizer,
        train_dataset=rollouts.dataset([scene.task]),
        rollout_func=rollouts,
        reward_funcs=reward_funcs,
    )


def null_of(number: float) -> float | None:
    """None as TRL stores it."""
    return None if math.isnan(number) else number


def scripted(texts: list[str], seen: list[str] | None = None) -> Any:
    """Generation by a script, by how many turns a conversation has had."""

    def generate(prompts: list[list[int]], trainer: GRPOTrainer) -> Any:
        tokenizer = trainer.processing_class
        shown = [tokenizer.decode(ids) for ids in prompts]
        if seen is not None:
            seen.extend(shown)
        written = [texts[text.count(f"{BEGIN}assistant") - 1] for text in shown]
        return [[*tokenizer.encode(text), tokenizer.eos_token_id] for text in written], None

    return generate


def test_a_script_leaves_the_same_record_as_through_the_client(
    trained: Trained, scene: Scene, reference: Played
) -> None:
    seen: list[str] = []
    rollouts, trainer = trained(scripted(reference.texts, seen))
    [prompt] = rollouts.dataset([scene.task])["prompt"]
    output = rollouts([prompt], trainer)
    tokenizer = trainer.processing_class
    assert output["reward"] == [reference.verdict.reward]
    assert seen == [
        tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        for messages in reference.messages
    ]
    pairs = list(zip(output["completion_ids"][0], output["env_mask"][0], strict=True))
    written = tokenizer.decode([token for token, mark in pairs if mark], skip_special_tokens=True)
    assert written == "".join(reference.texts)
    assert tokenizer.decode(output["prompt_ids"][0] + output["completion_ids"][0]).startswith(seen[-1])
    [episode] = output["episode"]
    same(asyncio.run(recorded(episode)), reference)


def test_a_profile_pays_in_all_and_by_component(
    trained: Trained, scene: Scene, reference: Played, profile: str
) -> None:
    rollouts, trainer = trained(scripted(reference.texts), opening={"reward_profile": profile})
    [prompt] = rollouts.dataset([scene.task])["prompt"]
    output = rollouts([prompt], trainer)
    expected = asyncio.run(paid(output["episode"][0], profile))
    assert output["reward"] == [expected.total] != [reference.verdict.reward]
    parts = {name: component(name)(rewards=output["rewards"]) for name in expected.components}
    assert parts == {name: [value] for name, value in expected.components.items()}
    assert component("form")(rewards=[*output["rewards"], None]) == [None, None]


def test_the_trainer_holds_what_an_episode_of_the_table_is_paid(
    seat: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(_: Any, observation: Any, episode: Any) -> Completion:
        turn = sum(message["role"] == "assistant" for message in observation.messages)
        if (completion := seat.completion(turn)) is None:
            raise PolicyStopped("model_error", "the model is gone")
        return Completion(text=completion)

    monkeypatch.setattr(door._Turns, "act", act)
    rollouts = GroupRollouts(seed=SEED, pages=2, **seat.env)
    functions = [verdict, *map(component, PARTS)]
    trainer = trainer_make(rollouts, seat.scene, tmp_path, functions, num_generations=2, max_steps=1)
    trainer.train()
    rollouts.close()
    expected = seat.paid()
    held = {name: null_of(next(iter(values))) for name, values in trainer._logs["rewards"].items()}
    assert held.pop("verdict") == pytest.approx(expected.total)
    parts = expected.components if expected.total is not None else {}
    assert held == {name: pytest.approx(parts.get(name)) for name in PARTS}
    assert not any(trainer._logs["advantages"]), "both samples of the group are alike, or none counts"
    note("TRL", seat, expected.total, {name: value for name, value in held.items() if name in parts})


def test_a_training_step_opens_each_group_once_and_leaves_a_void_out(
    trained: Trained, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = door._Turns.act

    async def act(self: Any, observation: Any, episode: Any) -> Completion:
        if episode.sample_index == 3:
            raise PolicyStopped("model_error", "one of four is not answered")
        if episode.sample_index == 0:
            return Completion(text='Action: {"type": "answer", "text": "162"}')
        return await answered(self, observation, episode)

    monkeypatch.setattr(door._Turns, "act", act)
    _, trainer = trained(scripted([GIVE_UP]), opening={"answer_channel": "api"}, max_steps=2)
    trainer.train()
    episodes = asyncio.run(episodes_of(scene.run))
    assert len(episodes) == 2 * SAMPLES
    assert len({episode.group for episode in episodes}) == 2
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert [entry["reward"] for entry in logged] == [pytest.approx(1 / 3)] * 2
    assert [entry["void"] for entry in logged] == [0.25] * 2
    advantages = list(trainer._logs["advantages"])[-SAMPLES:]
    assert advantages[3] == 0.0
    assert advantages[0] > 0 > advantages[1]
    assert not any(math.isnan(one) for one in advantages)


async def replaying() -> int:
    """A run that replays successes."""
    async with Client(SERVER, KEY) as client:
        made = await client.run_create(
            name="doors: replays", kind="train", observation="axtree-v2", settings={"replay": {}}
        )
        return made.id


@pytest.mark.parametrize("gives_logprobs", [False, True])
def test_a_stored_success_takes_the_place_of_a_failure(trained: Trained, gives_logprobs: bool) -> None:
    answers = [162]

    def generate(prompts: list[list[int]], trainer: GRPOTrainer) -> Any:
        text = f'Action: {{"type": "answer", "text": "{answers[-1]}"}}'
        ids, _ = scripted([text])(prompts, trainer)
        return ids, [[-0.5] * len(one) for one in ids] if gives_logprobs else None

    opening = {"answer_channel": "api", "run": asyncio.run(replaying())}
    rollouts, trainer = trained(generate, opening=opening)
    trainer.model.train()
    prompts = list(trainer.train_dataset["prompt"])
    stored = rollouts(prompts, trainer)
    assert stored["reward"] == [1.0]
    answers.append(161)
    output = rollouts(prompts * SAMPLES, trainer)
    if gives_logprobs:
        assert output["reward"] == [0.0] * SAMPLES
        return
    assert output["reward"] == [1.0, 0.0, 0.0, 0.0]
    assert output["reason"] == ["replayed", "answer", "answer", "answer"]
    for name in ("prompt_ids", "completion_ids", "env_mask", "episode"):
        assert output[name][0] == stored[name][0]
    assert len(set(output["group"])) == 1
    rewards = {one.id: one.verdict.reward for one in asyncio.run(episodes_of(opening["run"]))}
    assert sorted(rewards.values()) == [0.0] * SAMPLES + [1.0]  # what was played is what it was


def test_a_model_that_fails_is_void_and_stops_the_training(trained: Trained, scene: Scene) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("out of memory")

    _, trainer = trained(fail, max_steps=1)
    with pytest.raises(RuntimeError, match="out of memory"):
        trainer.train()
    episodes = asyncio.run(episodes_of(scene.run))
    assert {(one.verdict.reward, one.verdict.reason) for one in episodes} == {(None, "model_error")}
    assert len(episodes) == SAMPLES


def test_what_does_not_fit_is_truncated(trained: Trained, scene: Scene) -> None:
    def endless(prompts: list[list[int]], trainer: GRPOTrainer) -> Any:
        return [trainer.processing_class.encode("and on") for _ in prompts], None

    rollouts, trainer = trained(endless)
    output = rollouts(rollouts.dataset([scene.task])["prompt"], trainer)
    assert (output["reward"], output["reason"]) == ([0.0], ["token_budget"])
    trainer.model.config.max_position_embeddings = 512
    output = rollouts(rollouts.dataset([scene.task])["prompt"], trainer)
    assert (output["reward"], output["reason"]) == ([0.0], ["context_length"])
    assert output["env_mask"] == [[0]]


def test_a_template_that_rewrites_the_past_is_refused(trained: Trained, scene: Scene) -> None:
    rollouts, trainer = trained(scripted(["I wait."] * 9))
    template = CHATML.replace("{{ m.content }}", "{{ m.content if loop.last else '' }}")
    trainer.chat_template = template
    output = rollouts(rollouts.dataset([scene.task])["prompt"], trainer)
    assert output["reason"] == ["model_error"]


def test_the_trainers_own_generation_plays(scene: Scene, trained: Trained) -> None:
    _, trainer = trained(door.generate_in_trl, max_steps=1)
    trainer.train()
    episodes = asyncio.run(episodes_of(scene.run))
    assert {(one.verdict.outcome, one.verdict.reason) for one in episodes} == {("incorrect", "token_budget")}
    assert trainer.state.log_history[0]["completions/clipped_ratio"] == 1.0


def test_special_tokens_are_dropped_whether_or_not_they_have_a_role() -> None:
    tokenizer = tokenizer_make()
    tokenizer.add_tokens([AddedToken(text, special=True) for text in ("<|eom_id|>", "[THINK]", "[/THINK]")])
    assert "<|eom_id|>" not in tokenizer.all_special_tokens
    ids = tokenizer.encode(f"[THINK]so[/THINK] 1<|eom_id|>8{END}")
    assert tokens_text(tokenizer, ids) == "[THINK]so[/THINK] 18"


def test_other_histories_are_refused(scene: Scene) -> None:
    with pytest.raises(PalaestraError, match="full"):
        GroupRollouts(**scene.env, history="last_k:1")


def test_the_example_runs() -> None:
    assert "'reward'" in example_run("trl")
