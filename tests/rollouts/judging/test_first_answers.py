"""The answer before the check is judged as a metric of the verdict, which it never changes."""

from __future__ import annotations

from typing import Any

import pytest

from tasks_app.models import Gold
from tests import factories
from tests.rollouts.judging.test_site_states import cancelling, episode_make, goal
from trajectories.models import Episode, SiteEvent, Verdict, VerdictEvidence
from trajectories.rollouts.judging import rejudge, services
from verifiers.children import VerifierCrash, VerifierStalled

pytestmark = pytest.mark.django_db


def checked(first: Any, second: Any, episode: Episode | None = None) -> Episode:
    episode = episode or factories.episode()
    Episode.objects.filter(pk=episode.pk).update(answer_check="due")
    factories.submission(episode, first)
    factories.submission(episode, second, number=2)
    return episode


def judged(episode: Episode) -> Verdict:
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


@pytest.mark.parametrize(
    ("first", "second", "outcome", "first_correct"),
    [
        ("42", "41", "incorrect", 1.0),
        ("41", "42", "correct", 0.0),
        ("42", "42.0", "correct", 1.0),
        ("41", "40", "incorrect", 0.0),
    ],
)
def test_both_answers_are_judged(first: str, second: str, outcome: str, first_correct: float) -> None:
    verdict = judged(checked(first, second))
    assert (verdict.outcome, verdict.metrics["first_answer_correct"]) == (outcome, first_correct)
    evidence = VerdictEvidence.objects.get(verdict=verdict).data
    assert evidence["first"]["correct"] == bool(first_correct)


@pytest.mark.parametrize("failure", [VerifierCrash, VerifierStalled])
def test_a_failure_on_the_first_answer_costs_no_verdict(
    monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    judge = services.judge_guarded

    def fail_on_first(*args: Any, evidence: Any, **rest: Any) -> Any:
        if evidence.answer == "41":
            raise failure("verifier_error", "ours")
        return judge(*args, evidence=evidence, **rest)

    monkeypatch.setattr(services, "_verdicts_together", lambda jobs: iter([None] * len(jobs)))
    monkeypatch.setattr(services, "judge_guarded", fail_on_first)
    verdict = judged(checked("41", "42"))
    assert verdict.outcome == "correct"
    assert "first_answer_correct" not in verdict.metrics


def test_rejudging_judges_both_by_the_new_gold() -> None:
    episode = checked("43", "42")
    judged(episode)
    Gold.objects.filter(task=episode.task).update(is_current=False)
    Gold.objects.create(task=episode.task, version=2, answer="43", is_current=True)

    list(rejudge.rejudge(benchmark=None, is_dry_run=False))

    episode.refresh_from_db()
    assert episode.verdict is not None
    assert episode.verdict.outcome == "incorrect"
    assert episode.verdict.metrics["first_answer_correct"] == 1.0


def test_the_state_that_the_first_answer_left_is_judged_with_it() -> None:
    event = cancelling(0)
    episode = episode_make(goal(event))
    Episode.objects.filter(pk=episode.pk).update(answer_check="due")
    factories.submission(episode, ["15.00"])
    SiteEvent.objects.create(episode=episode, seq=2, kind=event[0], data=event[1])
    factories.submission(episode, ["15.00"], number=2)
    verdict = judged(episode)
    assert (verdict.outcome, verdict.metrics["first_answer_correct"]) == ("correct", 0.0)


def test_programs_are_judged_with_their_first_answer_in_the_sandbox() -> None:
    benchmark = factories.benchmark(
        id="programs", verifier_official="code-v1", verifier_training="code_strict-v1"
    )
    task = factories.task(benchmark=benchmark, answer="assert add(1, 2) == 3")
    right, wrong = "def add(a, b): return a + b", "def add(a, b): return a - b"
    episode = checked(wrong, right, factories.episode(task=task))
    assert services.program_judge(episode_id=episode.pk)
    verdict = Verdict.objects.get(episode=episode)
    assert (verdict.outcome, verdict.metrics["first_answer_correct"]) == ("correct", 0.0)


def test_judging_is_within_the_workers_rights(as_role: Any) -> None:
    episode = checked("41", "42")
    with as_role("gym_worker"):
        verdict = judged(episode)
    assert verdict.metrics["first_answer_correct"] == 0.0
