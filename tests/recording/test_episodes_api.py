from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Group, Step, Submission, Verdict

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]


def _open(client: ApiClient, **fields: Any) -> dict[str, Any]:
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], **fields}
    status, answer = client.json("POST", "/episodes", body)
    assert status == 201, answer
    return answer


@pytest.fixture
def trainer(api: Api) -> ApiClient:
    return api("trainer")


# --- Opening ---------------------------------------------------------------------------------------


def test_a_group_is_the_samples_of_one_task(trainer: ApiClient) -> None:
    tasks = [factories.task().pk, factories.task().pk]
    answer = _open(trainer, tasks=tasks, samples_per_task=3, policy_version=7)
    assert [episode["sample_index"] for episode in answer["episodes"]] == [0, 1, 2] * 2
    assert [episode["task"] for episode in answer["episodes"]] == [tasks[0]] * 3 + [tasks[1]] * 3
    assert Group.objects.count() == 2
    assert set(Episode.objects.values_list("policy_version", flat=True)) == {7}


def test_a_thousand_episodes_are_a_handful_of_statements(
    trainer: ApiClient, django_assert_max_num_queries: Any
) -> None:
    run, tasks = factories.run().pk, [factories.task().pk for _ in range(10)]
    with django_assert_max_num_queries(9):
        status, answer = trainer.json(
            "POST", "/episodes", {"run": run, "tasks": tasks, "samples_per_task": 100}
        )
    assert status == 201
    assert len(answer["episodes"]) == 1000
    assert len({episode["start_url"] for episode in answer["episodes"]}) == 1000


def test_all_samples_of_a_group_see_the_same_look_and_messages(trainer: ApiClient) -> None:
    episodes = _open(trainer, samples_per_task=8)["episodes"]
    assert len({episode["presentation_hash"] for episode in episodes}) == 1
    assert len({episode["messages_ref"] for episode in episodes}) == 1


def test_in_a_rotation_sample_k_has_the_same_look_in_every_task(trainer: ApiClient) -> None:
    tasks = [factories.task().pk for _ in range(3)]
    episodes = _open(trainer, tasks=tasks, samples_per_task=6, looks="rotation", seed=5)["episodes"]
    looks = [episode["presentation_hash"] for episode in episodes]
    assert looks[:6] == looks[6:12] == looks[12:]
    assert len(set(looks[:6])) > 1


def test_one_seed_gives_the_same_episodes(trainer: ApiClient) -> None:
    task = factories.task().pk
    twice = [_open(trainer, tasks=[task], seed=11)["episodes"][0] for _ in range(2)]
    assert twice[0]["presentation_hash"] == twice[1]["presentation_hash"]
    assert twice[0]["messages_ref"] == twice[1]["messages_ref"]


def test_a_look_can_be_fixed(trainer: ApiClient) -> None:
    _open(trainer, presentation={"theme": "dark", "zoom": 125, "instruction": "b"})
    episode = Episode.objects.get()
    assert (episode.presentation["theme"], episode.presentation["zoom"]) == ("dark", 125)
    assert episode.group.template == "prompts-v1b"


@pytest.mark.parametrize("arm", ["text_zero_shot", "text_agent"])
def test_arms_without_a_page_have_the_question_in_the_prompt(trainer: ApiClient, arm: str) -> None:
    task = factories.task(prompt="How many?")
    answer = _open(trainer, tasks=[task.pk], arm=arm)
    (messages,) = answer["messages"].values()
    assert messages[-1]["content"] == "How many?"
    assert answer["episodes"][0]["start_url"] is None
    assert Episode.objects.get().answer_channel == "api"


def test_the_task_instruction_is_byte_identical_in_all_arms(trainer: ApiClient) -> None:
    heads = set()
    for arm in ("text_zero_shot", "text_agent", "gym", "gym_with_text"):
        answer = _open(trainer, arm=arm, presentation={"instruction": "a"})
        (messages,) = answer["messages"].values()
        heads.add(messages[0]["content"].split("\n\n")[0])
    assert len(heads) == 1


