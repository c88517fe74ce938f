from __future__ import annotations

import shutil
from typing import Any

import pytest

from tasks_app.models import Gold
from tests import factories
from trajectories.models import Verdict, VerdictEvidence
from trajectories.record import hot_sql
from trajectories.rollouts.judging import rejudge, services
from verifiers import programs, registry, types
from verifiers.children import ChildPool, VerifierCrash, VerifierStalled, VerifierTimeout
from verifiers.sandbox import Report, SandboxStalled, Suite
from verifiers.wire import Job

pytestmark = pytest.mark.django_db


def _judged(answer: str, **task: Any) -> Verdict:
    episode = factories.episode(task=factories.task(**task))
    factories.submission(episode, answer)
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


def test_a_right_answer_earns_the_reward() -> None:
    verdict = _judged("42")
    assert (verdict.outcome, verdict.reward, verdict.reason) == ("correct", 1.0, "answer")
    assert verdict.verifier == "numeric-v1"
    assert verdict.latency_ms is not None
    assert verdict.latency_ms > 0


def test_a_wrong_answer_earns_nothing() -> None:
    verdict = _judged("41")
    assert (verdict.outcome, verdict.reward, verdict.terminated) == ("incorrect", 0.0, True)


def test_evidence_keeps_the_parsed_forms() -> None:
    verdict = _judged("41")
    data = VerdictEvidence.objects.get(verdict=verdict).data
    assert data["verifiers"]["numeric-v1"]["parsed_gold"] == "42"
    assert data["answer"] == "41"


def test_judging_twice_writes_one_verdict(django_assert_num_queries: Any) -> None:
    episode = factories.episode()
    factories.submission(episode)
    with django_assert_num_queries(2):
        assert services.submission_judge(episode_id=episode.pk)
    assert not services.submission_judge(episode_id=episode.pk)
    assert Verdict.objects.filter(episode=episode).count() == 1


@pytest.mark.parametrize(
    ("failure", "reason"), [(VerifierTimeout, "verifier_timeout"), (VerifierCrash, "verifier_error")]
)
def test_our_failure_is_void_and_not_a_reward_of_zero(monkeypatch: Any, failure: Any, reason: str) -> None:
    def fail(*_args: Any, **_kwargs: Any) -> None:
        raise failure(reason, "ours")

    monkeypatch.setattr(services, "judge_guarded", fail)
    verdict = _judged("42")
    assert (verdict.outcome, verdict.reward, verdict.reason) == ("void", None, reason)
    assert not verdict.terminated


