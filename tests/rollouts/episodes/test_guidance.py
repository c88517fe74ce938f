"""Guidance in opening messages: what it may say, where it stands, and who reads it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models import F

from tasks_app.leaks import detection
from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient
from tests.exports import scene
from trajectories.exports.services import Author
from trajectories.models import Episode, Export, Group, GuidanceText
from trajectories.rollouts.episodes.guidance import HIDDEN, INSTRUCTIONS
from trajectories.rollouts.episodes.opening_messages import opening_messages

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]

STEPS = ["She has 3*12=36 pens.\n", "She gives 6 away.\n", "There are 36-6=30 left.\n", "#### 30"]
FIRST = "She has 3*12=36 pens."


@pytest.fixture
def guide(api: Api) -> ApiClient:
    return api("trainer", "guidance")


def solved(steps: list[str] = STEPS, answer: str = "30", **fields: Any) -> Task:
    text = fields.pop("text", "Ines has 3 boxes of 12 pens and gives away 6 pens. How many pens are left?")
    task = factories.task(answer=answer, payload={"text": text, "format": "plain"}, prompt=text, **fields)
    Gold.objects.filter(task=task).update(
        solution="".join(steps), steps=steps, created_at=F("created_at") - timedelta(days=1)
    )
    return task


def opened(client: ApiClient, task: Task, guidance: dict[str, Any], *, status: int = 201, **more: Any) -> Any:
    body = {"run": more.pop("run", None) or factories.run().pk, "tasks": [task.pk], "arm": "text_zero_shot"}
    got, answer = client.json("POST", "/episodes", {**body, "guidance": guidance, **more})
    assert got == status, answer
    return answer


def messages_of(answer: Any, place: int = 0) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = answer["messages"][answer["episodes"][place]["messages_ref"]]
    return messages


def refused(client: ApiClient, task: Task, guidance: dict[str, Any], status: int = 422) -> tuple[str, str]:
    error = opened(client, task, guidance, status=status)["error"]
    assert not Episode.objects.exists()
    return error["code"], error["message"]


def test_a_prefix_stands_at_the_end_of_the_last_opening_message(guide: ApiClient) -> None:
    task = solved()
    body = {"run": factories.run().pk, "tasks": [task.pk], "arm": "text_zero_shot", "seed": 5}
    plain = messages_of(guide.json("POST", "/episodes", body)[1])
    answer = opened(guide, task, {"kind": "prefix", "fraction": 0.25}, samples_per_task=2, seed=5)
    block = f"\n\n{INSTRUCTIONS['prefix']}\n\n{FIRST}"
    *before, last = messages_of(answer)
    assert before == plain[:-1]
    assert last["content"] == plain[-1]["content"] + block
    for episode in Episode.objects.filter(guidance__isnull=False):
        start = len(plain[-1]["content"])
        assert episode.guidance == {
            "kind": "prefix",
            "hash": hashlib.sha256(block.strip().encode()).hexdigest(),
            "fraction": 0.25,
            "steps": 1,
            "of": 4,
            "gold_version": 1,
            "message": len(before),
            "part": None,
            "start": start,
            "end": start + len(block),
        }
        assert not episode.is_plain


def test_steps_and_an_instruction_of_ones_own(guide: ApiClient) -> None:
    answer = opened(guide, solved(), {"kind": "prefix", "steps": 2, "instruction": "Go on:"})
    assert messages_of(answer)[-1]["content"].endswith(
        "\n\nGo on:\n\nShe has 3*12=36 pens.\nShe gives 6 away."
    )


def test_a_prefix_with_the_answer_is_refused_without_naming_it(guide: ApiClient) -> None:
    code, message = refused(guide, solved(), {"kind": "prefix", "fraction": 0.75})
    assert code == "guidance_leaks"
    assert "first 3 of 4 steps" in message
    assert "2 can be given" in message
    assert "30" not in message


def test_the_last_step_is_never_given_whatever_the_check_says(guide: ApiClient) -> None:
    task = solved(["One.\n", "Two."], answer="30")
    assert refused(guide, task, {"kind": "prefix", "fraction": 1})[0] == "guidance_leaks"
    assert Gold.objects.get(task=task).clean_steps == 1


def test_of_a_solution_that_is_never_checked_nothing_is_given(guide: ApiClient) -> None:
    task = solved(["x" * 10_001, "#### 30"])
    code, message = refused(guide, task, {"kind": "prefix", "steps": 1})
    assert (code, Gold.objects.get(task=task).clean_steps) == ("guidance_leaks", 0)
    assert f"task {task.pk} contain its answer, or cannot be checked" in message


def test_a_solution_that_takes_too_long_to_check_is_named_and_not_quoted(
    guide: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = solved()
    Gold.objects.filter(task=task).update(steps=["Six words.\n", "36 pens.\n", "#### 30"])
    monkeypatch.setattr(detection, "PHRASES_MAX", 0)
    code, message = refused(guide, task, {"kind": "prefix", "steps": 1})
    assert code == "no_solution"
    assert f"task {task.pk} could not be checked" in message
    assert "36" not in message.replace(str(task.pk), "")
    assert Gold.objects.get(task=task).clean_steps is None


def test_a_task_without_solution_steps_is_refused(guide: ApiClient) -> None:
    assert refused(guide, factories.task(), {"kind": "prefix", "fraction": 0.5})[0] == "no_solution"


def test_a_hint_is_checked_for_the_answer(guide: ApiClient) -> None:
    code, message = refused(guide, solved(), {"kind": "hint", "text": "It is just 30."})
    assert code == "guidance_leaks"
    assert "11 to 13" in message
    assert (
        refused(guide, solved(), {"kind": "hint", "text": "Ok", "instruction": "Say 30"})[0]
        == "guidance_leaks"
    )
    answer = opened(guide, solved(answer="12"), {"kind": "hint", "text": "12 is in a box."})
    assert messages_of(answer)[-1]["content"].endswith(f"{INSTRUCTIONS['hint']}\n\n12 is in a box.")
    announced = {"kind": "hint", "text": "12 is in a box.", "instruction": "The answer is"}
    error = opened(guide, solved(answer="12"), announced, status=422)["error"]
    assert error["code"] == "guidance_leaks"
    answer = opened(guide, solved(), {"kind": "hint", "text": "Multiply first."})
    assert messages_of(answer)[-1]["content"].endswith(f"{INSTRUCTIONS['hint']}\n\nMultiply first.")


@pytest.mark.parametrize(
    "guidance",
    [
        {"kind": "prefix"},
        {"kind": "prefix", "fraction": 0.2, "steps": 1},
        {"kind": "prefix", "text": "x"},
        {"kind": "hint"},
        {"kind": "hint", "fraction": 0.5},
        {"kind": "abstraction", "text": "x"},
        {"kind": "prefex", "fraction": 0.5},
    ],
)
def test_guidance_that_says_too_little_or_too_much_is_refused(
    guide: ApiClient, guidance: dict[str, Any]
) -> None:
    assert refused(guide, solved(), guidance)[0] == "bad_guidance"


def test_probes_take_no_guidance(guide: ApiClient) -> None:
    run = factories.run(observation="axtree-v2").pk
    answer = opened(guide, solved(), {"kind": "hint", "text": "x"}, arm="probe_read", run=run, status=422)
    assert answer["error"]["code"] == "bad_guidance"


def test_only_keys_with_the_scope_open_guided_episodes(trainer: ApiClient, api: Api) -> None:
    for client in (trainer, api("trainer", "golds")):
        assert refused(client, solved(), {"kind": "hint", "text": "x"}, status=403)[0] == "missing_scope"


def test_guidance_that_the_caller_delivers_is_only_noted(trainer: ApiClient) -> None:
    given = {"kind": "my own", "fraction": 0.5, "hash": "ab"}
    content = messages_of(opened(trainer, solved(), given))[-1]["content"]
    assert Episode.objects.get().guidance == given
    assert INSTRUCTIONS["hint"] not in content


def test_a_refill_copies_the_guidance_of_the_first_sample(guide: ApiClient, trainer: ApiClient) -> None:
    task = solved()
    answer = opened(guide, task, {"kind": "prefix", "fraction": 0.5})
    Gold.objects.filter(task=task).update(steps=["Else.\n", "More."], clean_steps=1)
    group = answer["episodes"][0]["group"]
    assert trainer.json("POST", f"/groups/{group}/refill", {"count": 1})[0] == 403
    status, more = guide.json("POST", f"/groups/{group}/refill", {"count": 1})
    assert status == 201
    assert messages_of(more) == messages_of(answer)
    first, second = Episode.objects.order_by("pk").values_list("guidance", flat=True)
    assert first == second
    assert FIRST not in json.dumps(Group.objects.get().settings)


def test_messages_hide_the_text_from_keys_without_the_scope(guide: ApiClient, api: Api) -> None:
    answer = opened(guide, solved(), {"kind": "prefix", "fraction": 0.25})
    episode = answer["episodes"][0]["id"]
    for client in (guide, api("read", "golds")):
        assert client.json("GET", f"/episodes/{episode}/messages")[1]["messages"] == messages_of(answer)
    hidden = api("trainer").json("GET", f"/episodes/{episode}/messages")[1]["messages"]
    assert hidden[-1]["content"].endswith(f"\n\n{HIDDEN}")
    for path in (f"/episodes/{episode}/trajectory", f"/episodes/{episode}", "/episodes?limit=9"):
        status, text = api("trainer").json("GET", path)
        assert status == 200
        assert FIRST not in json.dumps(text)


def test_the_arena_reads_no_guidance(arena_client: Any) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_table_privilege('gym_arena', %s, 'SELECT'),"
            " has_column_privilege('gym_arena', 'trajectories_episode', 'guidance', 'SELECT')",
            [GuidanceText._meta.db_table],
        )
        assert cursor.fetchone() == (False, False)


def played(task: Task, guide: ApiClient) -> Episode:
    run = factories.run(kind="train", observation="axtree-v2")
    answer = opened(guide, task, {"kind": "prefix", "fraction": 0.25}, arm="gym", run=run.pk)
    episode = Episode.objects.select_related("group", "run", "task").get(pk=answer["episodes"][0]["id"])
    for index in (1, 2, 3):
        factories.step(
            episode,
            index,
            raw=f'Go.\nAction: {{"type": "click", "target": "e{index}"}}',
            action={"type": "click", "target": f"e{index}"},
            action_result="ok",
            observation_kind="axtree-v2",
            observation_text=f"page {index}",
            more={"element_ids": f"k{index}"},
        )
    factories.verdict(episode)
    episode.refresh_from_db()
    return episode


def test_a_fork_keeps_its_parents_guidance_or_has_its_own(guide: ApiClient, trainer: ApiClient) -> None:
    parent = played(solved(), guide)
    path = f"/episodes/{parent.pk}/fork"
    assert trainer.json("POST", path, {"step": 1})[0] == 403
    status, copied = guide.json("POST", path, {"step": 1})
    assert status == 201, copied
    own = guide.json("POST", path, {"step": 1, "guidance": {"kind": "hint", "text": "Multiply."}})[1]
    fork, other = (Episode.objects.get(pk=one["episodes"][0]["id"]) for one in (copied, own))
    assert fork.guidance == parent.guidance
    assert messages_of(copied) == opening_messages(parent, with_solutions=True, with_guidance=True)
    assert other.guidance is not None
    assert other.guidance["kind"] == "hint"
    content = messages_of(own)[-1]["content"]
    assert content[other.guidance["start"] : other.guidance["end"]].endswith("\n\nMultiply.")
    assert FIRST not in content
    more = guide.json("POST", f"/groups/{other.group_id}/refill", {"count": 1})[1]
    assert messages_of(more) == messages_of(own)


def test_a_prompt_that_cannot_be_made_again_takes_no_guidance(guide: ApiClient) -> None:
    parent = played(solved(), guide)
    Group.objects.update(template="of another gym")
    for guidance in ({}, {"guidance": {"kind": "hint", "text": "Multiply."}}):
        status, answer = guide.json("POST", f"/episodes/{parent.pk}/fork", {"step": 1, **guidance})
        assert (status, answer["error"]["code"]) == (422, "record_incomplete")
    assert Episode.objects.count() == 1


def test_a_call_checks_each_text_once_and_so_many_at_most(
    guide: ApiClient, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, check = played(solved(), guide), detection.leaks
    texts: list[str] = []

    def leaks(task: Task, text: str) -> list[detection.Leak]:
        texts.append(text)
        return check(task, text)

    monkeypatch.setattr(detection, "leaks", leaks)

    def fork(*hints: str) -> tuple[int, Any]:
        named = {"episode": parent.pk, "step": 1}
        forks = [{**named, "guidance": {"kind": "hint", "text": hint}} for hint in hints]
        return guide.json("POST", "/forks", {"forks": forks})

    settings.LEAK_CHECKS_PER_CALL_MAX = 2
    assert fork("One.", "Two.", "One.", "One.")[0] == 201
    assert len(texts) == 2
    status, answer = fork("One.", "Two.", "Three.")
    assert (status, answer["error"]["code"]) == (413, "too_many_leak_checks")
    assert "LEAK_CHECKS_PER_CALL_MAX" in answer["error"]["message"]
    assert len(texts) == 4


def test_solutions_that_are_counted_need_no_check_in_a_call(guide: ApiClient, settings: LazySettings) -> None:
    tasks, hint = [solved() for _ in range(3)], {"kind": "hint", "text": "Multiply."}
    prefix = {"kind": "prefix", "steps": 1}
    settings.LEAK_CHECKS_PER_CALL_MAX = 2
    body = {"tasks": [task.pk for task in tasks]}
    for guidance in (prefix, hint):
        answer = opened(guide, tasks[0], guidance, status=413, **body)
        assert answer["error"]["code"] == "too_many_leak_checks"
    assert not Gold.objects.filter(clean_steps__isnull=False).exists()
    opened(guide, tasks[0], prefix)
    opened(guide, tasks[0], prefix, **body)


def test_an_intervention_that_waits_keeps_its_parents_guidance(guide: ApiClient, trainer: ApiClient) -> None:
    parent = Episode.objects.get(
        pk=opened(guide, solved(), {"kind": "prefix", "fraction": 0.25})["episodes"][0]["id"]
    )
    raw = "One.\n\nTwo."
    factories.step(parent, 1, raw=raw, thought=raw, action_result="ok")
    factories.verdict(parent, "incorrect")
    body = {"step": 1, "substep": 2, "text": "Count again.", "count": 0}
    status, answer = guide.json("POST", f"/episodes/{parent.pk}/interventions", body)
    assert status == 201, answer
    path = f"/groups/{answer['intervention']['group']}/refill"
    assert trainer.json("POST", path, {"count": 1})[0] == 403
    status, more = guide.json("POST", path, {"count": 1})
    assert status == 201, more
    assert FIRST in json.dumps(messages_of(more))
    assert Episode.objects.get(pk=more["episodes"][0]["id"]).guidance == parent.guidance


@pytest.mark.usefixtures("own_storages")
def test_guided_episodes_are_exported_on_request_with_their_place(guide: ApiClient) -> None:
    episode = played(solved(), guide)
    assert scene.exported("sft").state == "failed"
    author = Author(name="guide", sees_guidance=True)
    (row,) = scene.rows_of(scene.exported("sft", origins=["guided"], author=author))
    assert row["guidance"] == episode.guidance
    place = row["guidance"]
    text = row["messages"][place["message"]]["content"][place["start"] : place["end"]]
    assert text == f"\n\n{INSTRUCTIONS['prefix']}\n\n{FIRST}"


def test_an_export_of_guided_episodes_needs_the_scope_and_is_hidden_without(
    guide: ApiClient, trainer: ApiClient
) -> None:
    body = {"kind": "sft", "origins": ["guided"]}
    assert trainer.json("POST", "/exports", body)[0] == 403
    status, export = guide.json("POST", "/exports", body)
    assert status == 201, export
    assert trainer.json("GET", f"/exports/{export['id']}")[0] == 404
    assert guide.json("GET", f"/exports/{export['id']}")[0] == 200


def test_an_export_of_before_there_were_origins_is_seen_without_the_scope(trainer: ApiClient) -> None:
    identity = trainer.json("POST", "/exports", {"kind": "sft"})[1]["id"]
    stored = Export.objects.get(pk=identity)
    assert stored.parameters.pop("origins")
    stored.save()
    assert trainer.json("GET", f"/exports/{identity}")[0] == 200