def test_the_gym_arm_keeps_the_question_out_of_the_prompt(trainer: ApiClient) -> None:
    task = factories.task(prompt="A very particular question")
    answer = _open(trainer, tasks=[task.pk], arm="gym")
    assert "very particular" not in str(answer)


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"arm": "gim"}, 422, "unknown_arm"),
        ({"arm": "gym_image"}, 422, "arm_not_built"),
        ({"arm": "probe_read"}, 422, "arm_not_built"),
        ({"tasks": [987654321]}, 422, "unknown_task"),
        ({"run": 987654321}, 404, "unknown_run"),
        ({"tasks": []}, 400, "invalid"),
        ({"tasks": "all"}, 400, "invalid"),
        ({"tasks": [2**63]}, 400, "invalid"),
        ({"samples_per_task": 0}, 400, "invalid"),
        ({"samples_per_task": 10_000, "tasks": [1, 2]}, 413, "too_many_episodes"),
        ({"seed": -1}, 400, "invalid"),
        ({"max_steps": 0}, 400, "invalid"),
        ({"presentation": {"them": "dark"}}, 422, "unknown_look_axis"),
        ({"presentation": {"theme": "drak"}}, 422, "unknown_look_value"),
        ({"presentation": {"instruction": "z"}}, 422, "unknown_instruction"),
        ({"presentation": {"instruction": 3}}, 422, "unknown_instruction"),
        ({"arm": "text_agent", "answer_channel": "page"}, 422, "wrong_channel"),
        ({"guidance": {"kind": "hint", "fraction": 2}}, 400, "invalid"),
        ({"looks": "sideways"}, 400, "invalid"),
        ({"sample_per_task": 3}, 400, "invalid"),
    ],
)
def test_a_bad_opening_is_refused_and_opens_nothing(
    trainer: ApiClient, fields: dict[str, Any], status: int, code: str
) -> None:
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], **fields}
    got, answer = trainer.json("POST", "/episodes", body)
    assert (got, answer["error"]["code"]) == (status, code)
    assert not Episode.objects.exists()


def test_an_unknown_arm_is_answered_with_a_suggestion(trainer: ApiClient) -> None:
    _, answer = trainer.json("POST", "/episodes", {"run": 1, "tasks": [1], "arm": "gim"})
    assert "Did you mean gym" in answer["error"]["message"]


def test_opening_past_capacity_says_when_to_come_back(trainer: ApiClient, settings: Any) -> None:
    settings.ACTIVE_EPISODES_MAX = 3
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], "samples_per_task": 4}
    response = trainer.generic("POST", "/api/v1/episodes", msgspec.json.encode(body), "application/json")
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    assert not Episode.objects.exists()


def test_opening_again_with_the_same_key_opens_nothing_new(trainer: ApiClient) -> None:
    body = {"run": factories.run().pk, "tasks": [factories.task().pk]}
    first = trainer.json("POST", "/episodes", body, headers={"Idempotency-Key": "k"})
    again = trainer.json("POST", "/episodes", body, headers={"Idempotency-Key": "k"})
    assert first == again
    assert Episode.objects.count() == 1


def test_a_refill_goes_on_where_the_group_ended(trainer: ApiClient) -> None:
    group = _open(trainer, samples_per_task=2, looks="per_episode", token_budget=99)["episodes"][0]["group"]
    status, answer = trainer.json("POST", f"/groups/{group}/refill", {"count": 3})
    assert status == 201
    assert [episode["sample_index"] for episode in answer["episodes"]] == [2, 3, 4]
    assert set(Episode.objects.values_list("token_budget", flat=True)) == {99}


def test_a_key_limited_to_splits_opens_nothing_else(api: Api) -> None:
    limited = api("trainer", splits=["test"])
    body = {"run": factories.run().pk, "tasks": [factories.task(split="train").pk]}
    assert limited.json("POST", "/episodes", body)[1]["error"]["code"] == "unknown_task"


