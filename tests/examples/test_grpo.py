"""The example that trains a model: what it needs no model for. The rest: client/tests/doors/test_grpo.py."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from functools import partial
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "grpo"
OUTLINE = """page "Question" https://gym/
main
  text: Choose the word wolf. [e9] textbox
  radiogroup "Your answer"
    [e1] radio "A. arrow" unchecked
    [e2] radio "B. wolf" unchecked
  [e3] button "Submit answer\""""
QUESTION = "Choose the word wolf.\n\nA. arrow\nB. wolf"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example's modules that need no model."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    import gradient
    import prompts
    import rollouts

    yield gradient, prompts, rollouts
    for name in ("gradient", "prompts", "rollouts"):
        del sys.modules[name]


def test_a_sample_is_worth_what_it_got_above_its_group(example: Any) -> None:
    gradient, *_ = example
    assert gradient.advantages([1.0, 0.0, 0.0, 1.0]) == [0.5, -0.5, -0.5, 0.5]
    assert gradient.advantages([1.0, 1.0]) == [0.0, 0.0]


def test_a_void_sample_moves_neither_the_mean_nor_the_model(example: Any) -> None:
    gradient, *_ = example
    assert gradient.advantages([1.0, None, 0.0]) == [0.5, 0.0, -0.5]
    assert gradient.advantages([None, None]) == [0.0, 0.0]


def test_a_policy_that_is_surer_than_it_is_right_is_made_to_try_more(example: Any) -> None:
    gradient, *_ = example
    adapted = partial(gradient.bonus_adapted, limits=(0.03, 0.5))
    assert adapted(0.1, entropy=0.2, reward=0.5) > 0.1 > adapted(0.1, entropy=0.7, reward=0.5)
    assert adapted(0.03, entropy=0.0, reward=1.0) == adapted(0.03, entropy=1.4, reward=0.2) == 0.03
    assert adapted(0.5, entropy=0.0, reward=0.5) == 0.5


def test_the_control_deals_out_the_same_rewards_by_chance(example: Any) -> None:
    gradient, *_ = example
    rewards = [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, None]]
    dealt = [gradient.shuffled(rewards, seed) for seed in range(400)]
    assert all([len(group) for group in groups] == [4, 4] for groups in dealt)
    assert all(Counter(chain(*groups)) == Counter(chain(*rewards)) for groups in dealt)
    first = sum(groups[0][0] or 0.0 for groups in dealt) / len(dealt)
    assert first == pytest.approx(0.5, abs=0.1)
    assert gradient.shuffled(rewards, 3) == gradient.shuffled(rewards, 3)


def test_every_element_of_a_page_is_offered_and_nothing_that_only_looks_like_one(example: Any) -> None:
    _, prompts, _ = example
    prompt = prompts.page_prompt(OUTLINE)
    assert (prompt.page, prompt.offered, prompt.submit) == (OUTLINE, ("1", "2", "3"), "3")


def test_a_choice_on_a_page_is_clicked_and_sent(example: Any) -> None:
    _, prompts, _ = example
    head, _, action = prompts.page_prompt(OUTLINE).completion(1).partition(": ")
    clicks = [{"target": target, "type": "click"} for target in ("e2", "e3")]
    assert (head, json.loads(action)) == ("Action", {"type": "sequence", "actions": clicks})


def test_without_a_page_a_letter_is_the_answer(example: Any) -> None:
    _, prompts, _ = example
    prompt = prompts.text_prompt(QUESTION)
    assert [prompt.completion(place) for place in range(len(prompt.offered))] == ["Answer: A", "Answer: B"]


def test_a_page_that_comes_while_others_are_scored_is_scored_too(example: Any) -> None:
    _, prompts, rollouts = example
    scored: list[int] = []

    async def play() -> list[str]:
        entered, goes_on = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def score(waiting: list[Any]) -> list[list[float]]:
            scored.append(len(waiting))
            loop.call_soon_threadsafe(entered.set)
            asyncio.run_coroutine_threadsafe(goes_on.wait(), loop).result(timeout=10)
            return [[0.0, 1.0, 0.0]] * len(waiting)

        chooser = rollouts.Chooser(score, name="n", seed=1, version=0, greedy=True)
        first = asyncio.create_task(chooser.act(SimpleNamespace(text=OUTLINE), episode(1)))
        await entered.wait()
        late = asyncio.create_task(
            chooser.act(SimpleNamespace(text=OUTLINE.replace("wolf", "oak")), episode(2))
        )
        await asyncio.sleep(0)
        goes_on.set()
        return [done.text for done in await asyncio.wait_for(asyncio.gather(first, late), timeout=10)]

    def episode(number: int) -> SimpleNamespace:
        return SimpleNamespace(id=number, arm="gym", step=1, task=number, sample_index=0)

    right = prompts.page_prompt(OUTLINE).completion(1)
    assert asyncio.run(play()) == [right, right]
    assert scored == [1, 1]
