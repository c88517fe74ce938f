from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tasks_app.models import Task
from tests import factories
from trajectories.models import PolicyVersion, Run, SamplerDraw, SamplerTask

BAND = {"kind": "success_band", "low": 0.2, "high": 0.8}


def _tasks(count: int, **fields: Any) -> list[Task]:
    return [factories.task(**fields) for _ in range(count)]


def _results(run: Run, task: Task, outcomes: str, **fields: Any) -> None:
    """A group of the task: ``c`` for correct, ``i`` for incorrect, ``v`` for void."""
    names = {"c": ("correct", "answer"), "i": ("incorrect", "answer"), "v": ("void", "cancelled")}
    group = factories.group(run=run, task=task)
    for letter in outcomes:
        factories.verdict(factories.episode(group=group, **fields), *names[letter])


def _sampler(trainer: Any, run: Run, **fields: Any) -> int:
    body = {"run": run.pk, "strategy": {"kind": "uniform"}, "seed": 7, **fields}
    status, sampler = trainer.json("POST", "/samplers", body)
    assert status == 201, sampler
    return int(sampler["id"])


def _draw(trainer: Any, sampler: int, count: int, **fields: Any) -> Any:
    status, draw = trainer.json("POST", f"/samplers/{sampler}/draw", {"count": count, **fields})
    assert status == 200, draw
    return draw


def test_a_sampler_says_what_it_draws_from_and_how(trainer: Any) -> None:
    run = factories.run(kind="train")
    _tasks(3)

    body = {"run": run.pk, "strategy": BAND, "tasks": {"benchmark": "gsm8k"}, "seed": 5}
    status, sampler = trainer.json("POST", "/samplers", body)

    assert status == 201
    assert (sampler["run"], sampler["seed"], sampler["size"]) == (run.pk, 5, 3)
    assert (sampler["splits"], sampler["draws"], sampler["position"]) == (["train"], 0, 0)
    assert sampler["plan"]["strategy"]["kind"] == "success_band"
    assert trainer.json("GET", f"/samplers/{sampler['id']}") == (200, sampler)
    assert trainer.json("GET", f"/samplers?run={run.pk}")[1]["results"] == [sampler]
    assert trainer.json("GET", f"/samplers?run={run.pk + 1}")[1]["results"] == []


def test_a_draw_has_different_tasks_with_their_samples_and_steps(trainer: Any) -> None:
    run, tasks = factories.run(kind="train"), _tasks(6)
    sampler = _sampler(
        trainer,
        run,
        rollouts={"kind": "constant", "count": 4},
        horizon={"kind": "multiplicative", "start": 5, "end": 12},
    )

    draws = [_draw(trainer, sampler, 4) for _ in range(3)]

    ids = {task.pk for task in tasks}
    for draw in draws:
        drawn = [item["task"] for item in draw["items"]]
        assert len(set(drawn)) == 4
        assert ids.issuperset(drawn)
    assert [draw["number"] for draw in draws] == [1, 2, 3]
    assert [{item["max_steps"] for item in draw["items"]} for draw in draws] == [{5}, {10}, {12}]
    assert {item["samples_per_task"] for draw in draws for item in draw["items"]} == {4}
    assert draws[0]["summary"]["samples"] == 16


def test_a_repeated_draw_is_the_same_whatever_was_judged_since(trainer: Any) -> None:
    run, tasks = factories.run(kind="train"), _tasks(8)
    sampler = _sampler(trainer, run, strategy=BAND)
    first = _draw(trainer, sampler, 3, number=1)
    for task in tasks:
        _results(run, task, "cccc")

    assert _draw(trainer, sampler, 3, number=1) == first
    second = _draw(trainer, sampler, 3, number=2)
    assert second["number"] == 2
    assert second["position"] == 32
    page = trainer.json("GET", f"/samplers/{sampler}/draws")[1]
    assert page == {"results": [first, second], "next": None}


def test_an_idempotency_key_gives_the_same_draw_too(trainer: Any) -> None:
    _tasks(5)
    sampler = _sampler(trainer, factories.run(kind="train"))
    address, body = f"/samplers/{sampler}/draw", {"count": 2}

    answers = [trainer.json("POST", address, body, headers={"Idempotency-Key": "a"}) for _ in range(2)]

    assert answers[0] == answers[1]
    assert SamplerDraw.objects.count() == 1


def test_the_same_seed_and_results_give_the_same_draws(trainer: Any) -> None:
    run, tasks = factories.run(kind="train"), _tasks(9)
    one, same = (_sampler(trainer, run, strategy=BAND, seed=3) for _ in range(2))
    other = _sampler(trainer, run, strategy=BAND, seed=4)
    _draw(trainer, one, 4)
    _results(run, tasks[0], "ccci")
    _draw(trainer, one, 4)
    _results(run, tasks[1], "iii")
    _draw(trainer, same, 4)  # has seen other results by its first draw

    third, third_of_same, third_of_other = (
        [_draw(trainer, sampler, 4, number=number) for number in range(1, 4)][-1]["items"]
        for sampler in (one, same, other)
    )

    assert third == third_of_same
    assert third != third_of_other


