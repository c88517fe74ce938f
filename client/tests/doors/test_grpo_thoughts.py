"""Thoughts of the example that trains a model, on a tiny one: what they cost and what teaches them."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "grpo"))
torch = pytest.importorskip("torch", reason="the example's model needs torch")
pytest.importorskip("peft", reason="the example's model needs peft")

import rollouts  # noqa: E402
import thoughts  # noqa: E402
import tiny_training  # noqa: E402
import train  # noqa: E402
from gradient import advantages  # noqa: E402
from model import Model  # noqa: E402
from prompts import Prompt, page_prompt  # noqa: E402
from thoughts import LEAD, Learning, Thought, Writer  # noqa: E402

from palaestra.grammars.json import turn_parse  # noqa: E402
from palaestra.protocol.offers import Conditions  # noqa: E402

OUTLINE = 'main\n  [e1] radio "A. snow"\n  [e2] radio "B. whale"\n  [e3] button "Submit answer"'
PROMPTS = [Prompt("", letters, "=", ("1", "2", "3")) for letters in ("a", "abcd")]


@pytest.fixture
def writer() -> Writer:
    return Writer(tiny_training.wide_model(), limit=6)


def thought_make(writer: Writer, prompt: Prompt, text: str, *, end: str = "") -> Thought:
    drawn = writer.model.tokenizer(text + end, add_special_tokens=False)["input_ids"]
    return Thought(prompt, tuple(drawn), text, is_cut=not end)


@torch.no_grad()
def test_a_thought_costs_its_tokens_and_the_choice_is_made_after_it(writer: Writer) -> None:
    model, tokenizer = writer.model, writer.model.tokenizer
    ended, cut = (
        thought_make(writer, PROMPTS[0], "so", end="\n"),
        thought_make(writer, PROMPTS[1], "a long one"),
    )
    spoken, rows = writer.logprobs([ended, cut])

    for place, thought in enumerate((ended, cut)):
        before = tokenizer([model.text(replace(thought.prompt, prefix=LEAD))], return_tensors="pt")[
            "input_ids"
        ]
        whole = torch.cat([before, torch.tensor([thought.drawn])], dim=1)
        with model.autocast():
            scores = model.net(whole).logits.float().log_softmax(-1)[0, before.shape[1] - 1 : -1]
        expected = scores.gather(-1, torch.tensor(thought.drawn)[:, None]).sum()
        assert float(spoken[place]) == pytest.approx(float(expected), abs=0.05)
        same = replace(thought.prompt, prefix=f"{LEAD}{thought.text}\n=")
        assert rows[place].tolist() == pytest.approx(model.logprobs([same])[0].tolist(), abs=0.02)


@pytest.mark.parametrize("greedy", [True, False])
def test_thoughts_end_with_their_line_or_at_the_limit(writer: Writer, greedy: bool) -> None:
    written = writer.write(PROMPTS * 60, greedy=greedy)
    for thought in written:
        assert 1 <= len(thought.drawn) <= writer.limit
        assert "\n" not in thought.text
        assert thought.is_cut == (thought.drawn[-1] not in writer.stops)
    assert {thought.prompt for thought in written} == set(PROMPTS)
    assert len(set(written)) == 2 if greedy else len(set(written)) > 100
    if not greedy:
        assert {thought.is_cut for thought in written} == {True, False}


def test_a_thought_is_read_as_one_and_its_action_as_the_action(writer: Writer) -> None:
    thought = thought_make(writer, page_prompt(OUTLINE), ' Action: "B. whale" {', end="\n")
    turn = turn_parse(thought.completion(1), Conditions())
    assert turn.thought == 'Thought: Action: "B. whale" {'
    assert turn.parse_error is None
    assert turn.declared["actions"] == [{"target": "e2", "type": "click"}, {"target": "e3", "type": "click"}]


@pytest.mark.parametrize("part", ["thought", "choice"])
def test_reward_alone_teaches_what_to_think_and_what_to_choose(writer: Writer, part: str) -> None:
    """Rewarded is an even token as the first of a thought, or the second choice."""
    writer.limit = 1

    def samples_draw() -> list[tuple[Thought, int, float]]:
        prompts = PROMPTS * 12
        written = writer.write(prompts, greedy=False)
        with torch.no_grad():
            choices = torch.multinomial(writer.logprobs(written)[1].exp(), 1)[:, 0].tolist()
        rewards = [
            float(thought.drawn[0] % 2 == 0 if part == "thought" else choice == 1)
            for thought, choice in zip(written, choices, strict=True)
        ]
        return list(zip(written, choices, rewards, strict=True))

    for _ in range(40):
        samples = samples_draw()
        worths = advantages([reward for *_, reward in samples])
        drawn = [
            (thought, choice, worth) for (thought, choice, _), worth in zip(samples, worths, strict=True)
        ]
        writer.model.improve_by(Learning(writer, drawn, bonus=0.0).losses())
    assert sum(reward for *_, reward in samples_draw()) / len(samples) > 0.9


def test_parts_of_a_batch_add_up_to_the_whole(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient from parts of unequal size is the gradient of the batch."""
    monkeypatch.setattr(Model, "autocast", lambda _: nullcontext())
    samples = [
        (thought, 1, worth)
        for thought, worth in zip(writer.write(PROMPTS * 2, greedy=False)[:3], (0.5, -0.5, 0.2), strict=True)
    ]
    gradients, figures = [], []
    for at_once in (3, 2):
        monkeypatch.setattr(thoughts, "LEARNT_AT_ONCE", at_once)
        learning = Learning(writer, samples, bonus=0.1)
        writer.model.optimizer.zero_grad()
        for loss in learning.losses():
            loss.backward()
        gradients.append(torch.cat([weight.grad.flatten() for weight in writer.model.trained]))
        figures.append(learning.figures)
    assert gradients[0].norm() > 0.01
    assert torch.allclose(*gradients, atol=1e-4)
    assert figures[0] == pytest.approx(figures[1], abs=1e-4)


def test_a_training_with_thoughts_notes_their_length_and_what_the_lab_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (train, thoughts):
        monkeypatch.setattr(module, "play", tiny_training.play)
    monkeypatch.setattr(rollouts, "QUIET_S", 0.0)
    monkeypatch.setattr(Model, "load", tiny_training.model_load)
    lines = tiny_training.trained(
        tmp_path, tiny_training.Lab(), trainer=thoughts.ThoughtTrainer, start=tmp_path
    )
    updates = [line for line in lines if line["kind"] == "update"]
    evaluations = [line for line in lines if line["kind"] == "evaluation"]
    assert [line["version"] for line in evaluations] == [0, 2, 4, 5]
    assert len(updates) == 5
    for line in updates + evaluations:
        assert 0 < line["thought_tokens"] <= 4
        assert line["narration"] == pytest.approx(0.25)
        assert line["thought_words"] == pytest.approx(1.0 if line in updates else 0.5)
    assert all({"gym", "sampled", "without_thought"} <= line.keys() for line in evaluations)
    json.dumps(lines)
