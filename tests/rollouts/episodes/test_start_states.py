"""Guidance by a start state: forks of a task's scripted solution after its first acts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Run, SiteEvent
from trajectories.record.projects import EVERYTHING
from trajectories.rewards.profiles.store import profile_store
from verifiers import denotations

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]


@pytest.fixture
def guide(api: Api) -> ApiClient:
    return api("trainer", "guidance")


@pytest.fixture
def task(db: None) -> Task:
    call_command("load_benchmark", "stays", count=8, seed=1, split="test", verbosity=0)
    Gold.objects.update(created_at=F("created_at") - timedelta(days=1))
    return Task.objects.filter(benchmark="stays", tags__contains=["family:total_price"])[0]


def scripted(task: Task, *, actor: str = "oracle", outcome: str = "correct", **fields: Any) -> Episode:
    """An episode of four clicks, the two values of the answer, and a click on the button."""
    episode = factories.episode(task=task, arm="gym", max_steps=40, **fields)
    values = denotations.split_cell(task.golds.get().answer)
    acts: list[dict[str, Any]] = [{"type": "click", "target": f"e{place}"} for place in range(1, 5)]
    acts += [{"type": "type", "target": "e9", "text": value} for value in values]
    for index, act in enumerate([*acts, {"type": "click", "target": "e10"}], start=1):
        factories.step(
            episode,
            index,
            actor=actor,
            action=act,
            action_result="ok",
            thought="",
            observation_kind="axtree-v2",
            observation_text=f"page {index}",
            more={"element_ids": f"k{index}"},
        )
    SiteEvent.objects.create(episode=episode, seq=1, step=None, kind="page_served", data={"path": ""})
    factories.verdict(episode, outcome)
    return episode


def opened(client: ApiClient, task: Task, *, status: int = 201, run: Run | None = None, **fields: Any) -> Any:
    body = {"run": (run or factories.run()).pk, "tasks": [task.pk], "arm": "gym", **fields}
    body["guidance"] = {"kind": "start_state", **body.get("guidance", {"steps": 2})}
    got, answer = client.json("POST", "/episodes", body)
    assert got == status, answer
    return answer


def code_of(client: ApiClient, task: Task, *, status: int = 422, **fields: Any) -> str:
    before = Episode.objects.count()
    code: str = opened(client, task, status=status, **fields)["error"]["code"]
    assert Episode.objects.count() == before
    return code


def test_a_start_state_is_a_guided_fork_of_the_newest_scripted_solution(guide: ApiClient, task: Task) -> None:
    scripted(task)
    solution, run = scripted(task), factories.run()
    answer = opened(guide, task, run=run, samples_per_task=3, policy_version=7)
    forks = list(Episode.objects.filter(parent=solution).order_by("pk"))
    assert [one["id"] for one in answer["episodes"]] == [fork.pk for fork in forks]
    assert {one["begins_after"] for one in answer["episodes"]} == {2}
    assert len(forks) == 3
    assert {(fork.run_id, fork.policy_version, fork.is_plain) for fork in forks} == {(run.pk, 7, False)}
    record = forks[0].guidance or {}
    assert (record["kind"], record["steps"], record["of"]) == ("start_state", 2, 7)
    assert record["episode"] == solution.pk
    assert "message" not in record  # nothing is inserted
    half = opened(guide, task, guidance={"fraction": 0.5})
    assert half["episodes"][0]["begins_after"] == 4


def test_no_start_state_holds_the_answer(guide: ApiClient, task: Task) -> None:
    scripted(task)
    assert opened(guide, task, guidance={"steps": 5})["episodes"]  # one value of two
    for steps in (6, 7, 70):
        error = opened(guide, task, status=422, guidance={"steps": steps})["error"]
        assert error["code"] == "guidance_leaks"
        assert not any(value in error["message"] for value in denotations.split_cell(task.golds.get().answer))
    assert code_of(guide, task, guidance={"fraction": 1}) == "guidance_leaks"


@pytest.mark.parametrize(
    "fields",
    [
        {"actor": "policy"},
        {"outcome": "incorrect"},
        {"guidance": {"kind": "hint", "hash": "x"}},
        {"run": "other"},
    ],
)
def test_without_a_scripted_solution_on_record_the_task_is_refused(
    guide: ApiClient, task: Task, fields: dict[str, Any]
) -> None:
    if "run" in fields:
        fields = {"run": factories.run(observation="som-v1")}
    scripted(task, **fields)
    assert code_of(guide, task) == "no_solution"


def test_a_demonstration_of_a_person_is_a_solution_too(guide: ApiClient, task: Task) -> None:
    episode = scripted(task, actor="person")
    Episode.objects.filter(pk=episode.pk).update(is_taken_over=True, person_steps=7)
    assert opened(guide, task)["episodes"][0]["parent"] == episode.pk


def test_another_projects_solution_is_none(api: Api, task: Task) -> None:
    scripted(task, run=factories.run(project="theirs"))
    stranger = api("trainer", "guidance", project="ours")
    assert code_of(stranger, task, run=factories.run(project="ours")) == "no_solution"


def test_the_checks_of_forks_hold(guide: ApiClient, task: Task) -> None:
    scripted(task)
    Task.objects.update(changed_at=timezone.now() + timedelta(days=1))
    assert code_of(guide, task, status=409) == "task_changed"
    Gold.objects.update(created_at=timezone.now() + timedelta(days=1))
    assert code_of(guide, task, status=409) == "gold_changed"


def test_only_keys_with_the_scope_open_and_refill_start_states(
    guide: ApiClient, trainer: ApiClient, task: Task
) -> None:
    scripted(task)
    assert code_of(trainer, task, status=403) == "missing_scope"
    group = opened(guide, task)["episodes"][0]["group"]
    assert trainer.json("POST", f"/groups/{group}/refill", {"count": 1})[0] == 403
    status, more = guide.json("POST", f"/groups/{group}/refill", {"count": 1})
    assert status == 201, more
    fork = Episode.objects.get(pk=more["episodes"][0]["id"])
    assert (fork.guidance or {})["kind"] == "start_state"


@pytest.mark.parametrize(
    "fields",
    [
        {"guidance": {}},
        {"guidance": {"steps": 1, "fraction": 0.5}},
        {"guidance": {"steps": 1, "instruction": "Look."}},
        {"guidance": {"text": "Look."}},
        {"presentation": {"font": "serif"}},
        {"seed": 3},
    ],
)
def test_a_start_state_takes_a_size_and_nothing_that_its_solution_has(
    guide: ApiClient, task: Task, fields: dict[str, Any]
) -> None:
    scripted(task)
    assert code_of(guide, task, **fields) == "bad_guidance"


def test_a_question_of_one_page_has_no_start_state(guide: ApiClient) -> None:
    question = factories.task()
    episode = factories.episode(task=question, arm="gym")
    factories.step(episode, 1, actor="oracle")
    factories.verdict(episode)
    assert code_of(guide, question, guidance={"steps": 1}) == "bad_guidance"


def test_a_fork_takes_no_start_state(guide: ApiClient, task: Task) -> None:
    parent = scripted(task)
    body = {"step": 1, "guidance": {"kind": "start_state", "steps": 2}}
    status, answer = guide.json("POST", f"/episodes/{parent.pk}/fork", body)
    assert (status, answer["error"]["code"]) == (422, "bad_guidance")


def test_successes_are_read_by_the_number_of_acts(guide: ApiClient, task: Task, api: Api) -> None:
    scripted(task)
    run = factories.run()
    for steps, outcome in ((2, "incorrect"), (4, "correct"), (4, "incorrect")):
        (one,) = opened(guide, task, run=run, guidance={"steps": steps})["episodes"]
        factories.verdict(Episode.objects.get(pk=one["id"]), outcome)
    factories.verdict(factories.episode(run=run, task=task, guidance={"kind": "start_state", "hash": "x"}))
    path = f"/runs/{run.pk}/prefixes"
    assert api("read").json("GET", path)[1]["results"] == []
    (record,) = api("read").json("GET", f"{path}?guidance=start_state")[1]["results"]
    assert (record["task"], record["of"], record["shortest"]) == (task.pk, 7, 4)
    assert record["tries"] == [
        {"steps": 2, "judged": 1, "correct": 0},
        {"steps": 4, "judged": 2, "correct": 1},
    ]


def test_a_task_without_what_the_run_pays_for_is_refused(guide: ApiClient, task: Task) -> None:
    scripted(task)
    terms = [{"component": "outcome"}, {"component": "milestone/chose_right", "weight": 0.1}]
    named, _ = profile_store({"name": "shaped", "terms": terms}, viewer=EVERYTHING)
    run = factories.run(settings={"reward_profile": named.reference})
    assert code_of(guide, task, run=run) == "profile_unfit"
