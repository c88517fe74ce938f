from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Step

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]


def _post(client: ApiClient, episode: Episode, *steps: dict[str, Any]) -> tuple[int, Any]:
    return client.json("POST", f"/episodes/{episode.pk}/steps", {"steps": list(steps)})


def test_a_step_is_stored_completely(trainer: ApiClient) -> None:
    episode = factories.episode()
    sent = {
        "index": 1,
        "thought": "12 × 8 = 96",
        "raw": 'Action: {"type": "click"}',
        "action": {"type": "click", "target": "e3"},
        "action_result": "ok",
        "observation": {"kind": "axtree-v2", "text": "[e1] heading"},
        "usage": {"prompt": 10, "completion": 5},
        "rewards": {"format": 0.5},
        "started_at": "2026-03-02T09:00:00Z",
        "tokens_blob": "0" * 64,
        "element_ids": "1a 2b",
    }
    assert _post(trainer, episode, sent)[0] == 200
    stored = Step.objects.get(episode=episode)
    assert (stored.thought, stored.action, stored.action_type) == (sent["thought"], sent["action"], "click")
    assert stored.more == {
        "usage": sent["usage"],
        "rewards": sent["rewards"],
        "tokens_blob": sent["tokens_blob"],
        "element_ids": sent["element_ids"],
    }


@pytest.mark.parametrize(
    ("sent", "hour"), [("09:00:00Z", 9), ("09:00:00", 9), ("09:00:00-22:11", 31), ("23:30:00+22:30", 1)]
)
def test_a_time_is_stored_whatever_its_zone(trainer: ApiClient, sent: str, hour: int) -> None:
    episode = factories.episode()
    assert _post(trainer, episode, {"index": 1, "started_at": f"2026-03-02T{sent}"})[0] == 200
    started_at = Step.objects.get(episode=episode).started_at
    assert started_at is not None
    assert (started_at - datetime(2026, 3, 2, tzinfo=UTC)) // timedelta(hours=1) == hour


@pytest.mark.parametrize("sent", ["-5", "1.5", "1e30", "true", '"many"', "[1]", "2147483648", "{}"])
def test_a_count_of_tokens_that_makes_no_sense_costs_no_step(trainer: ApiClient, sent: str) -> None:
    episode = factories.episode()
    body = f'{{"steps": [{{"index": 1, "raw": "x", "usage": {{"prompt": {sent}, "completion": 7.0}}}}]}}'
    path = f"/api/v1/episodes/{episode.pk}/steps"
    assert trainer.generic("POST", path, body.encode(), "application/json").status_code == 200
    assert Step.objects.get(episode=episode).more == {"usage": {"completion": 7}}


@pytest.mark.parametrize("sent", ["-1", "1e13", '"long"', "false", "{}"])
def test_a_duration_that_makes_no_sense_costs_no_step(trainer: ApiClient, sent: str) -> None:
    episode = factories.episode()
    body = f'{{"steps": [{{"index": 1, "duration_ms": {sent}, "model_ms": {sent}, "env_ms": 3}}]}}'
    path = f"/api/v1/episodes/{episode.pk}/steps"
    assert trainer.generic("POST", path, body.encode(), "application/json").status_code == 200
    stored = Step.objects.get(episode=episode)
    assert (stored.duration_ms, stored.more) == (None, {"env_ms": 3})


def test_posting_a_step_twice_changes_nothing(trainer: ApiClient) -> None:
    episode = factories.episode()
    step = {"index": 1, "thought": "t", "action": {"type": "noop"}}
    assert _post(trainer, episode, step)[1]["accepted"] == 1
    status, again = _post(trainer, episode, step)
    assert (status, again["accepted"], again["duplicates"]) == (200, 0, 1)
    assert Step.objects.count() == 1


def test_the_same_index_with_other_content_is_a_conflict_and_stores_nothing(trainer: ApiClient) -> None:
    episode = factories.episode()
    _post(trainer, episode, {"index": 1, "thought": "a"})
    status, answer = _post(trainer, episode, {"index": 1, "thought": "b"}, {"index": 2})
    assert (status, answer["error"]["code"]) == (409, "step_conflict")
    assert Step.objects.count() == 1


def test_a_gap_in_step_numbers_is_accepted(trainer: ApiClient) -> None:
    episode = factories.episode()
    _, answer = _post(trainer, episode, {"index": 1}, {"index": 5})
    assert (answer["accepted"], answer["next_index"], answer["steps_left"]) == (2, 6, 3)


def test_an_unknown_action_is_stored_and_flagged(trainer: ApiClient) -> None:
    episode = factories.episode()
    assert _post(trainer, episode, {"index": 1, "action": {"type": "dance"}})[0] == 200
    assert not Step.objects.get().action_known


