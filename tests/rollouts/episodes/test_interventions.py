from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models import F

from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Group, Intervention, Step, Takeover

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]
SUBSTEPS = ["Six apples and seven pears.", "That makes 6 * 7 = 41.", "Answer: 41"]
RAW = "\n\n".join(SUBSTEPS)
TEXT = "Wait, 6 * 7 is not 41."
LEAK = "Wait, 6 * 7 is 42, not 41."


@pytest.fixture
def guide(api: Api) -> ApiClient:
    return api("trainer", "guidance")


def _failed(raw: str = RAW, *, thought: str | None = None, **fields: Any) -> Episode:
    values = {"arm": "text_zero_shot", "answer_channel": "api", "max_steps": 2, **fields}
    episode = factories.episode(**values)
    factories.step(episode, 1, raw=raw, thought=raw if thought is None else thought, action_result="ok")
    factories.verdict(episode, "incorrect")
    return episode


def _send(client: ApiClient, parent: Episode, *, status: int = 201, **fields: Any) -> Any:
    body = {"step": 1, "substep": 2, "text": TEXT, **fields}
    got, answer = client.json("POST", f"/episodes/{parent.pk}/interventions", body)
    assert got == status, answer
    return answer


def test_substeps_are_numbered_with_their_places_in_the_message(guide: ApiClient) -> None:
    parent = _failed()
    status, answer = guide.json("GET", f"/episodes/{parent.pk}/substeps")
    assert status == 200
    (step,) = answer["steps"]
    assert (step["step"], step["problem"]) == (1, "")
    assert [(one["number"], one["text"]) for one in step["substeps"]] == list(enumerate(SUBSTEPS, start=1))
    assert all(RAW[one["begin"] : one["end"]] == one["text"] for one in step["substeps"])


def test_continuations_go_on_within_the_message_of_the_parent(guide: ApiClient) -> None:
    parent = _failed()
    answer = _send(guide, parent, count=3, author="teacher-8b", policy_version=2)
    begun = f"{SUBSTEPS[0]}\n\n{TEXT}"
    spans = [
        {"kind": "copied", "begin": 0, "end": len(SUBSTEPS[0]) + 2},
        {"kind": "intervention", "begin": len(SUBSTEPS[0]) + 2, "end": len(begun)},
    ]
    message = {"role": "assistant", "content": begun, "prefill": True, "spans": spans}
    assert answer["intervention"]["message"] == message
    forks = Episode.objects.filter(parent=parent).order_by("pk")
    assert [(one["id"], one["begins_after"]) for one in answer["episodes"]] == [(f.pk, 0) for f in forks]
    assert len(forks) == 3
    assert not any(fork.is_plain for fork in forks)
    opening = guide.json("GET", f"/episodes/{parent.pk}/messages")[1]["messages"]
    for fork in forks:
        assert guide.json("GET", f"/episodes/{fork.pk}/messages")[1]["messages"] == [*opening, message]
        trajectory = guide.json("GET", f"/episodes/{fork.pk}/trajectory")[1]
        assert trajectory["intervention"] == answer["intervention"]["id"]
    assert guide.json("GET", f"/episodes/{parent.pk}/trajectory")[1]["intervention"] is None


def test_the_first_substep_leaves_nothing_of_the_policys_own(guide: ApiClient) -> None:
    message = _send(guide, _failed(), substep=1)["intervention"]["message"]
    assert message["content"] == TEXT
    assert [one["end"] for one in message["spans"]] == [0, len(TEXT)]


def test_white_space_around_the_text_is_not_part_of_it(guide: ApiClient) -> None:
    record = _send(guide, _failed(), text=f"\n {TEXT} \n\n")["intervention"]
    assert record["text"] == TEXT
    assert record["message"]["content"].endswith(f"\n\n{TEXT}")


def test_the_step_that_is_recorded_holds_the_whole_message(guide: ApiClient) -> None:
    answer = _send(guide, _failed())
    fork, begun = answer["episodes"][0]["id"], answer["intervention"]["message"]["content"]
    step = {"index": 1, "raw": f"{begun}\n\nAnswer: 42", "prefill_chars": len(begun)}
    status, posted = guide.json("POST", f"/episodes/{fork}/steps", {"steps": [step]})
    assert (status, posted["accepted"]) == (200, 1)
    (stored,) = guide.json("GET", f"/episodes/{fork}/trajectory")[1]["steps"]
    assert (stored["raw"], stored["prefill_chars"]) == (step["raw"], len(begun))


