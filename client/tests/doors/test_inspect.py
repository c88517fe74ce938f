from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from samples import Seat, note
from script import KEY, SEED, SERVER, Played, Scene, episodes_of, example_run, paid, recorded, same

from palaestra import Client, Env
from palaestra.doors.inspect import palaestra_task

# Without a usage the mock counts tokens with a file from the internet.
USAGE = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
Answering = Callable[[list[Any]], ModelOutput]


def output_of(text: str) -> ModelOutput:
    output = ModelOutput.from_content(model="mockllm", content=text)
    output.usage = USAGE
    return output


def scripted(texts: list[str], seen: list[list[Any]]) -> Answering:
    """A model that answers by the script, by how many turns it has had."""

    def answer(messages: list[Any]) -> ModelOutput:
        seen.append(messages)
        return output_of(texts[sum(message.role == "assistant" for message in messages)])

    return answer


def evaluate(
    scene: Scene, answer: Answering, folder: Path, profile: str | None = None, **options: Any
) -> EvalLog:
    task = palaestra_task(**scene.env, tasks=[scene.task], seed=SEED, reward_profile=profile)
    return logged(task, answer, folder, **options)


def logged(task: Any, answer: Answering, folder: Path, **options: Any) -> EvalLog:
    """The log of a task that a model of such answers has played."""
    model = get_model("mockllm/model", custom_outputs=lambda messages, *_: answer(messages), memoize=False)
    [log] = inspect_eval(task, model=model, log_dir=str(folder), display="none", **options)
    return log


def test_a_script_leaves_the_same_record_as_through_the_client(
    scene: Scene, reference: Played, tmp_path: Path
) -> None:
    seen: list[list[Any]] = []
    log = evaluate(scene, scripted(reference.texts, seen), tmp_path)
    assert log.status == "success", log.error
    [sample] = log.samples or []
    assert sample.scores["verdict"].value == reference.verdict.reward
    sent = [[(message.role, message.text) for message in turn] for turn in seen]
    assert sent == [
        [(message["role"], message["content"]) for message in turn] for turn in reference.messages
    ]
    same(asyncio.run(recorded(sample.scores["verdict"].metadata["episode"])), reference)


def test_a_profile_pays_and_the_score_has_the_parts(
    scene: Scene, reference: Played, profile: str, tmp_path: Path
) -> None:
    log = evaluate(scene, scripted(reference.texts, []), tmp_path, profile)
    [sample] = log.samples or []
    score = sample.scores["verdict"]
    expected = asyncio.run(paid(score.metadata["episode"], profile))
    assert (score.value, score.metadata["rewards"]) == (expected.total, msgspec.to_builtins(expected))
    assert score.value != reference.verdict.reward


def test_the_score_holds_what_an_episode_of_the_table_is_paid(seat: Seat, tmp_path: Path) -> None:
    def answer(messages: list[Any]) -> ModelOutput:
        completion = seat.completion(sum(message.role == "assistant" for message in messages))
        if completion is None:
            raise RuntimeError("the provider is down")
        return output_of(completion)

    task = palaestra_task(**seat.env, tasks=[seat.scene.task], seed=SEED)
    log = logged(task, answer, tmp_path)
    [sample] = log.samples or []
    if seat.sample.is_void:
        assert sample.error is not None
        assert not sample.scores
        note("Inspect", seat, "no score: the sample has an error", None)
        return
    score, expected = sample.scores["verdict"], seat.paid()
    assert score.metadata["rewards"] == msgspec.to_builtins(expected)
    assert (None if math.isnan(score.value) else score.value) == expected.total
    note("Inspect", seat, score.value, score.metadata["rewards"]["components"])


def test_epochs_are_one_group_and_carry_their_tokens(scene: Scene, tmp_path: Path) -> None:
    log = evaluate(scene, lambda _: output_of('Action: {"type": "give_up"}'), tmp_path, epochs=3)
    assert log.status == "success", log.error
    episodes = asyncio.run(episodes_of(scene.run))
    assert len(episodes) == 3
    assert len({episode.group for episode in episodes}) == 1
    [step] = asyncio.run(_steps(episodes[0].id))
    assert (step["usage"]["prompt"], step["usage"]["completion"]) == (100, 10)


async def _steps(episode: int) -> list[dict[str, Any]]:
    async with Client(SERVER, KEY) as client:
        return (await client.trajectory(episode))["steps"]


@pytest.mark.parametrize("is_raised", [True, False], ids=["raised", "empty"])
def test_a_model_that_fails_is_void_and_no_zero(scene: Scene, tmp_path: Path, is_raised: bool) -> None:
    def fail(_: list[Any]) -> ModelOutput:
        if is_raised:
            raise RuntimeError("the provider is down")
        return ModelOutput(model="mockllm", choices=[], usage=USAGE)

    log = evaluate(scene, fail, tmp_path)
    [episode] = asyncio.run(episodes_of(scene.run))
    assert (episode.verdict.outcome, episode.verdict.reward) == ("void", None)
    assert episode.verdict.reason == "model_error"
    assert log.status == "error"
    assert not any(sample.scores for sample in log.samples or [])


def test_a_void_verdict_is_left_out_of_the_metrics(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_down(self: Env, _: Any) -> Any:
        return await self.stop("harness_error", "the power went")

    monkeypatch.setattr(Env, "step", break_down)
    log = evaluate(scene, lambda _: output_of("I wait."), tmp_path)
    assert log.status == "success", log.error
    [sample] = log.samples or []
    assert math.isnan(sample.scores["verdict"].value)
    assert sample.scores["verdict"].reason == "harness_error"
    [score] = log.results.scores if log.results else []
    assert (score.scored_samples, score.unscored_samples) == (0, 1)


def test_a_conversation_too_long_for_the_model_is_truncated(scene: Scene, tmp_path: Path) -> None:
    too_long = ModelOutput.from_content("mockllm", "", stop_reason="model_length")
    too_long.usage = USAGE
    evaluate(scene, lambda _: too_long, tmp_path)
    [episode] = asyncio.run(episodes_of(scene.run))
    assert (episode.verdict.reason, episode.verdict.truncated) == ("context_length", True)


def test_the_example_runs() -> None:
    assert "mean 1.0" in example_run("inspect")