def test_the_last_step_ends_an_episode_without_a_submission(trainer: ApiClient) -> None:
    episode = factories.episode(max_steps=2)
    _, answer = _post(trainer, episode, {"index": 1}, {"index": 2})
    assert (answer["status"], answer["truncated"], answer["terminated"]) == ("finished", True, False)
    assert (answer["verdict"]["reason"], answer["verdict"]["outcome"]) == ("step_budget", "incorrect")


def test_a_submission_made_during_the_last_step_counts(trainer: ApiClient) -> None:
    episode = factories.episode(max_steps=1)
    factories.submission(episode)
    _, answer = _post(trainer, episode, {"index": 1})
    assert (answer["status"], answer["verdict"]) == ("submitted", None)


def test_steps_are_accepted_after_the_verdict_and_until_close(trainer: ApiClient) -> None:
    episode = factories.episode()
    factories.verdict(episode)
    _, answer = _post(trainer, episode, {"index": 1})
    assert (answer["accepted"], answer["verdict"]["outcome"]) == (1, "correct")
    trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": "agent_stopped"})
    status, answer = _post(trainer, episode, {"index": 2})
    assert (status, answer["error"]["code"]) == (409, "episode_final")
    assert _post(trainer, episode, {"index": 1})[1]["duplicates"] == 1


@pytest.mark.parametrize(("minutes", "status"), [(9, 200), (11, 409)])
def test_steps_are_accepted_until_ten_minutes_after_the_verdict(
    trainer: ApiClient, minutes: int, status: int
) -> None:
    episode = factories.episode()
    factories.verdict(episode)
    Episode.objects.filter(pk=episode.pk).update(finished_at=timezone.now() - timedelta(minutes=minutes))
    assert _post(trainer, episode, {"index": 1})[0] == status


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'{"steps": []}', 400),
        (b'{"steps": [{}]}', 400),
        (b'{"steps": [{"index": 0}]}', 400),
        (b'{"steps": [{"index": -1}]}', 400),
        (b'{"steps": [{"index": 2147483648}]}', 400),
        (b'{"steps": [{"index": 1.5}]}', 400),
        (b'{"steps": [{"index": "1"}]}', 400),
        (b'{"steps": [{"index": 1}, {"index": 1}]}', 400),
        (b'{"steps": [{"index": 1, "thought": 3}]}', 400),
        (b'{"steps": [{"index": 1, "thought": "\\u0000"}]}', 400),
        (b'{"steps": [{"index": 1, "thought": "\\ud800"}]}', 400),
        (b'{"steps": [{"index": 1, "thought": "\xff"}]}', 400),
        (b'{"steps": [{"index": 1, "action": {"\\u0000": 1}}]}', 400),
        (b'{"steps": [{"index": 1, "action": "click"}]}', 400),
        (b'{"steps": [{"index": 1, "action_result": "fine"}]}', 400),
        (b'{"steps": [{"index": 1, "screenshot": "abc"}]}', 400),
        (b'{"steps": [{"index": 1, "duration_ms": 1e999}]}', 400),
        (b'{"steps": [{"index": 1, "rewards": {"a": NaN}}]}', 400),
        (b'{"steps": [{"index": 1, "started_at": "yesterday"}]}', 400),
        (b'{"steps": [{"index": 1, "started_at": "9999-12-31T23:59:59-23:00"}]}', 400),
        (b'{"steps": [{"index": 1, "started_at": "0001-01-01T00:00:00+23:00"}]}', 400),
        (b'{"steps": [{"index": 1, "thougt": "typo"}]}', 400),
        (b'{"steps": [{"index": 1, "parsed": ' + b"[" * 5000 + b"]" * 5000 + b"}]}", 400),
    ],
)
def test_bad_steps_are_refused_and_nothing_is_stored(trainer: ApiClient, body: bytes, status: int) -> None:
    episode = factories.episode()
    response = trainer.generic("POST", f"/api/v1/episodes/{episode.pk}/steps", body, "application/json")
    assert response.status_code == status
    assert response.json()["error"]["code"]
    assert not Step.objects.exists()


@pytest.mark.parametrize(
    ("setting", "limit", "step"),
    [
        ("THOUGHT_MAX_CHARS", 10, {"index": 1, "thought": "x" * 11}),
        ("STEP_MAX_BYTES", 100, {"index": 1, "observation": {"kind": "dom", "text": "x" * 200}}),
        ("API_BODY_MAX_BYTES", 50, {"index": 1, "thought": "x" * 100}),
        ("STEPS_PER_CALL_MAX", 0, {"index": 1}),
    ],
)
def test_too_large_steps_name_the_limit(
    trainer: ApiClient, settings: Any, setting: str, limit: int, step: dict[str, Any]
) -> None:
    episode = factories.episode()
    setattr(settings, setting, limit)
    status, answer = _post(trainer, episode, step)
    assert status == 413
    assert setting in answer["error"]["message"]
    assert not Step.objects.exists()
