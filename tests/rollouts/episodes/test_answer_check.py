"""A run with the setting ``answer_check``: the first answer is to be checked, the second one counts."""

from __future__ import annotations

from typing import Any

import pytest

from core.episodes.answer_check import REQUEST
from palaestra.protocol.looks import NEUTRAL
from tasks_app.models import Task
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, FirstAnswer, Submission, Verdict
from trajectories.rollouts.judging import queue_sql, services

pytestmark = pytest.mark.django_db

CHECKED = {"answer_check": "once"}


def open_one(
    trainer: ApiClient, arm: str = "text_zero_shot", task: Task | None = None, **fields: Any
) -> Episode:
    run = factories.run(settings=CHECKED)
    body = {"run": run.pk, "tasks": [(task or factories.task()).pk], "arm": arm, **fields}
    status, opened = trainer.json("POST", "/episodes", body)
    assert status == 201, opened
    return Episode.objects.get(pk=opened["episodes"][0]["id"])


def send(trainer: ApiClient, episode: Episode, answer: Any, **number: int) -> tuple[int, Any]:
    body = {"answer": answer, **number}
    status, answered = trainer.json("POST", f"/episodes/{episode.pk}/submission", body)
    return status, answered.get("error", {}).get("code", answered)


def judged(episode: Episode) -> Verdict:
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


def test_the_second_answer_counts_and_the_first_stays_on_record(trainer: ApiClient) -> None:
    episode = open_one(trainer)
    assert send(trainer, episode, "41") == (202, {"duplicate": False, "check": REQUEST})
    assert not Submission.objects.exists()

    assert send(trainer, episode, "42", number=2) == (202, {"duplicate": False})

    verdict = judged(episode)
    assert (verdict.outcome, verdict.metrics["first_answer_correct"]) == ("correct", 0.0)
    _, trajectory = trainer.json("GET", f"/episodes/{episode.pk}/trajectory")
    assert trajectory["answer_check"] == "given"
    assert (trajectory["first_answer"]["answer"], trajectory["submission"]["answer"]) == ("41", "42")


def test_a_request_that_is_sent_again_is_no_second_answer(trainer: ApiClient) -> None:
    episode = open_one(trainer)
    send(trainer, episode, "41")
    assert send(trainer, episode, "41") == (202, {"duplicate": True, "check": REQUEST})
    assert send(trainer, episode, "42") == (409, "other_first_answer")
    episode.refresh_from_db()
    assert (episode.status, FirstAnswer.objects.get().answer) == ("open", "41")

    send(trainer, episode, "41", number=2)
    assert send(trainer, episode, "41", number=2) == (202, {"duplicate": True})
    assert send(trainer, episode, "42", number=2) == (409, "already_submitted")
    assert send(trainer, episode, "41") == (202, {"duplicate": True})
    assert Submission.objects.get().answer == "41"


def test_a_second_answer_needs_a_first_and_a_run_that_checks(trainer: ApiClient) -> None:
    assert send(trainer, open_one(trainer), "42", number=2) == (409, "no_first_answer")
    plain = factories.episode(arm="text_agent", answer_channel="api")
    assert send(trainer, plain, "42", number=2) == (409, "not_checked")
    assert send(trainer, plain, "42", number=3)[0] == 400
    assert not Submission.objects.exists()


