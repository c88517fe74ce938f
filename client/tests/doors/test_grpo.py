"""The example that trains a model, on a tiny one: the sign of the gradient, the warm start, the control."""

from __future__ import annotations

import math
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "grpo"))
torch = pytest.importorskip("torch", reason="the example's model needs torch")
pytest.importorskip("peft", reason="the example's model needs peft")

import rollouts  # noqa: E402
import tiny_training  # noqa: E402
import train  # noqa: E402
from gradient import advantages, compute_loss, divergence, entropies, entropies_after, shuffled  # noqa: E402
from model import Model  # noqa: E402
from prompts import THOUGHT, Prompt  # noqa: E402
from train import warm_loss  # noqa: E402

LETTERS = "abcd"
OFFERED = ("1", "2", "3", "4")
RIGHT = 2
PROMPTS = [Prompt("", letter, "=", OFFERED) for letter in LETTERS]


@pytest.fixture
def model() -> Model:
    return tiny_training.wide_model()


def chance(model: Model) -> float:
    """Of the right choice, the same one for all prompts."""
    with torch.no_grad():
        return float(model.logprobs(PROMPTS).exp()[:, RIGHT].mean())


def updates(model: Model, *, count: int, is_control: bool = False) -> None:
    for number in range(count):
        rows = model.logprobs(PROMPTS)
        choices = [torch.multinomial(row.detach().exp(), 16, replacement=True).tolist() for row in rows]
        rewards = [[float(choice == RIGHT) for choice in group] for group in choices]
        if is_control:
            rewards = shuffled(rewards, seed=number)
        model.improve(compute_loss(rows, choices, [advantages(group) for group in rewards], bonus=0.02))


def test_what_was_worth_more_becomes_likelier_and_what_was_worth_less_does_not(model: Model) -> None:
    chances = [chance(model)]
    for worth in (1.0, -1.0):
        rows = model.logprobs(PROMPTS)
        model.improve(compute_loss(rows, [[RIGHT]] * 4, [[worth]] * 4, bonus=0.0))
        chances.append(chance(model))
    before, liked, disliked = chances
    assert liked > before
    assert disliked < liked


def test_reward_alone_teaches_a_tiny_model(model: Model) -> None:
    updates(model, count=40)
    assert chance(model) > 0.9


def test_shuffled_rewards_teach_it_nothing(model: Model) -> None:
    updates(model, count=40, is_control=True)
    assert chance(model) < 0.5


def test_an_entropy_bonus_spreads_a_policy(model: Model) -> None:
    for worth in (1.0, 0.0):
        for _ in range(10):
            rows = model.logprobs(PROMPTS)
            bonus = 0.0 if worth else 1.0
            model.improve(compute_loss(rows, [[0]] * 4, [[worth]] * 4, bonus=bonus))
        spread = float(entropies(model.logprobs(PROMPTS).detach()).mean())
        if worth:
            narrow = spread
    assert spread > narrow


def test_the_warm_start_spreads_over_what_is_offered_and_tells_nothing(model: Model) -> None:
    """Its labels are random choices: even a model that knew better is back at chance."""
    updates(model, count=40)
    for _ in range(60):
        choices = torch.randint(len(OFFERED), (len(PROMPTS),)).tolist()
        model.improve(warm_loss(model.logprobs(PROMPTS), choices, PROMPTS))
    assert chance(model) == pytest.approx(0.25, abs=0.15)


def test_a_prompt_that_offers_less_gives_nothing_to_the_rest(model: Model) -> None:
    rows = model.logprobs([PROMPTS[0], Prompt("", "b", "=", OFFERED[:2])]).detach()
    assert rows[1].exp().tolist()[2:] == [0.0, 0.0]
    assert rows.exp().sum(-1).tolist() == pytest.approx([1.0, 1.0], abs=1e-5)
    assert float(entropies(rows)[1]) <= float(torch.tensor(2.0).log()) + 1e-5
    assert divergence(rows, rows) == 0.0
    assert divergence(rows[:1], rows[:1].flip(-1)) >= 0.0


