from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.errors import GymError
from tasks_app.models import Gold, Task
from tests import factories
from tests.tasks_app import samples
from trajectories.models import Episode, Submission
from trajectories.record.api import health
from trajectories.rollouts.judging import services
from validation.benchmarks import rounds

pytestmark = pytest.mark.django_db
ALL_UP = {"redis": "ok", "workers": "ok", "sweeper": "ok", "sandbox": "ok"}


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judges the pending answers with the workers' own service while the check sleeps."""

    def judge() -> None:
        for episode_id in Submission.objects.filter(judged_at=None).values_list("episode_id", flat=True):
            services.submission_judge(episode_id=episode_id)

    monkeypatch.setattr(rounds, "_pause", judge)
    monkeypatch.setattr(health, "health_report", lambda: ALL_UP)


def _check(*tasks: Task) -> list[rounds.Finding]:
    return list(rounds.tasks_check(tasks, runs=rounds.runs_make("it"), progress=lambda _count: None))


def _run(path: Path, **options: Any) -> str:
    out = io.StringIO()
    call_command("check_benchmarks", path, stdout=out, **options)
    return out.getvalue()


def _cases(findings: list[rounds.Finding]) -> list[tuple[str, str, bool]]:
    return [(finding.run_kind, finding.role, finding.is_expected) for finding in findings]


EVERY_CASE = [
    ("eval", "own gold", True),
    ("eval", "wrong answer", True),
    ("train", "own gold", True),
    ("train", "wrong answer", True),
]


def test_every_gold_and_a_wrong_answer_are_judged_in_both_kinds_of_run(worker: None) -> None:
    findings = _check(factories.task(answer="42"), factories.task(answer="7"))
    assert sorted(set(_cases(findings))) == EVERY_CASE
    assert len(findings) == 8
    assert {finding.answer for finding in findings} == {"42", "7"}


def test_reordered_choices_are_answered_by_the_label_shown(worker: None) -> None:
    arc = factories.benchmark(
        id="arc", kind="choice", verifier_official="choice-v2", verifier_training="choice-v2"
    )
    choices = [{"label": label, "text": f"text {label}"} for label in "ABCD"]
    payload = {"text": "Which?", "format": "plain", "choices": choices, "order": "free"}
    tasks = [factories.task(benchmark=arc, kind="choice", payload=payload, answer="B") for _ in range(6)]
    findings = _check(*tasks)
    assert sorted(set(_cases(findings))) == EVERY_CASE
    training = {str(finding.answer) for finding in findings if finding.run_kind == "train"}
    assert len(training) > 2
    assert Episode.objects.filter(variation__order__isnull=False).count() == 12


def test_answers_that_are_lists_are_submitted_as_lists(worker: None) -> None:
    tables = factories.benchmark(
        id="wikitable", kind="table", verifier_official="denotation-v1", verifier_training="denotation-v1"
    )
    payload = {"text": "Who?", "format": "plain", "table": {"header": ["a"], "rows": [["b"]]}}
    findings = _check(factories.task(benchmark=tables, kind="table", payload=payload, answer="b|c"))
    assert sorted(set(_cases(findings))) == EVERY_CASE
    assert Submission.objects.filter(answer=["b", "c"]).count() == 2


def test_a_gold_that_its_verifier_rejects_is_reported_with_its_parsed_form(worker: None) -> None:
    broken = factories.task(answer="about forty")
    Gold.objects.filter(task=factories.task(answer="12")).update(status=Gold.Status.DISPUTED)
    findings = _check(broken, Task.objects.exclude(pk=broken.pk).get())
    surprises = [finding for finding in findings if not finding.is_expected]
    assert {finding.task for finding in surprises} == {broken}
    assert any(finding.role == "own gold" and finding.read for finding in surprises)
    assert {finding.is_disputed for finding in findings if finding.task != broken} == {True}


def test_the_check_fails_when_no_worker_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "SILENT_S", 0.0)
    monkeypatch.setattr(rounds, "_pause", lambda: None)
    with pytest.raises(GymError, match="4 answers are waiting"):
        _check(factories.task())


def test_a_folder_is_imported_judged_and_reported_by_split(worker: None, tmp_path: Path) -> None:
    samples.jsonl(tmp_path / "gsm8k" / "train.jsonl", samples.GSM8K)
    samples.jsonl(tmp_path / "math500" / "test.jsonl", samples.MATH500)
    rows = [line.split() for line in _run(tmp_path).splitlines()]
    assert rows[1][:9] == ["gsm8k/train", "3", "0", "3/3", "3/3", "3/3", "3/3", "0", "0"]
    assert rows[2][0] == "math500/test"
    assert len(_run(tmp_path, benchmark="gsm8k", limit=2).splitlines()) == 2


def test_a_bad_row_is_reported_and_fails_the_check(worker: None, tmp_path: Path) -> None:
    samples.jsonl(tmp_path / "gsm8k" / "train.jsonl", [*samples.GSM8K, {"question": "Only?"}])
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 bad rows, 0 answers"):
        call_command("check_benchmarks", tmp_path, stdout=out)
    assert "gsm8k/train: bad row train.jsonl:4" in out.getvalue()


def test_a_gold_that_fails_is_reported_with_its_cause_and_fails_the_check(
    worker: None, tmp_path: Path
) -> None:
    samples.jsonl(tmp_path / "gsm8k" / "train.jsonl", samples.GSM8K)
    _run(tmp_path)
    first = Gold.objects.get(answer="30")
    Gold.objects.filter(pk=first.pk).update(is_current=False)
    Gold.objects.create(task=first.task, version=2, answer="thirty", status=Gold.Status.CORRECTED)
    out = io.StringIO()
    with pytest.raises(CommandError, match="not judged as expected"):
        call_command("check_benchmarks", tmp_path, stdout=out)
    assert "gsm8k/train/1: own gold thirty: void (verifier_error)" in out.getvalue()


def test_without_workers_the_error_says_what_to_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(health, "health_report", lambda: {**ALL_UP, "workers": "down"})
    with pytest.raises(CommandError, match=r"make up.*workers"):
        _run(tmp_path)


def test_an_empty_folder_is_an_error(worker: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="contains no folder named after a benchmark"):
        _run(tmp_path)