def test_the_success_rate_leaves_void_ones_out(guide: ApiClient) -> None:
    answer = _send(guide, _failed(), count=5)
    identity = answer["intervention"]["id"]
    assert answer["intervention"]["continuations"]["success_rate"] is None
    forks = Episode.objects.filter(pk__in=[one["id"] for one in answer["episodes"]]).order_by("pk")
    for fork, outcome in zip(forks, ("correct", "incorrect", "incorrect", "void"), strict=False):
        factories.verdict(fork, outcome, reason="harness_error" if outcome == "void" else "answer")
    counts = {"opened": 5, "judged": 3, "correct": 1, "void": 1, "success_rate": 1 / 3}
    record = guide.json("GET", f"/interventions/{identity}")[1]
    assert record["continuations"] == counts
    for query in (f"run={record['run']}", f"episode={record['episode']}"):
        assert guide.json("GET", f"/interventions?{query}")[1] == {"results": [record], "next": None}
    assert guide.json("GET", "/interventions?episode=1")[1]["results"] == []


def test_the_success_rate_leaves_out_what_a_person_took_over(guide: ApiClient) -> None:
    answer = _send(guide, _failed(), count=2)
    own, taken = (Episode.objects.get(pk=one["id"]) for one in answer["episodes"])
    factories.verdict(own, "incorrect")
    factories.verdict(taken, "correct")
    # Steps of a person in the parent are in all continuations, and make no difference between them.
    Episode.objects.filter(pk__in=[own.pk, taken.pk]).update(is_taken_over=True)
    Takeover.objects.create(episode=taken, person="Ada", grammar="json", begins_after=0, last_index=1)
    record = guide.json("GET", f"/interventions/{answer['intervention']['id']}")[1]
    counts = {"opened": 1, "judged": 1, "correct": 0, "void": 0, "success_rate": 0.0}
    assert record["continuations"] == counts


def test_the_list_is_read_in_a_fixed_number_of_queries(
    guide: ApiClient, django_assert_max_num_queries: Any
) -> None:
    parent = _failed()
    for _ in range(4):
        _send(guide, parent, count=2)
    with django_assert_max_num_queries(4):
        assert len(guide.json("GET", "/interventions")[1]["results"]) == 4
    first = guide.json("GET", "/interventions?limit=3")[1]
    rest = guide.json("GET", f"/interventions?limit=3&cursor={first['next']}")[1]
    numbers = [one["id"] for one in first["results"] + rest["results"]]
    assert numbers == sorted(numbers, reverse=True)
    assert len(set(numbers)) == 4


def test_a_later_refill_opens_continuations_of_the_same(guide: ApiClient) -> None:
    record = _send(guide, _failed(), count=2)["intervention"]
    status, answer = guide.json("POST", f"/groups/{record['group']}/refill", {"count": 2})
    assert status == 201
    messages = guide.json("GET", f"/episodes/{answer['episodes'][0]['id']}/messages")[1]["messages"]
    assert messages[-1] == record["message"]
    assert guide.json("GET", f"/interventions/{record['id']}")[1]["continuations"]["opened"] == 4


def test_an_intervention_waits_for_its_continuations(guide: ApiClient) -> None:
    answer = _send(guide, _failed(), count=0)
    record = answer["intervention"]
    assert (answer["episodes"], record["continuations"]["opened"]) == ([], 0)
    episodes = guide.json("POST", f"/groups/{record['group']}/refill", {"count": 2})[1]["episodes"]
    assert len(episodes) == 2
    messages = guide.json("GET", f"/episodes/{episodes[0]['id']}/messages")[1]["messages"]
    assert messages[-1] == record["message"]


def test_a_continuation_takes_an_intervention_too(guide: ApiClient) -> None:
    answer = _send(guide, _failed())
    fork = Episode.objects.get(pk=answer["episodes"][0]["id"])
    raw = f"{answer['intervention']['message']['content']}\n\nSo it is 40.\n\nAnswer: 40"
    factories.step(fork, 1, raw=raw, thought=raw, action_result="ok")
    factories.verdict(fork, "incorrect")
    # All that a test opens has the time at which its transaction began.
    Gold.objects.update(created_at=F("created_at") - timedelta(days=1))
    message = _send(guide, fork, substep=3, text="No, one more.")["intervention"]["message"]
    assert message["content"] == f"{SUBSTEPS[0]}\n\n{TEXT}\n\nNo, one more."
    assert message["spans"][0]["end"] == len(f"{SUBSTEPS[0]}\n\n{TEXT}\n\n")


def test_a_later_step_begins_after_the_copied_messages(guide: ApiClient) -> None:
    parent = factories.episode(arm="text_agent", answer_channel="api", max_steps=5)
    for index in (1, 2):
        raw = f'Think {index}.\n\nThen act.\nAction: {{"type": "note", "text": "n"}}'
        factories.step(parent, index, raw=raw, thought=f"Think {index}.\n\nThen act.", action_result="ok")
    factories.verdict(parent, "incorrect")
    answer = _send(guide, parent, step=2, text="Answer now.")
    assert answer["episodes"][0]["begins_after"] == 1
    fork = answer["episodes"][0]["id"]
    messages = guide.json("GET", f"/episodes/{fork}/messages")[1]["messages"]
    copied = [message for message in messages if message.get("copied")]
    assert [message["role"] for message in copied] == ["assistant", "user"]
    assert messages[-1]["content"] == "Think 2.\n\nAnswer now."