def test_pairs_are_as_likely_as_when_each_is_read_by_itself(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is read once, padded, and gone on from: the same as the whole text for each row."""
    monkeypatch.setattr(model, "autocast", nullcontext)
    pages = [Prompt("", page, "=", OFFERED, rows=("a: 1", "b: 22")) for page in ("abcd", "abcdabcdab")]
    with torch.no_grad():
        rows = model.logprobs(pages).view(2, 2, len(OFFERED))
        for page, pairs in zip(pages, rows, strict=True):
            for row in range(2):
                begun = replace(page, rows=(), prefix=THOUGHT + page.after_row(row))
                alone = model.logprobs([begun])[0]
                assert torch.allclose(pairs[row].log_softmax(-1), alone, atol=1e-4)
    assert rows.exp().sum((1, 2)).tolist() == pytest.approx([1.0, 1.0], abs=1e-4)


def test_the_warm_start_leaves_the_row_as_the_model_has_it(model: Model) -> None:
    """The loss of an option, whichever row was quoted before: how likely the row is does not count."""
    page = Prompt("", "abcd", "=", OFFERED, rows=("a: 1", "b: 22"))
    pairs = torch.tensor([[0.4, 0.1, 0.1, 0.2, 0.05, 0.05, 0.05, 0.05]]).log()
    assert float(warm_loss(pairs, [0], [page])) == pytest.approx(-math.log(0.5))
    assert float(warm_loss(pairs, [7], [page])) == pytest.approx(-math.log(0.25))


def test_the_spread_of_a_choice_leaves_out_that_of_the_row_before_it() -> None:
    pairs = torch.tensor([[0.25, 0.25, 0.5, 0.0], [0.5, 0.0, 0.5, 0.0]]).log()
    assert entropies_after(pairs, 2).tolist() == pytest.approx([0.5 * math.log(2), 0.0], abs=1e-6)
    assert torch.allclose(entropies_after(pairs, 4), entropies(pairs))


def test_padding_changes_no_probability(model: Model) -> None:
    long = Prompt("", "abcdabcd", "=", OFFERED)
    with torch.no_grad():
        alone, beside = model.logprobs([PROMPTS[0]])[0], model.logprobs([PROMPTS[0], long])[0]
    assert torch.allclose(alone, beside, atol=0.02)


def test_a_resumed_model_goes_on_as_it_would_have(model: Model, tmp_path: Path) -> None:
    updates(model, count=3)
    torch.save(model.state, tmp_path / "state")
    torch.manual_seed(5)
    updates(model, count=3)
    uninterrupted = chance(model)

    model.restore(torch.load(tmp_path / "state"))
    torch.manual_seed(5)
    updates(model, count=3)
    assert chance(model) == pytest.approx(uninterrupted, abs=1e-6)


def test_a_training_that_was_killed_ends_as_it_would_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "play", tiny_training.play)
    monkeypatch.setattr(rollouts, "QUIET_S", 0.0)
    monkeypatch.setattr(Model, "load", tiny_training.model_load)
    whole, killed = tiny_training.Lab(), tiny_training.Lab()
    uninterrupted = tiny_training.trained(tmp_path / "whole", whole)

    tiny_training.play.killed_at = 3
    with pytest.raises(tiny_training.Killed):
        tiny_training.trained(tmp_path / "killed", killed)
    tiny_training.play.killed_at = tiny_training.NEVER
    resumed = tiny_training.trained(tmp_path / "killed", killed, is_resumed=True)

    assert whole.drawn == [1, 2, 3, 4, 5]
    assert killed.drawn == [1, 2, 3, 4, 3, 4, 5]
    assert [line["kind"] for line in resumed] == [line["kind"] for line in uninterrupted]
    assert resumed == uninterrupted
