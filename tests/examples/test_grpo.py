"""The example that trains a model: what it needs no model for. The rest: client/tests/doors/test_grpo.py."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections import Counter
from collections.abc import Coroutine
from functools import partial
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from palaestra import Client
from palaestra.http.transport import Transport, read_error
from tasks_app.models import Gold
from tests import factories
from trajectories.models import Sampler

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "grpo"
OUTLINE = """page "Question" https://gym/
main
  text: Choose the word wolf. [e9] textbox
  radiogroup "Your answer"
    [e1] radio "A. arrow" unchecked
    [e2] radio "B. wolf" unchecked
  [e3] button "Submit answer\""""
QUESTION = "Choose the word wolf.\n\nA. arrow\nB. wolf"
PUZZLE = "Ann has 2 sisters. How many sisters does Ann's brother have?"
FIELD = f"""page "Question" https://gym/
main
  text: {PUZZLE}
  [e1] textbox "Your answer" value=""
  [e2] button "Submit answer\""""


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example's modules that need no model."""
    names = ("gradient", "prompts", "rollouts", "curriculum")
    monkeypatch.syspath_prepend(str(EXAMPLE))
    yield tuple(importlib.import_module(name) for name in names)
    for name in names:
        del sys.modules[name]


@pytest.fixture
def client(trainer: Any, monkeypatch: pytest.MonkeyPatch) -> Client:
    """The public client, answered by the server's code in this process."""

    async def send(_: Transport, method: str, path: str, *, headers: Any, content: bytes, **__: Any) -> Any:
        answer = trainer.generic(method, path, content, content_type="application/json", headers=headers)
        response = httpx.Response(answer.status_code, content=answer.content)
        if response.status_code >= 400:
            raise read_error(response)
        return response

    monkeypatch.setattr(Transport, "send", send)
    return Client("http://lab", trainer.key)


def done(call: Coroutine[Any, Any, Any]) -> Any:
    """What a call comes to that waits for nothing. In an event loop Django would open another connection."""
    with pytest.raises(StopIteration) as end:
        call.send(None)
    return end.value.value


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
    _, prompts, *_ = example
    prompt = prompts.page_prompt(OUTLINE)
    assert (prompt.page, prompt.offered, prompt.submit) == (OUTLINE, ("1", "2", "3"), "3")


def test_a_choice_on_a_page_is_clicked_and_sent(example: Any) -> None:
    _, prompts, *_ = example
    head, _, action = prompts.page_prompt(OUTLINE).completion(1).partition(": ")
    clicks = [{"target": target, "type": "click"} for target in ("e2", "e3")]
    assert (head, json.loads(action)) == ("Action", {"type": "sequence", "actions": clicks})


def test_without_a_page_a_letter_is_the_answer(example: Any) -> None:
    _, prompts, *_ = example
    prompt = prompts.text_prompt(QUESTION)
    assert [prompt.completion(place) for place in range(len(prompt.offered))] == ["Answer: A", "Answer: B"]


def test_on_a_page_with_a_field_a_digit_is_typed_and_sent(example: Any) -> None:
    _, prompts, *_ = example
    prompt = prompts.page_prompt(FIELD)
    _, _, action = prompt.completion(3).partition(": ")
    typed = {"target": "e1", "text": "3", "type": "type"}
    assert prompt.offered == tuple("0123456789")
    assert json.loads(action)["actions"] == [typed, {"target": "e2", "type": "click"}]


def test_without_a_page_a_question_without_options_takes_a_digit(example: Any) -> None:
    _, prompts, *_ = example
    assert [prompts.text_prompt(PUZZLE).completion(place) for place in (0, 9)] == ["Answer: 0", "Answer: 9"]


def test_a_row_of_the_table_is_quoted_before_the_choice(example: Any) -> None:
    _, prompts, *_ = example
    table = OUTLINE.replace(
        "  radiogroup", "    preformatted:\n      | wolf: 7\n      | oak: 42\n  radiogroup"
    )
    prompt = prompts.quoting(prompts.page_prompt(table))
    alone = prompts.page_prompt(table)
    assert (prompt.rows, prompt.choices) == ((" wolf: 7", " oak: 42"), 6)
    assert prompt.completion(4) == f"Thought: The row is oak: 42.\n{alone.completion(1)}"


def test_without_a_page_the_rows_are_those_of_the_question(example: Any) -> None:
    _, prompts, *_ = example
    question = "wolf: 7\noak: 42\n\nWhich number stands beside oak?\n\nA. 42\nB. 7"
    prompt = prompts.quoting(prompts.text_prompt(question))
    assert (prompt.rows, prompt.offered) == ((" wolf: 7", " oak: 42"), (" A", " B"))
    assert prompt.completion(2) == "Thought: The row is oak: 42.\nAnswer: A"


def test_a_rung_is_of_the_ladder_and_the_puzzle_has_splits_of_its_own(example: Any) -> None:
    *_, curriculum = example
    rung = {"benchmark": "ladder", "tag": "rung:word_count", "split": "test"}
    puzzle = {"benchmark": "reasoning_gym", "split": "aiw_test"}
    assert [curriculum.tasks_filter(name, "test") for name in ("word_count", "aiw")] == [rung, puzzle]


