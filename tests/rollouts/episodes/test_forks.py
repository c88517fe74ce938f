from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from tasks_app.models import Gold
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Group, SiteEvent, Step, ToolCall
from trajectories.models.sums import RateSum

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]
PAGES = [
    (1, None, "page_served", {"path": ""}),
    (2, 1, "page_served", {"path": "stays/4"}),
    (3, 1, "viewed", {"listing": 4}),
    (4, 3, "page_served", {"path": "stays/5"}),
]


def _played(*, steps: int = 4, outcome: str = "incorrect", **fields: Any) -> Episode:
    """An ended episode with ``PAGES``; its last step follows the submission."""
    episode = factories.episode(max_steps=9, token_budget=500, **fields)
    # All that a test opens has the time at which its transaction began.
    Gold.objects.filter(task=episode.task).update(created_at=F("created_at") - timedelta(days=1))
    _record(episode, range(1, steps + 1))
    for seq, step, kind, data in PAGES:
        SiteEvent.objects.create(episode=episode, seq=seq, step=step, kind=kind, data=data)
    factories.verdict(episode, outcome)
    return episode


def _record(episode: Episode, indices: Any) -> None:
    for index in indices:
        factories.step(
            episode,
            index,
            raw=f"completion {index}",
            action={"type": "click", "target": f"e{index}"},
            action_result="ok",
            observation_kind="axtree-v2",
            observation_text=f"page {index}",
            url=f"https://gym/stays/{index}?x=1",
            more={"element_ids": f"k{index}", "result_message": f"did {index}"},
        )


def _fork(client: ApiClient, parent: Episode, *, status: int = 201, **fields: Any) -> Any:
    got, answer = client.json("POST", f"/episodes/{parent.pk}/fork", {"step": 2, **fields})
    assert got == status, answer
    return answer


def _restored(client: ApiClient, parent: Episode, **fields: Any) -> tuple[Episode, dict[str, Any]]:
    fork = _fork(client, parent, **fields)["episodes"][0]["id"]
    status, recipe = client.json("POST", f"/episodes/{fork}/restore")
    assert status == 200, recipe
    return Episode.objects.get(pk=fork), recipe


def test_runs_that_have_answers_checked_have_no_forks_and_take_none(trainer: ApiClient) -> None:
    checked = factories.run(settings={"answer_check": "once"})
    parent = _played(run=checked)
    assert _fork(trainer, parent, status=422)["error"]["code"] == "checked_parent"
    assert _fork(trainer, _played(), run=checked.pk, status=422)["error"]["code"] == "checked_parent"


def test_a_fork_is_its_parent_in_all_but_its_name(trainer: ApiClient) -> None:
    parent = _played(presentation={"font": "serif"}, variation={"order": [1, 0]}, seed=11)
    answer = _fork(trainer, parent, count=3, policy_version=4)
    forks = Episode.objects.filter(parent=parent)
    shared = ("task_id", "arm", "seed", "presentation", "presentation_hash", "variation", "virtual_start")
    shared += ("recording", "answer_channel", "max_steps", "token_budget", "run_id")
    for fork in forks:
        assert all(getattr(fork, name) == getattr(parent, name) for name in shared)
    records = answer["episodes"]
    assert [(one["sample_index"], one["begins_after"], one["parent"]) for one in records] == [
        (place, 2, parent.pk) for place in range(3)
    ]
    assert {one["group"] for one in records} == {forks[0].group_id} != {parent.group_id}
    assert answer["messages"][records[0]["messages_ref"]]
    assert {fork.policy_version for fork in forks} == {4}


def test_opening_copies_nothing_and_restoring_copies_once(trainer: ApiClient) -> None:
    parent = _played()
    ToolCall.objects.create(episode=parent, number=1, step=2, tool="run", input="x", status="done", output={})
    ToolCall.objects.create(episode=parent, number=2, step=3, tool="run", input="y", status="done", output={})
    fork, recipe = _restored(trainer, parent)
    assert trainer.json("POST", f"/episodes/{fork.pk}/restore")[1] == recipe
    rows = SiteEvent.objects.filter(episode=fork).order_by("seq").values_list("seq", "step", "kind", "data")
    assert list(rows) == PAGES[:3]
    assert list(ToolCall.objects.filter(episode=fork).values_list("number", "input")) == [(1, "x")]
    fork.refresh_from_db()
    assert fork.inherited_events == 3
    assert not Step.objects.filter(episode=fork).exists()