# --- Steps -----------------------------------------------------------------------------------------


def _post(client: ApiClient, episode: Episode, *steps: dict[str, Any]) -> tuple[int, Any]:
    return client.json("POST", f"/episodes/{episode.pk}/steps", {"steps": list(steps)})


def test_a_step_is_kept_whole(trainer: ApiClient) -> None:
    episode = factories.episode()
    sent = {
        "index": 1,
        "thought": "12 × 8 = 96",
        "raw": 'Action: {"type": "click"}',
        "action": {"type": "click", "target": "e3"},
        "action_result": "ok",
        "observation": {"kind": "axtree-v1", "text": "[e1] heading"},
        "usage": {"prompt": 10, "completion": 5},
        "rewards": {"format": 0.5},
        "started_at": "2026-03-02T09:00:00Z",
        "tokens_blob": "0" * 64,
    }
    assert _post(trainer, episode, sent)[0] == 200
    stored = Step.objects.get(episode=episode)
    assert (stored.thought, stored.action, stored.action_type) == (sent["thought"], sent["action"], "click")
    assert stored.more == {
        "usage": sent["usage"],
        "rewards": sent["rewards"],
        "tokens_blob": sent["tokens_blob"],
    }


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


def test_an_unknown_action_is_stored_and_marked(trainer: ApiClient) -> None:
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


def test_steps_are_refused_when_the_verdict_is_old(trainer: ApiClient, settings: Any) -> None:
    episode = factories.episode()
    factories.verdict(episode)
    settings.STEP_GRACE_S = -1.0
    assert _post(trainer, episode, {"index": 1})[1]["error"]["code"] == "episode_final"


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
        (b'{"steps": [{"index": 1, "duration_ms": -1}]}', 400),
        (b'{"steps": [{"index": 1, "rewards": {"a": NaN}}]}', 400),
        (b'{"steps": [{"index": 1, "started_at": "yesterday"}]}', 400),
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


# --- Submission, close, resume -----------------------------------------------------------------------


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
    ("reason", "outcome", "said", "terminated", "truncated"),
    [
        ("agent_stopped", "incorrect", "no_submission", True, False),
        ("invalid_actions", "incorrect", "invalid_actions", True, False),
        ("token_budget", "incorrect", "token_budget", False, True),
        ("context_length", "incorrect", "context_length", False, True),
        ("time_budget", "incorrect", "time_budget", False, True),
        ("model_error", "void", "model_error", False, False),
        ("harness_error", "void", "harness_error", False, False),
        ("cancelled", "void", "cancelled", False, False),
    ],
)
def test_closing_without_a_submission(
    trainer: ApiClient, reason: str, outcome: str, said: str, terminated: bool, truncated: bool
) -> None:
    episode = factories.episode()
    status, record = trainer.json("POST", f"/episodes/{episode.pk}/close", {"reason": reason, "detail": "d"})
    verdict = record["verdict"]
    assert status == 200
    assert (verdict["outcome"], verdict["reason"]) == (outcome, said)
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


def test_an_interrupted_episode_can_go_on(trainer: ApiClient) -> None:
    episode = factories.episode()
    factories.step(episode, 3)
    status, answer = trainer.json("POST", f"/episodes/{episode.pk}/resume")
    assert (status, answer["next_index"], answer["drafts"]) == (200, 4, {})
    assert "/e/" in answer["start_url"]
    factories.verdict(episode)
    assert trainer.json("POST", f"/episodes/{episode.pk}/resume")[0] == 409


@pytest.mark.parametrize("path", ["steps", "submission", "close", "resume"])
@pytest.mark.parametrize("episode_id", ["0", "99999999999999999999999999", "987654321"])
def test_an_episode_that_is_not_there_is_not_found(trainer: ApiClient, path: str, episode_id: str) -> None:
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
