"""What a corrected answer is taken for, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks_app import errata
from tasks_app.errata import ErrataReport
from tasks_app.models import Gold, Task
from tasks_app.registry import benchmarks
from tasks_app.types import Record
from tests import factories
from verifiers import registry
from verifiers import types as verifying

pytestmark = pytest.mark.django_db

LUNGS = ("a nail", "a lung", "hair", "a  bone")


def made(benchmark_id: str, *, answer: str, extra: dict[str, Any] | None = None, **fields: Any) -> Task:
    plugin = benchmarks.get(benchmark_id)
    row = factories.benchmark(
        id=plugin.id,
        kind=plugin.kind,
        verifier_official=plugin.verifier_official,
        verifier_training=plugin.verifier_training,
    )
    task = factories.task(benchmark=row, kind=plugin.kind, answer=answer, **fields)
    Gold.objects.filter(task=task).update(extra=extra or {})
    return task


def choice(*texts: str, labels: str = "ABCD") -> Task:
    shown = [{"label": label, "text": text} for label, text in zip(labels, texts, strict=False)]
    return made("arc", answer=labels[0], payload={"text": "Which?", "choices": shown, "order": "free"})


def correct(task: Task, answer: object) -> ErrataReport:
    line = {"benchmark": task.benchmark_id, "key": task.key, "status": "corrected", "source": "P"}
    return errata.errata_apply([Record(Path("errata.jsonl"), 1, 1, {**line, "corrected_answer": answer})])


def current(task: Task) -> tuple[int, str, list[str]]:
    gold = Gold.objects.get(task=task, is_current=True)
    return gold.version, gold.answer, gold.accepted


@pytest.mark.parametrize("answer", ["B", "b", "(B)", "b.", "The answer is B.", "a lung", " a\nlung "])
def test_any_spelling_of_a_label_and_the_text_of_a_choice_become_the_label(answer: str) -> None:
    task = choice(*LUNGS)
    for report in (correct(task, answer), correct(task, answer)):
        assert report.bad == []
        assert current(task) == (2, "B", [])


@pytest.mark.parametrize("answer", ["Z", "1", "B or C", "lung", "BB", ["B", "Z"]])
def test_an_answer_that_is_neither_label_nor_choice_is_refused_and_not_repeated(answer: object) -> None:
    task = choice(*LUNGS)
    report = correct(task, answer)
    assert [row.problem for row in report.bad] == [
        "the corrected_answer is neither one of A, B, C, D nor the text of just one choice"
    ]
    assert current(task) == (1, "A", [])


def test_a_text_that_looks_like_a_label_matches_the_choice_with_that_text() -> None:
    task = choice("3", "2", "1")
    correct(task, 1)
    assert current(task) == (2, "C", [])


def test_the_label_of_one_choice_that_is_the_text_of_another_is_refused() -> None:
    task = choice("C", "A", "G")
    assert [row.problem for row in correct(task, "A").bad] == [
        "the corrected_answer is the label of one choice and the text of another"
    ]
    correct(task, "(B)")
    assert current(task) == (2, "B", [])


def test_equal_choices_are_right_together() -> None:
    for answer in ("C", "5"):
        task = choice("7", "5", "5")
        correct(task, answer)
        assert sorted([current(task)[1], *current(task)[2]]) == ["B", "C"]


def test_several_right_choices_may_be_named() -> None:
    task = choice(*LUNGS)
    correct(task, ["d", "hair"])
    assert current(task) == (2, "D", ["C"])


def test_a_formula_matches_without_the_dollars_that_loading_added() -> None:
    task = choice(r"$\frac{1}{2}$", r"$\frac{1}{3}$")
    correct(task, r"\frac{1}{3}")
    assert current(task) == (2, "B", [])


@pytest.mark.parametrize("answer", ["one", ["31", "many"]])
def test_an_answer_that_the_verifier_would_not_accept_is_refused(answer: object) -> None:
    task = made("gsm8k", answer="30")
    assert [row.problem for row in correct(task, answer).bad] == [
        "numeric-v1 does not accept the corrected_answer"
    ]
    assert current(task) == (1, "30", [])


def test_correcting_a_table_answer_removes_its_canonical_form() -> None:
    task = made("wikitable", answer="8 m", extra={"canonical": "8.0", "more": 1})
    assert correct(task, "9 m|10 m").bad == []
    gold = Gold.objects.get(task=task, is_current=True)
    assert (gold.answer, gold.extra) == ("9 m|10 m", {"more": 1})
    judged = registry.run(
        "denotation-v1",
        gold=verifying.Gold(gold.answer, extra=gold.extra),
        evidence=verifying.Evidence(("9 m", "10 m")),
    )
    assert judged.correct


def test_a_corrected_program_is_accepted_without_being_run() -> None:
    task = made("mbpp", answer="def f(): return 1", extra={"tests": ["assert f() == 2"]})
    assert correct(task, "while True: pass").bad == []
    assert current(task) == (2, "while True: pass", [])


@pytest.mark.parametrize(("dataset", "is_tried"), [("chain_sum", True), ("word_ladder", False)])
def test_a_puzzles_corrected_answer_is_checked_if_that_needs_no_sandbox(dataset: str, is_tried: bool) -> None:
    task = made("reasoning_gym", answer="30", extra={"dataset": dataset, "facts": {}})
    assert bool(correct(task, "many").bad) is is_tried
    assert correct(task, "31").bad == []