def test_the_recipe_tells_acts_and_what_they_led_to(trainer: ApiClient) -> None:
    recipe = _restored(trainer, _played())[1]
    assert recipe["next_index"] == 3
    assert recipe["element_ids"] == "k1 k2 k3"
    opened, first, second = recipe["steps"]
    assert opened["action"] is None
    assert opened["served"] == [{"seq": 1, "path": ""}]
    assert opened["url"] == "https://gym/stays/1?x=1"
    assert first["action"] == {"type": "click", "target": "e1"}
    assert (first["served"], first["seq"]) == ([{"seq": 2, "path": "stays/4"}], 3)
    assert (second["served"], second["seq"], second["result_message"]) == ([], 3, "did 2")
    assert second["sha256"] == hashlib.sha256(b"page 3").hexdigest()


def test_a_late_step_of_the_parent_changes_nothing_in_its_fork(trainer: ApiClient) -> None:
    parent = _played()
    fork, recipe = _restored(trainer, parent)
    SiteEvent.objects.create(episode=parent, seq=5, step=4, kind="booked", data={})
    _record(parent, [5])
    assert trainer.json("POST", f"/episodes/{fork.pk}/restore")[1] == recipe


def test_a_fork_goes_on_with_the_next_step(trainer: ApiClient) -> None:
    fork, _ = _restored(trainer, _played(), max_steps=4)
    state = trainer.json("GET", f"/episodes/{fork.pk}")[1]
    assert (state["steps_used"], state["begins_after"]) == (2, 2)
    assert trainer.json("POST", f"/episodes/{fork.pk}/resume")[1]["next_index"] == 3
    status, answer = trainer.json("POST", f"/episodes/{fork.pk}/steps", {"steps": [{"index": 3}]})
    assert (status, answer["next_index"], answer["steps_left"]) == (200, 4, 1)
    status, answer = trainer.json("POST", f"/episodes/{fork.pk}/restore")
    assert (status, answer["error"]["code"]) == (409, "restored")
    answer = trainer.json("POST", f"/episodes/{fork.pk}/steps", {"steps": [{"index": 4}]})[1]
    assert answer["verdict"]["reason"] == "step_budget"


def test_a_fork_that_was_not_restored_takes_nothing(trainer: ApiClient) -> None:
    parent = _played(answer_channel="api")
    fork = _fork(trainer, parent)["episodes"][0]["id"]
    for path, body in (
        ("steps", {"steps": [{"index": 3}]}),
        ("submission", {"answer": "42"}),
        ("resume", {}),
    ):
        status, answer = trainer.json("POST", f"/episodes/{fork}/{path}", body)
        assert (status, answer["error"]["code"]) == (409, "not_restored"), path


def test_a_fork_of_a_fork_has_the_whole_line(trainer: ApiClient) -> None:
    parent = _played()
    fork, _ = _restored(trainer, parent)
    _record(fork, [3, 4, 5])
    Step.objects.filter(episode=fork, index=3).update(raw="completion 3 again")
    SiteEvent.objects.create(episode=fork, seq=4, step=3, kind="page_served", data={"path": "mine"})
    factories.verdict(fork, "correct")
    grandchild, recipe = _restored(trainer, fork, step=3)
    assert [step["served"] for step in recipe["steps"]][-1] == [{"seq": 4, "path": "mine"}]
    assert recipe["element_ids"] == "k1 k2 k3 k4"
    messages = trainer.json("GET", f"/episodes/{grandchild.pk}/messages")[1]["messages"]
    completions = [message["content"] for message in messages if message["role"] == "assistant"]
    assert completions == ["completion 1", "completion 2", "completion 3 again"]
    # A step before the fork's own beginning is its parent's.
    early = _restored(trainer, fork, step=1)[1]
    assert [step["index"] for step in early["steps"]] == [0, 1]


def test_messages_are_those_that_were_sent_and_marked(trainer: ApiClient) -> None:
    parent = _played()
    fork = _fork(trainer, parent, max_steps=30)["episodes"][0]["id"]
    opening = trainer.json("GET", f"/episodes/{parent.pk}/messages")[1]["messages"]
    messages = trainer.json("GET", f"/episodes/{fork}/messages")[1]["messages"]
    assert messages[: len(opening)] == opening
    copied = messages[len(opening) :]
    assert all(message["copied"] for message in copied)
    assert [message["role"] for message in copied] == ["user", "assistant", "user", "assistant", "user"]
    assert "page 3" in copied[-1]["content"]
    assert "did 2" in copied[-1]["content"]