@pytest.mark.parametrize("answer", ["42", "41"])
def test_confirmed_answers_are_judged_once(
    trainer: ApiClient, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    judge = services.judge_guarded
    monkeypatch.setattr(services, "judge_guarded", lambda *a, **k: calls.append(1) or judge(*a, **k))
    episode = open_one(trainer)
    send(trainer, episode, answer)
    send(trainer, episode, answer, number=2)
    assert judged(episode).metrics["first_answer_correct"] == float(answer == "42")
    assert len(calls) == 1


@pytest.mark.parametrize("reason", ["agent_stopped", "token_budget", "invalid_actions", "time_budget"])
def test_ended_by_its_policy_a_first_answer_counts(trainer: ApiClient, reason: str) -> None:
    episode = open_one(trainer)
    send(trainer, episode, "42")

    status, state = trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": reason})

    assert (status, state["status"], state["verdict"]) == (200, "submitted", None)
    verdict = judged(episode)
    assert (verdict.outcome, verdict.reason, verdict.truncated) == ("correct", "answer", False)
    assert "first_answer_correct" not in verdict.metrics
    episode.refresh_from_db()
    assert (episode.answer_check, episode.close_reason) == ("requested", reason)
    assert send(trainer, episode, "42", number=2) == (409, "episode_final")


@pytest.mark.parametrize("reason", ["harness_error", "model_error", "cancelled"])
def test_ended_by_us_it_is_void(trainer: ApiClient, reason: str) -> None:
    episode = open_one(trainer)
    send(trainer, episode, "42")
    _, state = trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": reason})
    assert state["verdict"]["outcome"] == "void"
    assert not Submission.objects.exists()


def test_without_an_answer_an_ending_is_as_ever(trainer: ApiClient) -> None:
    episode = open_one(trainer)
    _, state = trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": "agent_stopped"})
    assert state["verdict"]["reason"] == "no_submission"
    assert send(trainer, episode, "42") == (409, "episode_final")


def test_the_step_that_uses_up_the_budget_leaves_the_first_answer_to_the_judge(trainer: ApiClient) -> None:
    episode = open_one(trainer, max_steps=1)
    send(trainer, episode, "42")
    _, ack = trainer.json("POST", f"/episodes/{episode.pk}/steps", {"steps": [{"index": 1}]})
    assert (ack["status"], ack["verdict"]) == ("submitted", None)
    assert queue_sql.submissions_new() == [episode.pk]
    assert judged(episode).outcome == "correct"


def test_budgets_have_room_for_the_second_answer(trainer: ApiClient) -> None:
    for arm in ("text_zero_shot", "text_agent", "gym"):
        task = factories.task()
        # One look for both: some take steps of their own, such as closing a pop-up.
        look = {"presentation": dict(NEUTRAL) if arm == "gym" else {}}
        checked = open_one(trainer, arm, task, **look)
        body = {"run": factories.run().pk, "tasks": [task.pk], "arm": arm, **look}
        _, opened = trainer.json("POST", "/episodes", body)
        assert checked.max_steps > opened["episodes"][0]["max_steps"]


def test_prompts_do_not_announce_the_check(trainer: ApiClient) -> None:
    episode = open_one(trainer, max_steps=5)
    body = {"run": factories.run().pk, "tasks": [episode.task_id], "arm": "text_zero_shot", "max_steps": 5}
    look = {"presentation": {"instruction": episode.group.template[-1]}}
    _, opened = trainer.json("POST", "/episodes", {**body, **look})
    (plain,) = opened["messages"].values()
    _, checked = trainer.json("GET", f"/episodes/{episode.pk}/messages")
    assert checked["messages"] == plain


def test_other_values_and_probes_are_refused(trainer: ApiClient) -> None:
    body = {"name": "r", "kind": "eval", "settings": {"answer_check": True}}
    status, answer = trainer.json("POST", "/runs", body)
    assert (status, "answer_check" in str(answer)) == (400, True)
    run, task = factories.run(settings=CHECKED), factories.task()
    opening = {"run": run.pk, "tasks": [task.pk], "arm": "probe_read"}
    status, answer = trainer.json("POST", "/episodes", opening)
    assert (status, answer["error"]["code"]) == (422, "checked_probe")


def test_other_runs_have_one_answer(trainer: ApiClient) -> None:
    episode = factories.episode(arm="text_agent", answer_channel="api")
    assert send(trainer, episode, "42") == (202, {"duplicate": False})
    verdict = judged(episode)
    assert "first_answer_correct" not in verdict.metrics
    _, trajectory = trainer.json("GET", f"/episodes/{episode.pk}/trajectory")
    assert (trajectory["answer_check"], trajectory["first_answer"]) == (None, None)


def test_ending_it_again_changes_nothing(trainer: ApiClient) -> None:
    episode = open_one(trainer)
    send(trainer, episode, "42")
    for _ in range(2):
        trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": "agent_stopped"})
    assert Submission.objects.get().answer == "42"
    assert not Verdict.objects.exists()