def test_one_idempotency_key_opens_an_intervention_once(guide: ApiClient) -> None:
    parent = _failed()
    path, body = f"/episodes/{parent.pk}/interventions", {"step": 1, "substep": 2, "text": TEXT}
    answers = [guide.json("POST", path, body, headers={"Idempotency-Key": "one"}) for _ in range(2)]
    assert answers[0] == answers[1]
    assert Intervention.objects.count() == Episode.objects.filter(parent=parent).count() == 1


@pytest.mark.parametrize(
    ("change", "fields", "status", "code"),
    [
        (lambda _: None, {"substep": 4}, 422, "no_such_substep"),
        (lambda _: None, {"substep": 0}, 400, "invalid"),
        (lambda _: None, {"step": 2}, 422, "no_such_step"),
        (lambda _: None, {"step": 0}, 400, "invalid"),
        (lambda _: None, {"text": " \n"}, 422, "intervention_empty"),
        (lambda _: None, {"text": LEAK}, 422, "intervention_leaks"),
        (lambda _: None, {"text": "word " * 2_001}, 422, "text_too_long"),
        (lambda _: None, {"text": "a\0b"}, 400, None),
        (lambda _: None, {"author": "a" * 201}, 400, "invalid"),
        (lambda _: None, {"author_kind": "oracle"}, 400, "invalid"),
        (lambda _: None, {"count": 10_000}, 413, "too_many_episodes"),
        (lambda _: None, {"run": 10**9}, 404, "unknown_run"),
        (lambda e: Step.objects.filter(episode=e).update(raw=""), {}, 422, "cannot_go_on"),
        (lambda e: Step.objects.filter(episode=e).update(thought="Hidden."), {}, 422, "cannot_go_on"),
        (lambda e: Step.objects.filter(episode=e).delete(), {}, 422, "no_such_step"),
    ],
)
def test_what_cannot_be_done_opens_nothing(
    guide: ApiClient, change: Any, fields: dict[str, Any], status: int, code: str | None
) -> None:
    parent = _failed()
    change(parent)
    before = (Episode.objects.count(), Group.objects.count())
    answer = _send(guide, parent, status=status, **fields)
    assert code in (None, answer["error"]["code"])
    assert (Episode.objects.count(), Group.objects.count()) == before
    assert not Intervention.objects.exists()


@pytest.mark.parametrize(
    ("outcome", "status", "code"), [(None, 409, "episode_open"), ("void", 422, "void_parent")]
)
def test_only_an_ended_and_judged_episode_takes_one(
    guide: ApiClient, outcome: str | None, status: int, code: str
) -> None:
    parent = factories.episode(arm="text_zero_shot", answer_channel="api")
    factories.step(parent, 1, raw=RAW, thought=RAW)
    if outcome:
        factories.verdict(parent, outcome, reason="harness_error")
    assert _send(guide, parent, status=status)["error"]["code"] == code


def test_the_text_is_checked_behind_what_is_copied(guide: ApiClient) -> None:
    parent = _failed("Now the answer is\n\n41")
    Task.objects.filter(pk=parent.task_id).update(payload={"text": "What is 42 * 1?", "format": "plain"})
    error = _send(guide, parent, text="42, as it says.", status=422)["error"]
    assert error["code"] == "intervention_leaks"
    assert "“42” (characters 0 to 2)" in error["message"]
    assert _send(guide, parent, substep=1, text="42, as it says.")


def test_a_message_that_leaves_no_room_to_go_on_is_refused(guide: ApiClient, settings: LazySettings) -> None:
    settings.THOUGHT_MAX_CHARS = len(f"{SUBSTEPS[0]}\n\n{TEXT}")
    parent = _failed()
    assert _send(guide, parent, status=413)["error"]["code"] == "intervention_too_long"
    settings.THOUGHT_MAX_CHARS += 1
    assert _send(guide, parent)


def test_where_the_endpoint_enforced_an_object_nobody_goes_on(guide: ApiClient) -> None:
    run = factories.run(grammar="structured")
    parent = _failed('{"thought": "t"}', thought="t", run=run, arm="text_agent", max_steps=5)
    answer = _send(guide, parent, substep=1, status=422)
    assert answer["error"]["code"] == "cannot_go_on"
    steps = guide.json("GET", f"/episodes/{parent.pk}/substeps")[1]["steps"]
    assert steps[0]["problem"] in answer["error"]["message"]


def test_a_key_that_may_not_learn_the_answer_tries_no_text(api: Api) -> None:
    parent = _failed()
    for scopes in (("read",), ("read", "guidance"), ("trainer",)):
        for text in (TEXT, LEAK):
            assert _send(api(*scopes), parent, text=text, status=403)["error"]["code"] == "missing_scope"
    assert _send(api("trainer", "golds"), parent)
    assert api("read").json("GET", f"/episodes/{parent.pk}/substeps")[0] == 200