def test_a_machine_that_stood_still_leaves_the_answer_to_be_judged_later(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def stall(*_args: Any, **_kwargs: Any) -> None:
        raise VerifierStalled("verifier_timeout", "stood still")

    episode = factories.episode()
    factories.submission(episode, "42")
    with monkeypatch.context() as patch:
        patch.setattr(services, "judge_guarded", stall)
        with pytest.raises(VerifierStalled):
            services.submission_judge(episode_id=episode.pk)
    settings.CLAIM_LOST_S = 0.0
    assert services.submission_judge(episode_id=episode.pk)
    assert Verdict.objects.get(episode=episode).outcome == "correct"


def test_a_program_that_the_machine_held_up_is_judged_later(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def stall(*_args: Any, **_kwargs: Any) -> None:
        raise SandboxStalled("verifier_timeout", "held up")

    monkeypatch.setattr(programs, "suite_run", stall)
    with pytest.raises(VerifierStalled):
        _judged_program("def add(a, b): return a + b")
    assert not Verdict.objects.exists()


def _judged_program(program: str, *, kind: str = "eval", **gold: Any) -> Verdict:
    benchmark = factories.benchmark(
        id="programs", verifier_official="code-v1", verifier_training="code_strict-v1"
    )
    task = factories.task(benchmark=benchmark, answer="assert add(1, 2) == 3")
    Gold.objects.filter(task=task).update(**gold)
    episode = factories.episode(run=factories.run(kind=kind), task=task)
    factories.submission(episode, program)
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
@pytest.mark.parametrize(
    ("program", "outcome"),
    [("def add(a, b): return a + b", "correct"), ("import os; os._exit(0)", "incorrect")],
)
def test_programs_are_judged_in_the_sandbox(monkeypatch: Any, program: str, outcome: str) -> None:
    monkeypatch.setattr(services, "children", None)
    verdict = _judged_program(program)
    assert (verdict.outcome, verdict.verifier) == (outcome, "code-v1")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_a_program_in_training_gets_both_verdicts_from_one_run(monkeypatch: Any) -> None:
    runs: list[str] = []
    run = programs.suite_run

    def counted(program: str, suite: Suite, **limits: Any) -> Report:
        runs.append(program)
        return run(program, suite, **limits)

    monkeypatch.setattr(programs, "suite_run", counted)
    listing = "def add(a, b):\n    return {(1, 2): 3}[a, b]"
    verdict = _judged_program(listing, kind="train", extra={"pairs": [["add(2, 2)", 4]]})
    assert (verdict.outcome, verdict.verifier) == ("incorrect", "code_strict-v1")
    assert verdict.official == {"verifier": "code-v1", "outcome": "correct", "reward": 1.0}
    assert len(runs) == 1


RAISES = "def add(a, b):\n    raise ValueError('x{}y')"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
@pytest.mark.parametrize("raised", [r"\0", r"\ud800"])
def test_a_raised_message_that_postgres_cannot_store_is_incorrect(raised: str) -> None:
    verdict = _judged_program(RAISES.replace("{}", raised))
    assert (verdict.outcome, verdict.reason) == ("incorrect", "answer")
    parsed_answer = VerdictEvidence.objects.get(verdict=verdict).data["verifiers"]["code-v1"]["parsed_answer"]
    assert parsed_answer.startswith("CandidateError: ValueError: x")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_an_error_raised_by_a_program_does_not_stop_rejudging() -> None:
    verdict = _judged_program(RAISES.replace("{}", r"\0"))
    Gold.objects.filter(task=verdict.episode.task).update(version=2)
    list(rejudge.rejudge(benchmark=None, is_dry_run=False))
    assert list(Verdict.objects.order_by("pk").values_list("gold_version", flat=True)) == [1, 2]


def test_no_parsed_form_prevents_a_verdict(monkeypatch: Any) -> None:
    def judged(*_args: Any, **_kwargs: Any) -> types.Verdict:
        return types.Verdict(correct=False, parsed_gold="\0", parsed_answer="\ud800")

    monkeypatch.setattr(services, "judge_guarded", judged)
    assert _judged("41").outcome == "incorrect"


def test_a_failure_is_void_whatever_its_message(monkeypatch: Any) -> None:
    def fail(*_args: Any, **_kwargs: Any) -> None:
        raise VerifierCrash("verifier_error", "\0\ud800")

    monkeypatch.setattr(services, "judge_guarded", fail)
    verdict = _judged("41")
    assert VerdictEvidence.objects.get(verdict=verdict).data["detail"] == "\ufffd?"


@pytest.mark.parametrize("failure", [RecursionError, MemoryError])
@pytest.mark.parametrize(
    ("passes", "ending"), [(True, ("incorrect", "unparsable_answer")), (False, ("void", "verifier_error"))]
)
def test_a_failure_outside_the_sandbox_blames_the_program_only_if_the_reference_passes(
    monkeypatch: Any, passes: bool, ending: tuple[str, str], failure: type[Exception]
) -> None:
    def run(program: str, suite: Suite, **limits: Any) -> Report:
        if "reference" not in program:
            raise failure
        return Report(passed=(passes,), asserts=(passes,))

    monkeypatch.setattr(programs, "suite_run", run)
    known = {
        "answer": "def add(a, b): return a + b  # reference",
        "extra": {"tests": ["assert add(1, 2) == 3"]},
    }
    verdict = _judged_program("def add(a, b): ...", **known)
    assert (verdict.outcome, verdict.reason) == ending


def test_a_failure_on_the_reference_too_is_ours(monkeypatch: Any) -> None:
    def run(program: str, suite: Suite, **limits: Any) -> Report:
        raise RecursionError

    monkeypatch.setattr(programs, "suite_run", run)
    verdict = _judged_program("def add(a, b): ...")
    assert (verdict.outcome, verdict.reason) == ("void", "verifier_error")


@pytest.mark.parametrize(
    ("dataset", "is_sandboxed"), [("chain_sum", False), ("coin_flip", False), ("jugs", True)]
)
def test_a_puzzle_whose_answer_is_only_parsed_is_judged_in_a_child(
    monkeypatch: Any, dataset: str, is_sandboxed: bool
) -> None:
    ran: list[str] = []

    def run_many(verifier_ids: list[str], **_: Any) -> dict[str, types.Verdict]:
        ran.extend(verifier_ids)
        return {name: types.Verdict(correct=False) for name in verifier_ids}

    monkeypatch.setattr(registry, "run_many", run_many)
    benchmark = factories.benchmark(
        id="puzzles", verifier_official="reasoning_gym-v1", verifier_training="reasoning_gym-v1"
    )
    task = factories.task(benchmark=benchmark, answer="0.25")
    quarter = {"rational": {"numerator": 1, "denominator": 4}}
    Gold.objects.filter(task=task).update(extra={"dataset": dataset, "facts": quarter})
    episode = factories.episode(task=task)
    factories.submission(episode, "\u22120.125")
    services.submission_judge(episode_id=episode.pk)
    assert Verdict.objects.get(episode=episode).outcome == "incorrect"
    assert bool(ran) is is_sandboxed


def test_without_a_sandbox_programs_are_void(monkeypatch: Any) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    verdict = _judged_program("def add(a, b): return a + b")
    assert (verdict.outcome, verdict.reward, verdict.reason) == ("void", None, "sandbox_missing")


def test_bad_asserts_of_a_task_are_our_failure() -> None:
    task = factories.task(
        benchmark=factories.benchmark(
            id="programs", verifier_official="code-v1", verifier_training="code-v1"
        ),
        answer="assert add(1,",
    )
    episode = factories.episode(task=task)
    factories.submission(episode, "def add(a, b): return a + b")
    services.submission_judge(episode_id=episode.pk)
    assert Verdict.objects.get(episode=episode).reason == "verifier_error"


def test_a_task_without_a_gold_is_our_failure() -> None:
    task = factories.task()
    Gold.objects.filter(task=task).update(is_current=False)
    episode = factories.episode(task=task)
    factories.submission(episode)
    services.submission_judge(episode_id=episode.pk)
    assert Verdict.objects.get(episode=episode).reason == "verifier_error"


def test_a_task_without_a_gold_is_not_sent_to_a_child(monkeypatch: Any) -> None:
    messages: list[list[Job]] = []
    monkeypatch.setattr(ChildPool, "verify_together", lambda _pool, jobs: messages.append(jobs) or [])
    benchmark = factories.benchmark(id="two", verifier_official="math-v1", verifier_training="numeric-v1")
    task = factories.task(benchmark=benchmark)
    Gold.objects.filter(task=task).update(is_current=False)
    episode = factories.episode(run=factories.run(kind="train"), task=task)
    factories.submission(episode)
    services.submission_judge(episode_id=episode.pk)
    assert messages == []


def test_training_is_rewarded_by_the_training_verifier_and_both_are_recorded() -> None:
    benchmark = factories.benchmark(id="two", verifier_official="math-v1", verifier_training="numeric-v1")
    task = factories.task(benchmark=benchmark, answer="42")
    episode = factories.episode(run=factories.run(kind="train"), task=task)
    factories.submission(episode)
    services.submission_judge(episode_id=episode.pk)
    verdict = Verdict.objects.get(episode=episode)
    assert verdict.verifier == "numeric-v1"
    assert verdict.official == {"verifier": "math-v1", "outcome": "correct", "reward": 1.0}


def test_rejudging_prints_flips_and_writes_only_on_request() -> None:
    episode = factories.episode()
    factories.submission(episode, "41")
    services.submission_judge(episode_id=episode.pk)
    Gold.objects.filter(task=episode.task).update(is_current=False)
    Gold.objects.create(task=episode.task, version=2, answer="41", status="corrected")
    dry = [flip for flip in rejudge.rejudge(benchmark=None, is_dry_run=True) if flip]
    assert [(flip.before, flip.after, flip.gold_version) for flip in dry] == [("incorrect", "correct", 2)]
    assert Verdict.objects.count() == 1
    list(rejudge.rejudge(benchmark="gsm8k", is_dry_run=False))
    episode.refresh_from_db()
    assert episode.verdict is not None
    assert (episode.verdict.outcome, episode.verdict.run_seq) == ("correct", None)
    assert [flip for flip in rejudge.rejudge(benchmark=None, is_dry_run=False) if flip] == []


def test_rejudging_sends_submissions_to_a_child_in_one_message(monkeypatch: Any) -> None:
    for answer in ("41", "42", "43"):
        _judged(answer)
    messages: list[int] = []
    together = ChildPool.verify_together

    def counted(pool: ChildPool, jobs: list[Job]) -> list[Any]:
        messages.append(len(jobs))
        return together(pool, jobs)

    monkeypatch.setattr(ChildPool, "verify_together", counted)
    assert list(rejudge.rejudge(benchmark=None, is_dry_run=True)) == [None, None, None]
    assert messages == [3]


def test_an_answer_that_ends_its_child_loses_no_other_verdict(monkeypatch: Any) -> None:
    for answer in ("41", "42"):
        _judged(answer)
    monkeypatch.setattr(ChildPool, "verify_together", lambda _pool, jobs: [None] * len(jobs))
    assert list(rejudge.rejudge(benchmark=None, is_dry_run=True)) == [None, None]


def test_a_rejudgement_never_enters_the_stream() -> None:
    episode = factories.episode()
    factories.submission(episode, "41")
    services.submission_judge(episode_id=episode.pk)
    Gold.objects.filter(task=episode.task).update(answer="41", version=2)
    list(rejudge.rejudge(benchmark=None, is_dry_run=False))
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(hot_sql.VERDICTS_AFTER, [episode.run_id, 0, 100])
        assert len(cursor.fetchall()) == 1