def test_results_are_known_with_newer_ones_weighing_more(trainer: Any) -> None:
    run, (task, _) = factories.run(kind="train"), _tasks(2)
    sampler = _sampler(trainer, run, strategy={**BAND, "exploration": 0}, half_life=1)
    _results(run, task, "cci")
    _draw(trainer, sampler, 1)
    _results(run, task, "vi")
    draw = _draw(trainer, sampler, 2)

    known = SamplerTask.objects.get(sampler=sampler, task=task)
    # By age: i 1, i 1/2, c 1/4, c 1/8; the void one does not count.
    assert (known.correct, known.incorrect, known.judged) == (0.375, 1.5, 4)
    why = next(item["why"] for item in draw["items"] if item["task"] == task.pk)
    assert (why["posterior"], why["mean"]) == ([1.375, 2.5], round(1.375 / 3.875, 4))


def test_guided_episodes_and_probes_do_not_count(trainer: Any) -> None:
    run, (task,) = factories.run(kind="train"), _tasks(1)
    sampler = _sampler(trainer, run)
    _results(run, task, "c", guidance={"kind": "hint", "fraction": 0.5, "hash": ""})
    _results(run, task, "c", arm="probe_read")
    _results(run, task, "i", arm="gym")

    _draw(trainer, sampler, 1)

    known = SamplerTask.objects.get(sampler=sampler, task=task)
    assert (known.correct, known.incorrect, known.judged) == (0, 1, 1)


def test_what_a_sampler_knows_does_not_depend_on_when_it_drew(trainer: Any) -> None:
    run, (task, _) = factories.run(kind="train"), _tasks(2)
    often, once = (_sampler(trainer, run, half_life=3) for _ in range(2))
    for letter in "cicciiicvcc":
        _results(run, task, letter)
        _draw(trainer, often, 1)
    _draw(trainer, once, 1)

    known = [SamplerTask.objects.get(sampler=sampler, task=task) for sampler in (often, once)]
    assert known[0].correct == pytest.approx(known[1].correct)
    assert known[0].incorrect == pytest.approx(known[1].incorrect)
    assert known[0].judged == known[1].judged == 10


def test_a_draw_tells_what_has_come_in_since_the_last_one(trainer: Any) -> None:
    run = factories.run(kind="train")
    easy, hard, unknown, lost = (factories.task(difficulty=value) for value in (0.1, 0.9, None, 0.5))
    PolicyVersion.objects.create(run=run, version=4)
    sampler = _sampler(trainer, run)
    _draw(trainer, sampler, 1)
    _results(run, easy, "ccc")
    _results(run, hard, "ci")
    _results(run, unknown, "iv")
    _results(run, lost, "vv")

    draw = _draw(trainer, sampler, 2)

    assert draw["policy_version"] == 4
    assert draw["summary"]["results"] == {
        "easy": {"judged": 3, "correct": 3},
        "hard": {"judged": 2, "correct": 1},
        "unknown": {"judged": 1, "correct": 0},
    }
    counts = [draw["summary"][name] for name in ("groups", "degenerate", "teaching")]
    assert counts == [4, 1, 1], "two groups have fewer than two judged samples"
    assert (draw["summary"]["tried"], draw["summary"]["reasons"]) == (3, {"uniform": 2})


@pytest.mark.parametrize("how", [{"guidance": {"kind": "hint"}}, {"parent_id": 1}, {"is_taken_over": True}])
def test_groups_that_are_not_plain_teach_a_sampler_nothing(trainer: Any, how: dict[str, Any]) -> None:
    run, (task,) = factories.run(kind="train"), _tasks(1)
    sampler = _sampler(trainer, run)
    _draw(trainer, sampler, 1)
    _results(run, task, "ci", **how)
    _results(run, task, "cc", **how)
    _results(run, task, "ii")

    summary = _draw(trainer, sampler, 1)["summary"]

    assert [summary[name] for name in ("groups", "degenerate", "teaching")] == [1, 1, 0]


def test_a_training_run_draws_from_training_splits_alone(trainer: Any) -> None:
    run = factories.run(kind="train")
    trained = _tasks(2, split="train") + _tasks(1, split="random-split-1-train")
    held_out = _tasks(2, split="test")

    _, sampler = trainer.json("POST", "/samplers", {"run": run.pk, "strategy": {"kind": "uniform"}})

    assert sampler["splits"] == ["random-split-1-train", "train"]
    drawn = _draw(trainer, sampler["id"], 3)["items"]
    assert {item["task"] for item in drawn} == {task.pk for task in trained}
    for tasks in ({"split": "test"}, {"ids": [trained[0].pk, held_out[0].pk]}):
        body = {"run": run.pk, "strategy": {"kind": "uniform"}, "tasks": tasks}
        status, answer = trainer.json("POST", "/samplers", body)
        assert (status, answer["error"]["code"]) == (422, "evaluation_split")
        body["tasks"] = {**tasks, "evaluation_splits": True}
        assert trainer.json("POST", "/samplers", body)[0] == 201


