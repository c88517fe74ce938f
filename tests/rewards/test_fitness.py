"""Tasks are refused that can never have what the profile of their run pays for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tasks_app import kinds
from tasks_app.families import registry as families
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, Group, Run, Sampler
from trajectories.rewards.profiles.fitness import list_milestones
from trajectories.rewards.registry import COMPONENTS, MILESTONES

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]


def run_of(client: ApiClient, *components: str) -> int:
    """A run that pays for the outcome and for the components."""
    paid = [{"component": name, "weight": 0.1} for name in components]
    profile = {"name": "shaped", "terms": [{"component": "outcome"}, *paid]}
    reference = client.json("POST", "/rewards/profiles", profile)[1]["reference"]
    settings = {"reward_profile": reference}
    status, run = client.json("POST", "/runs", {"name": "r", "kind": "train", "settings": settings})
    assert status == 201, run
    return int(run["id"])


def choice_task(**fields: Any) -> Task:
    benchmark = factories.benchmark(id="arc", kind=kinds.CHOICE, verifier_official="choice-v2")
    payload = {"text": "Which?", "choices": [{"label": one, "text": one} for one in "AB"]}
    return factories.task(benchmark=benchmark, kind=kinds.CHOICE, payload=payload, answer="A", **fields)


@pytest.mark.parametrize(
    ("component", "words"),
    [
        (
            "milestone/opened_right_listing",
            "gsm8k has no 'milestone/opened_right_listing': it has no milestones",
        ),
        ("milestone/chose_right", "gsm8k has no 'milestone/chose_right'"),
        ("form", "gsm8k has no 'form': only tasks of the kind “Mock site” do"),
    ],
)
def test_tasks_without_a_component_are_refused_and_nothing_is_opened(
    api: Api, component: str, words: str
) -> None:
    client = api("trainer")
    run, tasks = run_of(client, component), [factories.task().pk, factories.task().pk]
    status, answer = client.json("POST", "/episodes", {"run": run, "tasks": tasks})
    assert (status, answer["error"]["code"]) == (422, "profile_unfit")
    assert words in answer["error"]["message"]
    assert f"Run {run} is paid by shaped@" in answer["error"]["message"]
    assert not Group.objects.exists()
    assert not Episode.objects.exists()


def test_one_benchmark_of_several_is_named(api: Api) -> None:
    client = api("trainer")
    run = run_of(client, "milestone/chose_right")
    body = {"run": run, "tasks": [choice_task().pk, factories.task().pk]}
    problems = client.json("POST", "/episodes", body)[1]["error"]["fields"]["tasks"]
    assert problems == ["gsm8k has no 'milestone/chose_right': it has no milestones."]


def test_tasks_with_the_components_are_opened(api: Api) -> None:
    client = api("trainer")
    run = run_of(client, "syntax", "navigation", "milestone/chose_right")
    assert client.json("POST", "/episodes", {"run": run, "tasks": [choice_task().pk]})[0] == 201


def test_a_run_without_a_profile_takes_all_tasks(api: Api) -> None:
    body = {"run": factories.run().pk, "tasks": [factories.task().pk, choice_task().pk]}
    assert api("trainer").json("POST", "/episodes", body)[0] == 201


def test_a_sampler_of_such_tasks_is_refused(api: Api) -> None:
    client = api("trainer")
    run = run_of(client, "form")
    factories.task()
    body = {"run": run, "tasks": {"benchmark": "gsm8k"}, "strategy": {"kind": "uniform"}}
    status, answer = client.json("POST", "/samplers", body)
    assert (status, answer["error"]["code"]) == (422, "profile_unfit"), answer
    assert not Sampler.objects.exists()
    assert Run.objects.filter(pk=run).exists()


def test_every_benchmark_has_the_milestones_of_its_tasks() -> None:
    of_benchmarks = {one.id: set(list_milestones(one.id, one.kind)) for _, one in benchmarks.items()}
    assert of_benchmarks["ladder"] == {"located_right_row", "chose_right", "enlarged_figure"}
    assert of_benchmarks["wikitable"] == {"located_right_row"}
    assert of_benchmarks["chartqa"] == {"enlarged_figure"}
    assert of_benchmarks["gsm8k"] == set()
    assert "opened_right_listing" in of_benchmarks["stays"] - of_benchmarks["reviews"]
    of_families = {one.name for _, family in families.FAMILIES.items() for one in family.milestones}
    assert set().union(*of_benchmarks.values()) == of_families | set(MILESTONES)


def test_kinds_that_components_name_exist() -> None:
    named = [one.kinds or set() for _, one in COMPONENTS.items()]
    named += [one.kinds for _, one in MILESTONES.items()]
    benchmarked = {one.kind for _, one in benchmarks.items()}
    assert set().union(*named) <= benchmarked
    assert {name for _, one in MILESTONES.items() for name in one.benchmarks} <= set(benchmarks)