def test_a_page_that_comes_while_others_are_scored_is_scored_too(example: Any) -> None:
    _, prompts, rollouts, _ = example
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
        first = asyncio.create_task(chooser.act(SimpleNamespace(text=OUTLINE, messages=[]), episode(1)))
        await entered.wait()
        late = asyncio.create_task(
            chooser.act(SimpleNamespace(text=OUTLINE.replace("wolf", "oak"), messages=[]), episode(2))
        )
        await asyncio.sleep(0)
        goes_on.set()
        return [done.text for done in await asyncio.wait_for(asyncio.gather(first, late), timeout=10)]

    def episode(number: int) -> SimpleNamespace:
        return SimpleNamespace(id=number, arm="gym", step=1, task=number, sample_index=0)

    right = prompts.page_prompt(OUTLINE).completion(1)
    assert asyncio.run(play()) == [right, right]
    assert scored == [1, 1]


@pytest.mark.django_db
def test_the_beginning_of_a_solution_stands_below_the_page(example: Any, api: Any) -> None:
    _, prompts, rollouts, _ = example
    task = factories.task()
    Gold.objects.filter(task=task).update(steps=["She has 3 boxes.\n", "She gives 1 away.\n", "#### 42"])
    guidance = {"kind": "prefix", "steps": 2, "instruction": prompts.INSTRUCTION}
    body = {"run": factories.run().pk, "tasks": [task.pk], "arm": "gym", "guidance": guidance}
    _, opened = api("trainer", "guidance").json("POST", "/episodes", body)
    (messages,) = opened["messages"].values()
    chooser = rollouts.Chooser(lambda rows: [[0, 1, 0]] * len(rows), name="n", seed=1, version=0)
    seen = SimpleNamespace(text=OUTLINE, messages=[*messages, {"role": "user", "content": OUTLINE}])
    asyncio.run(chooser.act(seen, SimpleNamespace(id=1, arm="gym", step=1, task=1, sample_index=0)))
    assert chooser.choices[1][0].page == f"{OUTLINE}\n\nShe has 3 boxes.\nShe gives 1 away."


SETTINGS = {"groups": 3, "samples": 12, "pool": 8, "band": [0.1, 0.9]}


def test_without_a_sampler_tasks_come_in_their_order_over_and_over(example: Any) -> None:
    *_, curriculum = example
    opening = {"run": 1, "tasks": [5, 3, 9, 4], "settings": {**SETTINGS, "sampler": "none"}, "seed": 1}
    ordered = done(curriculum.Curriculum.open(None, **opening))
    assert [done(ordered.choose_tasks(update)) for update in range(3)] == [[5, 3, 9], [4, 5, 3], [9, 4, 5]]


@pytest.mark.parametrize("kind", ["uniform", "success_band"])
def test_a_training_that_was_killed_goes_on_with_the_tasks_it_had(
    example: Any, client: Client, kind: str
) -> None:
    *_, curriculum = example
    run, tasks = factories.run(kind="train"), [factories.task() for _ in range(10)]
    opening = {"tasks": [task.pk for task in tasks], "settings": {**SETTINGS, "sampler": kind}, "seed": 7}
    opened = done(curriculum.Curriculum.open(client, run=run.pk, **opening))
    first = done(opened.choose_tasks(0))
    group = factories.group(run=run, task=tasks[0])
    factories.verdict(factories.episode(group=group), "correct")
    second = done(opened.choose_tasks(1))

    resumed = curriculum.Curriculum(client, opened.tasks, opened.count, opened.sampler)
    assert [done(resumed.choose_tasks(update)) for update in (0, 1)] == [first, second]
    assert len(set(first)) == len(set(second)) == 3
    assert {*first, *second} <= {task.pk for task in tasks[:8]}
    stored = Sampler.objects.get(pk=opened.sampler)
    assert (stored.run_id, stored.seed, stored.draws, stored.plan["strategy"]["kind"]) == (run.pk, 7, 2, kind)


def test_a_band_leaves_what_the_model_has_learnt(example: Any, client: Client) -> None:
    *_, curriculum = example
    run, tasks = factories.run(kind="train"), [factories.task() for _ in range(8)]
    for task in tasks[:4]:
        group = factories.group(run=run, task=task)
        for _ in range(24):
            factories.verdict(factories.episode(group=group), "correct")
    opening = {"tasks": [task.pk for task in tasks], "settings": {**SETTINGS, "sampler": "success_band"}}
    opened = done(curriculum.Curriculum.open(client, run=run.pk, seed=7, **opening))
    for update in range(4):
        done(opened.choose_tasks(update))

    draws = Sampler.objects.get(pk=opened.sampler).made.order_by("number")
    reasons = [(item["why"]["reason"], item["task"]) for draw in draws for item in draw.items]
    learnt = {task.pk for task in tasks[:4]}
    assert learnt.isdisjoint(task for reason, task in reasons if reason == "band")
    assert Counter(reason for reason, _ in reasons) == {"band": 8, "exploration": 4}
