from __future__ import annotations

from typing import Any

import pytest

from palaestra.extraction import answer_extract
from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient
from tests.tasks_app.test_few_shot import STORIES
from trajectories.models import Episode, Group
from trajectories.record.prompts import conversation
from trajectories.rollouts.episodes.opening_messages import HIDDEN_REPLY, opening_messages

pytestmark = pytest.mark.django_db


@pytest.fixture
def train_split() -> list[Task]:
    return [
        factories.task(
            prompt=story, payload={"text": story}, answer=str(number), solution=f"Worked {number}."
        )
        for number, story in enumerate(STORIES)
    ]


def _open(client: ApiClient, **fields: Any) -> Any:
    task = factories.task(split="test", prompt="Why is it?", payload={"text": "Why is it?"})
    body = {"run": factories.run().pk, "tasks": [task.pk], "arm": "text_few_shot", **fields}
    status, answer = client.json("POST", "/episodes", body)
    assert status == 201, answer
    return answer


def test_solved_tasks_stand_between_instruction_and_question(
    trainer: ApiClient, train_split: list[Task]
) -> None:
    answer = _open(trainer, shots=2, seed=3, presentation={"instruction": "a"})
    (few,) = answer["messages"].values()
    zero_shot = _open(trainer, arm="text_zero_shot", presentation={"instruction": "a"})
    (zero,) = zero_shot["messages"].values()
    assert [message["role"] for message in few] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert [few[0], few[-1]] == zero
    solved = Task.objects.in_bulk(Group.objects.first().examples)
    golds = {task.prompt: task.golds.get() for task in solved.values()}
    for question, reply in zip(few[1:-1:2], few[2:-1:2], strict=True):
        gold = golds[question["content"]]
        assert reply["content"] == f"{gold.solution}\n\nAnswer: {gold.answer}"
        assert answer_extract(reply["content"]) == gold.answer


def test_four_examples_are_shown_by_default(trainer: ApiClient, train_split: list[Task]) -> None:
    _open(trainer)
    assert len(Group.objects.get().examples) == 4


def test_one_seed_shows_the_same_tasks_to_every_sample(trainer: ApiClient, train_split: list[Task]) -> None:
    task = factories.task(split="test", payload={"text": "Why?"}).pk
    for _ in range(2):
        _open(trainer, tasks=[task], seed=9, samples_per_task=3)
    first, second = Group.objects.order_by("id")
    assert first.examples == second.examples
    _open(trainer, tasks=[task], seed=10)
    assert Group.objects.order_by("id").last().examples != first.examples


def test_a_refill_shows_the_same_tasks(trainer: ApiClient, train_split: list[Task]) -> None:
    (opened,) = _open(trainer, shots=3)["messages"].values()
    status, answer = trainer.json("POST", f"/groups/{Group.objects.get().pk}/refill", {"count": 2})
    assert status == 201
    assert list(answer["messages"].values()) == [opened]


def test_the_lab_rebuilds_the_prompt_and_shows_solutions_only_to_gold_readers(
    trainer: ApiClient, train_split: list[Task]
) -> None:
    (opened,) = _open(trainer, shots=2)["messages"].values()
    episode = Episode.objects.select_related("group", "task", "run").get()
    assert opening_messages(episode, with_solutions=True) == opened
    hidden = opening_messages(episode, with_solutions=False)
    assert [message["content"] for message in hidden if message["role"] == "assistant"] == [HIDDEN_REPLY] * 2
    assert hidden[-1] == opened[-1]


def test_the_number_of_shots_is_accepted_only_in_the_few_shot_arm(trainer: ApiClient) -> None:
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], "arm": "text_agent", "shots": 2}
    status, answer = trainer.json("POST", "/episodes", body)
    assert (status, answer["error"]["code"]) == (422, "shots_without_few_shot")
    for shots in (0, 17):
        status, _ = trainer.json("POST", "/episodes", {**body, "arm": "text_few_shot", "shots": shots})
        assert status == 400


def test_without_enough_solved_tasks_the_call_says_what_to_load(trainer: ApiClient) -> None:
    body = {"run": factories.run().pk, "tasks": [factories.task(split="test").pk], "arm": "text_few_shot"}
    status, answer = trainer.json("POST", "/episodes", body)
    assert (status, answer["error"]["code"]) == (422, "no_exemplars")
    assert "load_benchmark gsm8k --split train" in answer["error"]["message"]
    assert not Episode.objects.exists()