def test_without_pages_there_is_nothing_to_restore(trainer: ApiClient) -> None:
    parent = factories.episode(arm="text_agent", answer_channel="api", max_steps=5)
    _record(parent, [1, 2, 3])
    factories.verdict(parent, "incorrect")
    fork = _fork(trainer, parent, step=1)["episodes"][0]
    assert fork["start_url"] is None
    status, answer = trainer.json("POST", f"/episodes/{fork['id']}/steps", {"steps": [{"index": 2}]})
    assert (status, answer["next_index"]) == (200, 3)
    status, answer = trainer.json("POST", f"/episodes/{fork['id']}/restore")
    assert (status, answer["error"]["code"]) == (409, "no_page")


def test_forks_count_in_no_rate(trainer: ApiClient) -> None:
    parent = _played(outcome="incorrect")
    fork, _ = _restored(trainer, parent)
    factories.verdict(fork, "correct")
    assert not fork.is_plain
    assert list(RateSum.objects.filter(scope="run").values_list("correct", "judged")) == [(0, 1)]


@pytest.mark.parametrize(("step", "origin"), [(1, "forked"), (2, "taken_over"), (3, "taken_over")])
def test_a_fork_that_inherits_steps_of_a_person_is_taken_over(
    trainer: ApiClient, step: int, origin: str
) -> None:
    parent = _played()
    Step.objects.filter(episode=parent, index=2).update(actor=Step.Actor.PERSON)
    Episode.objects.filter(pk=parent.pk).update(is_taken_over=True)
    fork, _ = _restored(trainer, parent, step=step)
    _record(fork, range(step + 1, step + 3))
    factories.verdict(fork, "correct")
    again = _fork(trainer, fork, step=step + 1)["episodes"][0]
    listed = trainer.json("GET", f"/episodes?run={parent.run_id}&origin={origin}")[1]["results"]
    assert {fork.pk, again["id"]} <= {one["id"] for one in listed}
    assert trainer.json("GET", f"/episodes/{fork.pk}/trajectory")[1]["is_taken_over"] is (step > 1)
    # Only a person who acts in the fork itself holds it.
    status, answer = trainer.json("POST", f"/episodes/{again['id']}/restore")
    assert (status, answer["next_index"]) == (200, step + 2)
    status, _ = trainer.json("POST", f"/episodes/{again['id']}/steps", {"steps": [{"index": step + 2}]})
    assert status == 200


def test_a_group_of_forks_is_refilled_with_forks(trainer: ApiClient) -> None:
    parent = _played()
    group = _fork(trainer, parent, count=2, max_steps=7)["episodes"][0]["group"]
    status, answer = trainer.json("POST", f"/groups/{group}/refill", {"count": 2})
    assert status == 201
    assert [one["sample_index"] for one in answer["episodes"]] == [2, 3]
    forks = Episode.objects.filter(group=group)
    assert set(forks.values_list("parent", "begins_after", "max_steps")) == {(parent.pk, 2, 7)}
    assert Group.objects.get(pk=group).size == forks.count() == 4


def test_several_forks_are_opened_together_or_not_at_all(trainer: ApiClient) -> None:
    first, second = _played(), _played()
    forks = [{"episode": first.pk, "step": 1, "count": 2}, {"episode": second.pk, "step": 3}]
    status, answer = trainer.json("POST", "/forks", {"forks": forks})
    assert status == 201
    assert [(one["parent"], one["begins_after"]) for one in answer["episodes"]] == [
        (first.pk, 1),
        (first.pk, 1),
        (second.pk, 3),
    ]
    count = Episode.objects.count()
    status, answer = trainer.json("POST", "/forks", {"forks": [*forks, {"episode": first.pk, "step": 7}]})
    assert (status, answer["error"]["code"]) == (422, "no_such_step")
    assert Episode.objects.count() == count


