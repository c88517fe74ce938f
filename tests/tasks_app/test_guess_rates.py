from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, transaction

from tasks_app import guess_rates, loader
from tasks_app.guess_rates import CLASS_MIN, Sampled, blind_share, find_classes
from tasks_app.models import Gold as StoredGold
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from tests import factories
from tests.tasks_app import samples
from verifiers.types import Evidence, Gold


def _sample(*answers: str) -> list[Sampled]:
    return [Sampled((), Gold(answer), answer) for answer in answers]


def _never(_gold: Gold, _evidence: Evidence) -> bool:
    return False


def test_the_blind_answer_is_the_commonest_gold_of_the_other_tasks() -> None:
    assert blind_share(_sample(*["yes"] * 7, *["no"] * 4), judge=_never) == 0.6
    assert blind_share(_sample(*["yes"] * 16, *["no"] * 15), judge=_never) == 0.5
    assert blind_share(_sample(*map(str, range(40))), judge=_never) == 0.0


def test_the_verifier_judges_the_blind_answer() -> None:
    def within_one(gold: Gold, evidence: Evidence) -> bool:
        return abs(int(gold.answer) - int(str(evidence.answer))) <= 1

    assert blind_share(_sample("10", "10", "11", "9", "50"), judge=within_one) == 0.75


def test_classes_of_fewer_than_thirty_tasks_merge_into_coarser_ones() -> None:
    def ladder(first: str, second: str) -> list[tuple[str, ...]]:
        return [(first, second), (first,), (), ()]

    many = [ladder("how", "many")] * CLASS_MIN
    few = [ladder("how", f"w{number}") for number in range(CLASS_MIN - 1)]
    assert find_classes(many + few) == {("how", "many"), ()}
    assert find_classes(many + few + [ladder("how", "else")]) == {("how", "many"), ("how",), ()}
    assert find_classes([*few, ladder("who", "won")]) == {()}
    assert find_classes(few) == set()


def _split(answers: dict[str, list[str]], **fields: Any) -> None:
    for first, golds in answers.items():
        for number, answer in enumerate(golds):
            factories.task(answer=answer, payload={"text": f"{first} n{number}?"}, **fields)


@pytest.mark.django_db
def test_every_task_gets_the_rate_of_its_class_and_choices_keep_their_own() -> None:
    _split({"How many": ["2"] * 15 + ["2.0"] * 15, "What is": [str(number) for number in range(30)]})
    choice = factories.task(guess_rate=0.25, payload={"text": "How many?", "choices": []})

    guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="train")

    rates = dict(Task.objects.exclude(pk=choice.pk).values_list("payload__text", "guess_rate"))
    assert {rate for text, rate in rates.items() if text.startswith("How many")} == {1.0}
    assert {rate for text, rate in rates.items() if text.startswith("What is")} == {0.0}
    choice.refresh_from_db()
    assert choice.guess_rate == 0.25


@pytest.mark.django_db
def test_tasks_outside_the_finer_classes_get_the_rate_of_the_whole_sample() -> None:
    _split({"How many": ["2"] * 20 + ["3"] * 20, "Who": ["2"] * 10, "When": ["4"] * 11})
    guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="train")
    rates = {text.split()[0]: rate for text, rate in Task.objects.values_list("payload__text", "guess_rate")}
    assert rates == {"How": round(19 / 39, 4), "Who": round(29 / 60, 4), "When": round(29 / 60, 4)}


@pytest.mark.django_db
def test_a_class_that_disputes_make_too_small_is_measured_in_a_coarser_one() -> None:
    _split({"How many": ["2"] * CLASS_MIN, "Who": ["5"]})
    first = Task.objects.order_by("pk")[0]
    StoredGold.objects.filter(task=first).update(status=StoredGold.Status.DISPUTED)
    guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="train")
    assert set(Task.objects.values_list("guess_rate", flat=True)) == {round(28 / 29, 4)}


@pytest.mark.django_db
def test_measuring_again_updates_no_row() -> None:
    _split({"How many": ["2"] * 30})
    means = [guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="train") for _ in range(2)]
    stamps = set(Task.objects.values_list("updated_at", flat=True))
    assert means == [1.0, 1.0]
    guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="train")
    assert set(Task.objects.values_list("updated_at", flat=True)) == stamps


@pytest.mark.django_db
def test_rates_are_written_only_when_no_load_is_running() -> None:
    _split({"How many": ["2"] * CLASS_MIN})
    with psycopg.connect(**connection.get_connection_params()) as other, other.cursor() as their_cursor:
        loader.turn_take(their_cursor)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '50ms'")
        with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
            guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="train")
        assert set(Task.objects.values_list("guess_rate", flat=True)) == {0.0}


@pytest.mark.django_db
def test_a_small_split_and_disputed_golds_are_not_measured() -> None:
    _split({"How many": ["2"] * (CLASS_MIN - 1)})
    disputed = factories.task(answer="2", payload={"text": "How many more?"})
    StoredGold.objects.filter(task=disputed).update(status=StoredGold.Status.DISPUTED)
    assert guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="train") == 0.0
    assert guess_rates.guess_rates_store(benchmarks.get("gsm8k"), split="nothing") is None


@pytest.mark.django_db
def test_measuring_guess_rates_runs_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guess_rates, "judge_guarded", None)
    mbpp = factories.benchmark(id="mbpp", kind="code")
    for number in range(CLASS_MIN):
        answer = f"def f(): return {number}"
        factories.task(benchmark=mbpp, kind="code", answer=answer, payload={"text": "Write a function."})
    assert guess_rates.guess_rates_store(benchmarks.get("mbpp"), split="train") == 0.0


@pytest.mark.django_db
def test_loading_measures_and_loading_again_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"question": f"How many are n{number}?", "answer": f"#### {number % 2}"} for number in range(40)]
    file = samples.jsonl(tmp_path / "train.jsonl", rows)
    call_command("load_benchmark", "gsm8k", file=file)
    assert f"{19 / 39:.1%}" in capsys.readouterr().out
    rates = set(Task.objects.values_list("guess_rate", flat=True))
    stamps = set(Task.objects.values_list("updated_at", flat=True))
    assert len(rates) == 1
    report = loader.tasks_load(benchmarks.get("gsm8k"), samples.read("gsm8k", file), split="train")
    call_command("load_benchmark", "gsm8k", file=file)
    assert (report.new, report.changed, report.unchanged) == (0, 0, 40)
    assert set(Task.objects.values_list("updated_at", flat=True)) == stamps