def test_a_key_without_the_training_split_gets_no_examples(api: Any, train_split: list[Task]) -> None:
    task = factories.task(split="test")
    body = {"run": factories.run().pk, "tasks": [task.pk], "arm": "text_few_shot"}
    status, answer = api("trainer", splits=["test"]).json("POST", "/episodes", body)
    assert (status, answer["error"]["code"]) == (422, "no_exemplars")


def test_a_thousand_tasks_take_a_handful_of_statements(
    trainer: ApiClient, train_split: list[Task], django_assert_max_num_queries: Any
) -> None:
    tasks = [factories.task(split="test").pk for _ in range(100)]
    run = factories.run().pk
    with django_assert_max_num_queries(13):
        status, answer = trainer.json(
            "POST", "/episodes", {"run": run, "tasks": tasks, "arm": "text_few_shot", "samples_per_task": 10}
        )
    assert status == 201
    assert len(answer["messages"]) > 90


@pytest.mark.parametrize("kind", ["train", "eval"])
def test_a_solved_program_shows_the_asserts_that_the_run_shows(trainer: ApiClient, kind: str) -> None:
    benchmark = factories.benchmark(
        id="mbpp", kind="code", verifier_official="code-v1", verifier_training="code_strict-v1"
    )
    shown = {"text": "Add.", "format": "plain", "signature": "def f(a):", "asserts": ["assert f(1) == 2"]}
    task = factories.task(
        benchmark=benchmark, kind="code", payload=shown, split="prompt", answer="def f(a): 1"
    )
    Gold.objects.filter(task=task).update(extra={"tests": ["assert f(1) == 2", "assert f(5) == 6"]})
    task = factories.task(benchmark=benchmark, kind="code", payload={**shown, "text": "Other words."})
    answer = _open(trainer, run=factories.run(kind=kind).pk, tasks=[task.pk], shots=1)
    (messages,) = answer["messages"].values()
    assert ("assert f(5) == 6" in messages[1]["content"]) == (kind == "eval")
    assert messages[2]["content"].endswith("Answer:\n```python\ndef f(a): 1\n```")


@pytest.mark.parametrize(
    ("form", "answer", "reply"),
    [
        ("line", "B", "Because.\n\nAnswer: B"),
        ("line", "two\nlines", "Because.\n\nAnswer: two lines"),
        ("values", ["a", "b c"], "Because.\n\nAnswer: a | b c"),
        ("values", "a", "Because.\n\nAnswer: a"),
        ("values", ["a|b", "c"], "Because.\n\nAnswer: a\\|b | c"),
        ("line", "|x|", "Because.\n\nAnswer: |x|"),
        ("program", "x = 1\n", "Because.\n\nAnswer:\n```python\nx = 1\n```"),
        ("program", "x = '```'", "Because.\n\nAnswer:\n````python\nx = '```'\n````"),
    ],
)
def test_a_reply_ends_in_the_requested_answer_form(form: Any, answer: Any, reply: str) -> None:
    assert conversation.build_reply(form=form, answer=answer, solution=" Because.\n") == reply


@pytest.mark.parametrize(
    ("form", "answer"),
    [
        ("line", "\\frac{1}{2}"),
        ("values", ["a|b", "c d"]),
        ("program", "def f():\n    return '```'"),
        ("program", 'x = """\n````\n"""'),
    ],
)
def test_a_client_extracts_the_answer_from_a_reply(form: Any, answer: Any) -> None:
    reply = conversation.build_reply(
        form=form, answer=answer, solution="Answer: not this\n```\nnor this\n```"
    )
    assert answer_extract(reply, form=form) == answer


def test_a_solution_that_is_the_answer_is_not_repeated() -> None:
    assert (
        conversation.build_reply(form="program", answer="x = 1", solution="x = 1\n")
        == "Answer:\n```python\nx = 1\n```"
    )
    assert conversation.build_reply(form="line", answer="B", solution="") == "Answer: B"


def test_a_refill_shows_no_solution_to_a_key_of_another_split(
    trainer: ApiClient, train_split: list[Task], api: Any
) -> None:
    _open(trainer)
    group = Group.objects.get().pk
    of_test = api("read", "trainer", splits=["test"])
    status, answer = of_test.json("POST", f"/groups/{group}/refill", {"count": 1})
    assert (status, answer["error"]["code"]) == (422, "no_exemplars")
    assert "Worked" not in str(answer)
