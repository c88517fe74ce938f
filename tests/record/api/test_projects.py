"""A key of one project neither sees nor changes another's: every call to the API, and more."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
import pytest

from core.errors import GymError
from core.storage import blobs
from tests import factories
from tests.annotation import scene as annotation
from tests.exports import scene as exported
from tests.rollouts.samplers_pages.scene import sampler_make
from trajectories.annotation.queues.services import slot_next
from trajectories.exports.jobs import EXPORTS
from trajectories.models import Abstraction, Blob, Episode, Export, Sampler
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record.api import auth, openapi
from trajectories.reports.training import evaluations

NOWHERE = 2**62
SHA256 = "0" * 64
PLAN = {
    "version": 1,
    "name": "plan",
    "model": {"name": "model"},
    "benchmarks": [{"slug": "gsm8k", "split": "train"}],
    "arms": ["text_zero_shot", "gym"],
}
# Tasks and what describes the installation are everybody's.
SHARED = {
    *("benchmarks_list", "tasks_list", "tasks_export", "golds_export"),
    *("capacity", "health", "docs", "schema", "export_kinds", "reward_components"),
    "judge_list",
}
# What a key creates without naming anything that was there is of its own project.
OWN = {"report_create"}
# Beside those of all projects, which come with the gym.
PROFILES = {"reward_profile_store", "reward_profile_list"}
# Of the caller's project alone; no call makes one (tests/rewards/learned/test_store.py).
FITTED = {"learned_reward_list"}
BLOBS = {"blob_get", "blob_put", "blobs_missing"}


class Subject(NamedTuple):
    """Rows of one project."""

    run: int
    report: int
    group: int
    episode: int
    task: int
    sampler: int
    export: int
    project: int
    intervention: int
    abstraction: int

    @classmethod
    def none(cls) -> Subject:
        return cls(*[NOWHERE] * len(cls._fields))


class Call(NamedTuple):
    """``{names}`` in path and body are the fields of a ``Subject``."""

    method: str
    path: str
    body: Any = None

    def send(self, client: Any, subject: Subject) -> tuple[int, Any]:
        """Status and text of the answer, in which the ids of the request are left out."""
        names = {name: str(value) for name, value in subject._asdict().items()}
        response = client.generic(
            self.method,
            "/api/v1" + self.path.format(**names),
            b"" if self.body is None else _filled(self.body, subject),
            content_type="application/json",
        )
        return response.status_code, re.sub(r"\d+", "#", response.getvalue().decode())


def _filled(body: Any, subject: Subject) -> bytes:
    text = msgspec.json.encode(body).decode()
    for name, value in subject._asdict().items():
        text = text.replace(f'"{{{name}}}"', str(value))
    return text.encode()


STEP = {"steps": [{"index": 3, "thought": "t"}]}
# Calls that name one thing of a project, in the path, the query or the body.
NAMED: Mapping[str, Call] = {
    "run_create": Call("POST", "/runs", {"name": "r", "kind": "eval", "report": "{report}"}),
    "run_get": Call("GET", "/runs/{run}"),
    "policy_register": Call("POST", "/runs/{run}/policy", {"version": 1, "checkpoint": "c"}),
    "metrics_record": Call("POST", "/runs/{run}/metrics", {"values": {"loss": 1.0}}),
    "prompt_sizes_store": Call(
        "POST",
        "/runs/{run}/prompt_sizes",
        {"history": "full", "episodes": [{"episode": "{episode}", "characters": 1, "longest_characters": 1}]},
    ),
    "training_get": Call("GET", "/runs/{run}/training"),
    "episodes_cancel": Call("POST", "/runs/{run}/cancel", {"groups": ["{group}"], "reason": "stale"}),
    "group_list": Call("GET", "/runs/{run}/groups"),
    "success_list": Call("GET", "/runs/{run}/successes"),
    "behaviour_get": Call("GET", "/runs/{run}/behaviour"),
    "run_rewards": Call("GET", "/runs/{run}/rewards"),
    "episode_rewards": Call("GET", "/episodes/{episode}/rewards"),
    "paired_task_list": Call("GET", "/runs/{run}/twins"),
    "trajectory_stream": Call("GET", "/runs/{run}/trajectories"),
    "task_stats": Call("GET", "/tasks/stats?run={run}"),
    "episodes_open": Call(
        "POST", "/episodes", {"run": "{run}", "tasks": ["{task}"], "arm": "text_zero_shot"}
    ),
    "group_refill": Call("POST", "/groups/{group}/refill", {"count": 1}),
    "episode_get": Call("GET", "/episodes/{episode}"),
    "episode_close": Call("POST", "/episodes/{episode}/close", {"reason": "agent_stopped"}),
    "episode_resume": Call("POST", "/episodes/{episode}/resume"),
    "tool_call": Call(
        "POST", "/episodes/{episode}/tool_calls", {"step": 1, "tool": "calculator", "arguments": {}}
    ),
    "episode_fork": Call("POST", "/episodes/{episode}/fork", {"step": 0}),
    "episode_restore": Call("POST", "/episodes/{episode}/restore"),
    "intervention_open": Call(
        "POST", "/episodes/{episode}/interventions", {"step": 1, "substep": 1, "text": "Wait."}
    ),
    "intervention_get": Call("GET", "/interventions/{intervention}"),
    "abstraction_create": Call("POST", "/abstractions", {"task": "{task}", "text": "Look.", "run": "{run}"}),
    "abstraction_get": Call("GET", "/abstractions/{abstraction}"),
    "run_prefixes": Call("GET", "/runs/{run}/prefixes"),
    "run_abstractions": Call("GET", "/runs/{run}/abstractions"),
    "substep_list": Call("GET", "/episodes/{episode}/substeps"),
    "episode_takeover": Call("POST", "/episodes/{episode}/takeover", {"person": "owner"}),
    "episode_takeover_end": Call("POST", "/episodes/{episode}/takeover/end", {"how": "handed_back"}),
    "forks_open": Call("POST", "/forks", {"forks": [{"episode": "{episode}", "step": 0}]}),
    "episode_tree": Call("GET", "/episodes/{episode}/tree"),
    "step_values_store": Call(
        "POST", "/episodes/{episode}/values", {"values": [{"step": 1, "value": 0.5, "visits": 2}]}
    ),
    "episode_messages": Call("GET", "/episodes/{episode}/messages"),
    "episode_labels": Call("GET", "/episodes/{episode}/labels"),
    "trajectory_get": Call("GET", "/episodes/{episode}/trajectory"),
    "steps_record": Call("POST", "/episodes/{episode}/steps", STEP),
    "submission_send": Call("POST", "/episodes/{episode}/submission", {"answer": "1"}),
    "sampler_create": Call(
        "POST",
        "/samplers",
        {"run": "{run}", "strategy": {"kind": "uniform"}, "tasks": {"benchmark": "gsm8k"}},
    ),
    "sampler_get": Call("GET", "/samplers/{sampler}"),
    "sampler_draw": Call("POST", "/samplers/{sampler}/draw", {"count": 1}),
    "sampler_draws": Call("GET", "/samplers/{sampler}/draws"),
    "transfer_get": Call("GET", "/transfer?before={report}&after={report}"),
    "report_get": Call("GET", "/reports/{report}"),
    "report_rows": Call("GET", "/reports/{report}/rows"),
    "report_files": Call("GET", "/reports/{report}/files"),
    "report_file": Call("GET", "/reports/{report}/files/report.html"),
    "report_compute": Call("POST", "/reports/{report}/compute"),
    "export_create": Call("POST", "/exports", {"kind": "sft", "runs": ["{run}"]}),
    "export_get": Call("GET", "/exports/{export}"),
    "export_file": Call("GET", "/exports/{export}/files/manifest.json"),
    "export_cancel": Call("POST", "/exports/{export}/cancel"),
    "export_again": Call("POST", "/exports/{export}/again"),
    "heartbeat": Call("POST", "/heartbeat", {"episodes": ["{episode}"]}),
    "label_list": Call("GET", "/labels?project={project}"),
    "episode_list": Call("GET", "/episodes?run={run}"),
}
# Calls that the subject answers by what has become of it: it is open, its export is done, or files are gone.
NOT_NOW = {
    "episode_fork": (409,),
    "episode_rewards": (409,),
    "episode_restore": (409,),
    "episode_takeover": (422,),
    "episode_takeover_end": (409,),
    "export_cancel": (409,),
    "export_file": (410,),
    "forks_open": (409,),
    "intervention_open": (409, 422),
    "tool_call": (409,),
}
LISTS = {
    "run_list": "/runs",
    "episode_list": "/episodes",
    "sampler_list": "/samplers",
    "report_list": "/reports",
    "export_list": "/exports",
    "label_list": "/labels",
    "intervention_list": "/interventions",
    "abstraction_list": "/abstractions",
}


def _subject(project: str) -> Subject:
    report = factories.report(project=project)
    run = factories.run(project=project, kind="collect", report=report)
    task = factories.task()
    group = factories.group(run=run, task=task)
    (episode,) = annotation.episodes(1, steps=2, group=group, answer_channel="api")
    export = Export.objects.create(
        project=project,
        kind="sft",
        parameters={},
        state=Export.State.DONE,
        author="a",
        result={"manifest": {"name": "manifest.json", "sha256": SHA256, "bytes": 1, "rows": 0}, "files": []},
    )
    sampler = sampler_make(factories.run(), tasks=2, draws=0)
    Sampler.objects.filter(pk=sampler.pk).update(run=run)
    return Subject(
        run=run.pk,
        report=report.pk,
        group=episode.group_id,
        episode=episode.pk,
        task=task.pk,
        sampler=sampler.pk,
        export=export.pk,
        project=_annotated(episode, project),
        intervention=factories.intervention(episode).pk,
        abstraction=Abstraction.objects.create(task=task, project=project, text="Look.", run=run).pk,
    )


def _annotated(episode: Episode, project: str) -> int:
    person = annotation.labeller(f"person {episode.pk}")
    annotated = annotation.project(person, of=[episode], project=project)
    annotation.label(slot_next(annotation.annotator(annotated, person).pk))
    return annotated.pk


@pytest.fixture
def subject(db: None) -> Subject:
    return _subject("astra")


def test_every_call_of_the_api_is_looked_at() -> None:
    operations = {
        operation["operationId"]
        for methods in openapi.schema()["paths"].values()
        for name, operation in methods.items()
        if name in openapi.METHODS
    }
    assert operations == SHARED | OWN | PROFILES | FITTED | BLOBS | NAMED.keys() | LISTS.keys()


@pytest.mark.parametrize("name", NAMED)
def test_what_is_of_another_project_does_not_exist(
    api: Callable[..., Any], subject: Subject, own_storages: Any, name: str
) -> None:
    call, stranger = NAMED[name], api("admin", project="borealis")

    hidden = call.send(stranger, subject)

    assert hidden == call.send(stranger, Subject.none()._replace(task=subject.task))
    own = call.send(api("admin", project="astra"), subject)
    assert own != hidden
    assert own[0] < 400 or own[0] in NOT_NOW.get(name, ())


@pytest.mark.parametrize(("name", "path"), LISTS.items())
def test_lists_have_nothing_of_another_project(
    api: Callable[..., Any], subject: Subject, name: str, path: str
) -> None:
    assert api("admin", project="borealis").json("GET", path)[1]["results"] == []
    assert api("admin", project="astra").json("GET", path)[1]["results"]


def test_what_a_key_creates_is_of_its_project(api: Callable[..., Any]) -> None:
    client, other = api("admin", project="astra"), api("admin", project="borealis")
    for call, path, body in (
        ("report_create", "/reports", {"name": "r", "plan": PLAN}),
        ("run_create", "/runs", {"name": "r", "kind": "eval"}),
        ("export_create", "/exports", {"kind": "sft"}),
    ):
        status, made = client.json("POST", path, body)
        assert (call, status) == (call, 201)
        assert client.json("GET", f"{path}/{made['id']}")[0] == 200
        assert other.json("GET", f"{path}/{made['id']}")[0] == 404


def test_a_profile_is_of_its_project_alone(api: Callable[..., Any]) -> None:
    client, other = api("admin", project="astra"), api("admin", project="borealis")
    profile = {"name": "double", "terms": [{"component": "outcome", "weight": 2}]}
    assert client.json("POST", "/rewards/profiles", profile)[0] == 201
    named = {"name": "r", "kind": "train", "settings": {"reward_profile": "double"}}
    assert client.json("POST", "/runs", named)[0] == 201
    status, answer = other.json("POST", "/runs", named)
    assert (status, answer["error"]["code"]) == (422, "unknown_profile")
    assert "double" not in str(other.json("GET", "/rewards/profiles")[1])
    assert other.json("POST", "/rewards/profiles", profile)[0] == 201, "the same content is nobody's alone"


def test_keys_without_a_project_share_one(api: Callable[..., Any]) -> None:
    run = api("trainer").json("POST", "/runs", {"name": "r", "kind": "eval"})[1]["id"]
    assert api("trainer").json("POST", f"/runs/{run}/metrics", {"values": {"loss": 1.0}})[0] == 201
    assert factories.run().project == DEFAULT_PROJECT


def test_an_export_takes_episodes_of_its_project_alone(api: Callable[..., Any], own_storages: Any) -> None:
    made = {}
    for project in ("astra", "borealis"):
        run = factories.run(project=project, kind="train", observation="axtree-v2")
        made[project] = exported.played(exported.gym_group(run)).pk
        client = api("admin", project=project)
        status, export = client.json("POST", "/exports", {"kind": "step_rewards"})
        assert status == 201
        EXPORTS.run(export["id"])
        rows = client.json("GET", f"/exports/{export['id']}")[1]["files"][-1]["name"]
        text = client.get(f"/api/v1/exports/{export['id']}/files/{rows}").getvalue().decode()
        assert {msgspec.json.decode(line)["episode"] for line in text.splitlines()} == {made[project]}


def test_a_sample_to_annotate_has_no_episodes_of_other_projects(db: None) -> None:
    own = annotation.episodes(1, steps=2, run=factories.run(project="astra"))
    others = annotation.episodes(1, steps=2)
    project = annotation.project(of=[*others, *own], project="astra")
    assert set(project.units.values_list("episode_id", flat=True)) == {own[0].pk}


def test_training_is_not_held_against_evaluations_of_another_project(db: None) -> None:
    run = factories.run(kind="train", model="m", checkpoint="c", project="astra")
    other = factories.run(kind="eval", model="m", checkpoint="c")
    own = factories.run(kind="eval", model="m", checkpoint="c", project="astra")
    assert list(evaluations.evaluation_runs(run, evaluations.checkpoints_of(run))) == [own]
    assert other.pk != own.pk


@pytest.mark.parametrize("name", ["", "A", "a b", "-a", "a.", "\u0430", "a" * 65])
def test_a_project_has_a_plain_name(db: None, name: str) -> None:
    with pytest.raises(GymError, match="small letters"):
        auth.key_create(name="k", scopes=["read"], project=name)


def test_a_blob_is_of_those_who_uploaded_it(api: Callable[..., Any], own_storages: Any) -> None:
    one, other = api("admin", project="astra"), api("admin", project="borealis")
    data = b"a screenshot"
    sha256 = hashlib.sha256(data).hexdigest()
    path = f"/api/v1/blobs/{sha256}"

    def missing(client: Any) -> list[str]:
        listed: list[str] = client.json("POST", "/blobs/missing", {"sha256": [sha256]})[1]["missing"]
        return listed

    def put(client: Any) -> int:
        status: int = client.put(path, data, content_type="application/octet-stream").status_code
        return status

    unknown = other.get(path)
    assert put(one) == 201
    hidden = other.get(path)
    assert (hidden.status_code, hidden.content) == (404, unknown.content)
    assert (missing(one), missing(other)) == ([], [sha256])
    assert put(other) == 200
    for client in (one, other):
        assert client.get(path).getvalue() == data
        assert missing(client) == []
        assert put(client) == 200
    assert Blob.objects.get().projects == ["astra", "borealis"]


def test_pictures_of_tasks_are_everybodys(api: Callable[..., Any], own_storages: Any) -> None:
    data = b"a picture of a task"
    sha256 = blobs.blob_store(data).sha256
    path = f"/api/v1/blobs/{sha256}"
    for project in ("astra", "borealis"):
        client = api("admin", project=project)
        assert client.get(path).getvalue() == data
        assert client.json("POST", "/blobs/missing", {"sha256": [sha256]})[1]["missing"] == []
        assert client.put(path, data, content_type="application/octet-stream").status_code == 200
    assert Blob.objects.get().projects is None
