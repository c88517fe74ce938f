from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Group

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]


def _open(client: ApiClient, **fields: Any) -> dict[str, Any]:
    body = {"run": factories.run().pk, "tasks": [factories.task().pk], **fields}
    status, answer = client.json("POST", "/episodes", body)
    assert status == 201, answer
    return answer


def test_a_group_is_the_samples_of_one_task(trainer: ApiClient) -> None:
    tasks = [factories.task().pk, factories.task().pk]
    answer = _open(trainer, tasks=tasks, samples_per_task=3, policy_version=7)
    assert [episode["sample_index"] for episode in answer["episodes"]] == [0, 1, 2] * 2
    assert [episode["task"] for episode in answer["episodes"]] == [tasks[0]] * 3 + [tasks[1]] * 3
    assert Group.objects.count() == 2
    assert set(Episode.objects.values_list("policy_version", flat=True)) == {7}


def test_a_thousand_episodes_take_a_handful_of_statements(
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
    drawn = ("presentation", "seed", "variation", "virtual_start")
    one, two = Episode.objects.order_by("pk").values(*drawn)
    assert one == two, "the same look, order of choices and time"


def test_a_look_can_be_fixed(trainer: ApiClient) -> None:
    _open(trainer, presentation={"theme": "dark", "zoom": 125, "instruction": "b"})
    episode = Episode.objects.get()
    assert (episode.presentation["theme"], episode.presentation["zoom"]) == ("dark", 125)
    assert episode.group.template == "prompts-v7b"


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
        ({"arm": "gym_image"}, 422, "unperceivable"),
        ({"arm": "prompt_image"}, 422, "not_drawn"),
        ({"arm": "probe_read", "answer_channel": "page"}, 422, "wrong_channel"),
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


def test_opening_beyond_capacity_says_when_to_retry(trainer: ApiClient, settings: Any) -> None:
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


def test_a_refill_continues_the_numbering_of_its_group(trainer: ApiClient) -> None:
    group = _open(trainer, samples_per_task=2, looks="per_episode", token_budget=99)["episodes"][0]["group"]
    status, answer = trainer.json("POST", f"/groups/{group}/refill", {"count": 3})
    assert status == 201
    assert [episode["sample_index"] for episode in answer["episodes"]] == [2, 3, 4]
    assert set(Episode.objects.values_list("token_budget", flat=True)) == {99}


def test_a_key_limited_to_splits_opens_no_other_split(api: Api) -> None:
    limited = api("trainer", splits=["test"])
    body = {"run": factories.run().pk, "tasks": [factories.task(split="train").pk]}
    assert limited.json("POST", "/episodes", body)[1]["error"]["code"] == "unknown_task"