def test_one_idempotency_key_opens_a_fork_once(trainer: ApiClient) -> None:
    parent = _played()
    path, body = f"/episodes/{parent.pk}/fork", {"step": 1}
    answers = [trainer.json("POST", path, body, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert answers[0] == answers[1]
    assert Episode.objects.filter(parent=parent).count() == 1


def test_another_run_may_hold_the_forks_if_it_shows_the_same(trainer: ApiClient) -> None:
    parent = _played()
    other = factories.run()
    assert _fork(trainer, parent, run=other.pk)
    assert Episode.objects.get(parent=parent).run_id == other.pk
    different = factories.run(history="diff")
    assert _fork(trainer, parent, run=different.pk, status=422)["error"]["code"] == "other_setup"


@pytest.mark.parametrize(
    ("change", "fields", "status", "code"),
    [
        (lambda _: None, {"step": 4}, 422, "no_such_step"),
        (lambda _: None, {"step": 10**6}, 422, "no_such_step"),
        (lambda _: None, {"step": 2, "max_steps": 2}, 422, "budget_spent"),
        (lambda _: None, {"count": 10_000}, 413, "too_many_episodes"),
        (lambda _: None, {"count": 0}, 400, "invalid"),
        (lambda _: None, {"step": -1}, 400, "invalid"),
        (lambda _: None, {"run": 10**9}, 404, "unknown_run"),
        (lambda e: Step.objects.filter(episode=e, index=2).delete(), {}, 422, "record_incomplete"),
        (
            lambda e: Step.objects.filter(episode=e).update(more={}, observation_text="button [e1]"),
            {},
            422,
            "record_incomplete",
        ),
        # Its text is a blob.
        (
            lambda e: Step.objects.filter(episode=e).update(more={}, observation_text=""),
            {},
            422,
            "record_incomplete",
        ),
        (
            lambda e: SiteEvent.objects.filter(episode=e, seq=3).update(kind="answer_recorded"),
            {},
            422,
            "record_incomplete",
        ),
        (
            lambda e: SiteEvent.objects.filter(episode=e, seq=3).update(step=None),
            {},
            422,
            "record_incomplete",
        ),
        # A fork that was closed while it waited.
        (
            lambda e: Episode.objects.filter(pk=e.pk).update(inherited_events=None),
            {},
            422,
            "record_incomplete",
        ),
        (
            lambda e: Gold.objects.filter(task=e.task).update(created_at=F("created_at") + timedelta(days=2)),
            {},
            409,
            "gold_changed",
        ),
    ],
)
def test_what_cannot_be_forked_is_refused(
    trainer: ApiClient, change: Any, fields: dict[str, Any], status: int, code: str
) -> None:
    parent = _played()
    change(parent)
    before = Episode.objects.count()
    assert _fork(trainer, parent, status=status, **fields)["error"]["code"] == code
    assert Episode.objects.count() == before


def test_pages_without_an_element_to_act_on_are_forked(trainer: ApiClient) -> None:
    parent = _played()
    Step.objects.filter(episode=parent).update(more={})
    assert _restored(trainer, parent)[1]["element_ids"] == ""


def test_many_forks_of_one_step_are_checked_once(
    trainer: ApiClient, django_assert_max_num_queries: Any
) -> None:
    parent = _played()
    calls = [{"episode": parent.pk, "step": 1 + place % 2} for place in range(50)]
    # One statement writes each group; the record of the parent is read for either step.
    with django_assert_max_num_queries(50 + 25):
        status, answer = trainer.json("POST", "/forks", {"forks": calls})
    assert status == 201, answer
    assert len(answer["episodes"]) == 50
    assert len(answer["messages"]) == 1


def test_only_ended_episodes_that_count_have_forks(trainer: ApiClient, api: Api) -> None:
    running = factories.episode()
    _record(running, [1, 2, 3])
    assert _fork(trainer, running, status=409)["error"]["code"] == "episode_open"
    void = _played(outcome="void")
    assert _fork(trainer, void, status=422)["error"]["code"] == "void_parent"
    probe = _played(arm="probe_read")
    assert _fork(trainer, probe, status=422)["error"]["code"] == "probe_parent"
    stranger = api("trainer", project="another")
    assert _fork(stranger, _played(), status=404)["error"]["code"] == "unknown_episode"
    assert _fork(api("read"), _played(), status=403)


def test_a_fork_without_its_parent_is_not_restored(trainer: ApiClient) -> None:
    parent = _played()
    fork = _fork(trainer, parent)["episodes"][0]["id"]
    Step.objects.filter(episode=parent).delete()
    status, answer = trainer.json("POST", f"/episodes/{fork}/restore")
    assert (status, answer["error"]["code"]) == (409, "parent_gone")
    assert Episode.objects.get(pk=fork).inherited_events is None


def test_the_prompts_of_all_forks_of_a_call_count_together(trainer: ApiClient, settings: Any) -> None:
    parents = [factories.episode(arm="text_agent", answer_channel="api", max_steps=5) for _ in range(2)]
    for parent in parents:
        _record(parent, [1, 2])
        factories.verdict(parent, "incorrect")
    sizes = [len(str(_fork(trainer, parent, step=1)["messages"])) for parent in parents]
    settings.PROMPT_CHARS_MAX = max(sizes)
    forks = [{"episode": parent.pk, "step": 1} for parent in parents]
    count = Episode.objects.count()
    status, answer = trainer.json("POST", "/forks", {"forks": forks})
    assert (status, answer["error"]["code"]) == (413, "prompts_too_long")
    assert Episode.objects.count() == count
