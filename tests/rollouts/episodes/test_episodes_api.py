from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Submission, Verdict

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]


def _submit(client: ApiClient, episode: Episode, answer: Any) -> tuple[int, Any]:
    return client.json("POST", f"/episodes/{episode.pk}/submission", {"answer": answer})


def test_a_submission_is_stored_once(trainer: ApiClient) -> None:
    episode = factories.episode(arm="text_agent", answer_channel="api")
    assert _submit(trainer, episode, "42") == (202, {"duplicate": False})
    assert _submit(trainer, episode, "42") == (202, {"duplicate": True})
    status, answer = _submit(trainer, episode, "43")
    assert (status, answer["error"]["code"]) == (409, "already_submitted")
    assert Submission.objects.get().answer == "42"


def test_a_page_is_answered_on_the_page(trainer: ApiClient) -> None:
    episode = factories.episode()
    status, answer = _submit(trainer, episode, "42")
    assert (status, answer["error"]["code"]) == (409, "wrong_channel")


@pytest.mark.parametrize("answer", [None, 42, [], [1], {"a": 1}, ["a", None], "a\0b"])
def test_a_malformed_submission_is_refused(trainer: ApiClient, answer: Any) -> None:
    episode = factories.episode(arm="text_agent", answer_channel="api")
    assert _submit(trainer, episode, answer)[0] == 400
    assert not Submission.objects.exists()


def test_a_huge_submission_names_the_limit(trainer: ApiClient) -> None:
    episode = factories.episode(arm="text_agent", answer_channel="api")
    status, answer = _submit(trainer, episode, "9" * 100_001)
    assert status == 413
    assert "ANSWER_MAX_CHARS" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("reason", "outcome", "verdict_reason", "terminated", "truncated"),
    [
        ("agent_stopped", "incorrect", "no_submission", True, False),
        ("invalid_actions", "incorrect", "invalid_actions", True, False),
        ("page_crash", "incorrect", "page_crash", True, False),
        ("token_budget", "incorrect", "token_budget", False, True),
        ("context_length", "incorrect", "context_length", False, True),
        ("time_budget", "incorrect", "time_budget", False, True),
        ("model_error", "void", "model_error", False, False),
        ("harness_error", "void", "harness_error", False, False),
        ("page_unsettled", "void", "page_unsettled", False, False),
        ("cancelled", "void", "cancelled", False, False),
    ],
)
def test_closing_without_a_submission(
    trainer: ApiClient, reason: str, outcome: str, verdict_reason: str, terminated: bool, truncated: bool
) -> None:
    episode = factories.episode()
    status, record = trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": reason, "detail": "d"})
    verdict = record["verdict"]
    assert status == 200
    assert (verdict["outcome"], verdict["reason"]) == (outcome, verdict_reason)
    assert (verdict["terminated"], verdict["truncated"]) == (terminated, truncated)
    assert verdict["reward"] == (None if outcome == "void" else 0.0)


def test_closing_after_a_submission_leaves_the_verdict_to_the_judge(trainer: ApiClient) -> None:
    episode = factories.episode()
    factories.submission(episode)
    _, record = trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": "harness_error"})
    assert (record["status"], record["verdict"]) == ("submitted", None)


def test_closing_twice_keeps_the_first_reason(trainer: ApiClient) -> None:
    episode = factories.episode()
    trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": "agent_stopped"})
    trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": "harness_error"})
    episode.refresh_from_db()
    assert episode.close_reason == "agent_stopped"
    assert Verdict.objects.count() == 1


def test_an_unknown_closing_reason_is_refused(trainer: ApiClient) -> None:
    episode = factories.episode()
    assert trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": "bored"})[0] == 400


def test_an_interrupted_episode_can_continue(trainer: ApiClient) -> None:
    episode = factories.episode()
    factories.step(episode, 3)
    status, answer = trainer.json("POST", f"/episodes/{episode.pk}/resume")
    assert (status, answer["next_index"], answer["drafts"]) == (200, 4, {})
    assert "/e/" in answer["start_url"]
    assert answer["answer_form"] == "line"
    factories.verdict(episode)
    assert trainer.json("POST", f"/episodes/{episode.pk}/resume")[0] == 409


@pytest.mark.parametrize("path", ["steps", "submission", "close", "resume"])
@pytest.mark.parametrize("episode_id", ["0", "99999999999999999999999999", "987654321"])
def test_a_missing_episode_answers_404(trainer: ApiClient, path: str, episode_id: str) -> None:
    bodies = {
        "steps": {"steps": [{"index": 1}]},
        "submission": {"answer": "1"},
        "close": {"reason": "cancelled"},
    }
    assert trainer.json("POST", f"/episodes/{episode_id}/{path}", bodies.get(path))[0] == 404


@pytest.mark.parametrize("path", ["steps", "submission", "close", "resume"])
def test_writing_needs_the_trainer_scope(api: Api, path: str) -> None:
    episode = factories.episode()
    assert api().json("POST", f"/episodes/{episode.pk}/{path}", {})[0] == 401
    assert api("read", "golds").json("POST", f"/episodes/{episode.pk}/{path}", {})[0] == 403