def test_an_evaluation_run_draws_from_any_split(trainer: Any) -> None:
    _tasks(2, split="test")

    sampler = _sampler(trainer, factories.run(kind="eval"))

    assert len(_draw(trainer, sampler, 2)["items"]) == 2


def test_a_key_limited_to_splits_draws_and_sees_only_those(api: Callable[..., Any]) -> None:
    run = factories.run(kind="eval")
    mine, hidden = _tasks(1, split="train")[0], _tasks(1, split="test")[0]
    limited, other = api("trainer", splits=["train"]), api("trainer", splits=["dev"])

    sampler = _sampler(limited, run)

    assert [item["task"] for item in _draw(limited, sampler, 1)["items"]] == [mine.pk]
    body = {"run": run.pk, "strategy": {"kind": "uniform"}, "tasks": {"ids": [hidden.pk]}}
    assert limited.json("POST", "/samplers", body)[1]["error"]["code"] == "unknown_task"
    assert other.json("GET", f"/samplers/{sampler}")[0] == 404
    assert other.json("GET", f"/samplers/{sampler}/draws")[0] == 404
    assert other.json("POST", f"/samplers/{sampler}/draw", {"count": 1})[0] == 404
    assert other.json("GET", "/samplers")[1]["results"] == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"count": 3}, 422, "too_few_tasks"),
        ({"count": 1, "number": 3}, 409, "draw_ahead"),
        ({"count": 2, "number": 1}, 409, "draw_exists"),
        ({"count": 0}, 400, "invalid"),
        ({"count": 1, "number": 0}, 400, "invalid"),
    ],
)
def test_a_draw_that_cannot_be_made_is_refused(trainer: Any, body: Any, status: int, code: str) -> None:
    _tasks(2)
    sampler = _sampler(trainer, factories.run(kind="train"))
    _draw(trainer, sampler, 1)

    answer = trainer.json("POST", f"/samplers/{sampler}/draw", body)

    assert (answer[0], answer[1]["error"]["code"]) == (status, code)
    assert SamplerDraw.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"strategy": {"kind": "unifrom"}}, 400, "invalid"),
        ({"strategy": {"kind": "success_band", "low": 0.8, "high": 0.2}}, 400, "invalid"),
        ({"horizon": {"kind": "additive", "start": 9, "end": 3}}, 400, "invalid"),
        ({"horizon": {"kind": "stepwise", "steps": [8, 12], "after": []}}, 400, "invalid"),
        ({"horizon": {"kind": "stepwise", "steps": [8, 12, 15], "after": [80, 80]}}, 400, "invalid"),
        ({"rollouts": {"kind": "by_need", "least": 9, "most": 3}}, 400, "invalid"),
        ({"tasks": {"splitt": "train"}}, 400, "invalid"),
        ({"tasks": {"difficulty_min": 0.7, "difficulty_max": 0.2}}, 400, "invalid"),
        ({"tasks": {"ids": []}}, 400, "invalid"),
        ({"tasks": {"ids": [999_999]}}, 422, "unknown_task"),
        ({"tasks": {"benchmark": "gsm9k"}}, 422, "unknown_benchmark"),
        ({"tasks": {"split": "trian"}}, 422, "unknown_split"),
        ({"tasks": {"tags": ["nothing"]}}, 422, "no_tasks"),
        ({"run": 999_999}, 404, "unknown_run"),
    ],
)
def test_a_sampler_that_cannot_be_is_refused(trainer: Any, body: Any, status: int, code: str) -> None:
    _tasks(1)
    run = factories.run(kind="train")

    answer = trainer.json("POST", "/samplers", {"run": run.pk, "strategy": {"kind": "uniform"}, **body})

    assert (answer[0], answer[1]["error"]["code"]) == (status, code)


def test_no_gold_is_in_what_a_sampler_says(trainer: Any) -> None:
    run, tasks = factories.run(kind="train"), _tasks(3, answer="gold-canary-answer")
    _results(run, tasks[0], "ci")
    sampler = _sampler(trainer, run, strategy=BAND)
    _draw(trainer, sampler, 3)

    for address in ("/samplers", f"/samplers/{sampler}", f"/samplers/{sampler}/draws"):
        assert "canary" not in str(trainer.json("GET", address))


def test_the_lab_may_do_all_this_and_a_reader_may_not_draw(
    api: Callable[..., Any], as_role: Callable[[str], Any]
) -> None:
    _tasks(2)
    run, trainer, reader = factories.run(kind="train"), api("trainer"), api("read")
    with as_role("gym_lab"):
        sampler = _sampler(trainer, run, strategy=BAND)
        draw = _draw(trainer, sampler, 2)
        assert reader.json("GET", f"/samplers/{sampler}/draws")[1]["results"] == [draw]
        assert reader.json("POST", f"/samplers/{sampler}/draw", {"count": 1})[0] == 403
        assert reader.json("POST", "/samplers", {"run": run.pk})[0] == 403
