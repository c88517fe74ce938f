"""Samplers that hand out guidance, through the calls of a trainer: what they draw is opened and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings

from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient
from tests.rollouts.episodes.test_guidance import solved
from trajectories.models import Episode, Run, SamplerPrefix, SamplerTask

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]
SEARCH = {"kind": "shortest_prefix", "fractions": [0.25, 0.5], "rollouts": 2}


@pytest.fixture
def guide(api: Api) -> ApiClient:
    return api("trainer", "guidance")


def made(client: ApiClient, run: Run, strategy: Any, tasks: list[Task], **fields: Any) -> int:
    body = {"run": run.pk, "strategy": strategy, "seed": 7, "tasks": {"ids": [task.pk for task in tasks]}}
    status, sampler = client.json("POST", "/samplers", {**body, **fields})
    assert status == 201, sampler
    return int(sampler["id"])


def drawn(client: ApiClient, sampler: int, count: int, **fields: Any) -> Any:
    status, draw = client.json("POST", f"/samplers/{sampler}/draw", {"count": count, **fields})
    assert status == 200, draw
    return draw


def played(client: ApiClient, run: Run, items: list[Any], outcome: str = "incorrect") -> None:
    """Open what was drawn, as a trainer does, and judge it."""
    for item in items:
        names = ("samples_per_task", "guidance")
        body = {
            "run": run.pk,
            "tasks": [item["task"]],
            "arm": "text_zero_shot",
            **{n: item[n] for n in names},
        }
        status, answer = client.json("POST", "/episodes", body)
        assert status == 201, answer
        for one in answer["episodes"]:
            factories.verdict(Episode.objects.get(pk=one["id"]), outcome)


def test_a_search_goes_through_the_fractions_and_is_seen_in_the_prefixes(guide: ApiClient) -> None:
    run, easy, hard = factories.run(kind="train"), solved(), solved()
    sampler = made(guide, run, SEARCH, [easy, hard])

    first = drawn(guide, sampler, 2)["items"]
    played(guide, run, [item for item in first if item["task"] == easy.pk], "correct")
    played(guide, run, [item for item in first if item["task"] == hard.pk])
    second = drawn(guide, sampler, 2)["items"]
    played(guide, run, second)
    third = drawn(guide, sampler, 2)

    assert {item["task"] for item in first} == {easy.pk, hard.pk}
    assert {(item["guidance"]["steps"], item["samples_per_task"]) for item in first} == {(1, 2)}
    assert [(item["task"], item["guidance"]) for item in second] == [
        (hard.pk, {"kind": "prefix", "steps": 2})
    ]
    assert third["items"] == []
    assert third["summary"]["count"] == 2
    records = guide.json("GET", f"/runs/{run.pk}/prefixes")[1]["results"]
    assert [(one["task"], one["shortest"]) for one in records] == [(easy.pk, 1), (hard.pk, None)]
    known = SamplerPrefix.objects.order_by("task", "steps").values_list("task", "steps", "judged", "correct")
    assert list(known) == [(easy.pk, 1, 2, 2), (hard.pk, 1, 2, 0), (hard.pk, 2, 2, 0)]
    assert drawn(guide, sampler, 2, number=2)["items"] == second


def test_results_that_are_none_of_a_prefix_do_not_end_a_search(guide: ApiClient) -> None:
    run, task = factories.run(kind="train"), solved()
    sampler = made(guide, run, SEARCH, [task])
    (item,) = drawn(guide, sampler, 1)["items"]
    played(guide, run, [item], "void")
    played(guide, run, [item], "correct")
    first, second = Episode.objects.filter(verdict__outcome="correct").order_by("pk")
    Episode.objects.filter(pk=first.pk).update(parent=second.pk)
    Episode.objects.filter(pk=second.pk).update(is_taken_over=True)
    played(guide, run, [{**item, "guidance": {"kind": "hint", "text": "Draw it."}}], "correct")
    played(guide, factories.run(), [item], "correct")

    assert drawn(guide, sampler, 1)["items"] == [item]


def test_a_task_whose_prefix_leaks_is_drawn_without_and_says_so(guide: ApiClient) -> None:
    run = factories.run(kind="train")
    leaking, bare = solved(["It is 30.\n", "Yes.\n", "#### 30"]), factories.task()
    sampler = made(guide, run, SEARCH, [leaking, bare])

    draw = drawn(guide, sampler, 2)
    played(guide, run, draw["items"])

    whys = {item["task"]: item["why"] for item in draw["items"]}
    assert whys[leaking.pk] == {"reason": "no_prefix", "because": "leaks", "steps": 1, "clean": 0, "of": 3}
    assert whys[bare.pk] == {"reason": "no_prefix", "because": "no_solution"}
    assert {item["guidance"] for item in draw["items"]} == {None}
    assert drawn(guide, sampler, 2)["items"] == []


def test_pairs_have_the_shortest_prefix_of_another_run(guide: ApiClient) -> None:
    searched, run = factories.run(kind="train"), factories.run(kind="train")
    helped, unhelped, solvable = solved(), solved(), solved()
    played(
        guide,
        searched,
        [{"task": helped.pk, "samples_per_task": 1, "guidance": {"kind": "prefix", "steps": 2}}],
        "correct",
    )
    plain = {"samples_per_task": 2, "guidance": None}
    played(guide, run, [{"task": task.pk, **plain} for task in (helped, unhelped)])
    played(guide, run, [{"task": solvable.pk, **plain}], "correct")
    strategy = {"kind": "paired", "last": 2, "searched": searched.pk}
    sampler = made(
        guide, run, strategy, [helped, unhelped, solvable], rollouts={"kind": "constant", "count": 3}
    )

    draw = drawn(guide, sampler, 3)

    given = {(item["task"], (item["guidance"] or {}).get("steps")) for item in draw["items"]}
    assert given == {(helped.pk, 2), (helped.pk, None), (unhelped.pk, 1), (unhelped.pk, None)}
    assert {item["samples_per_task"] for item in draw["items"]} == {3}
    assert set(SamplerTask.objects.filter(drawn=1).values_list("task", flat=True)) == {helped.pk, unhelped.pk}
    assert drawn(guide, sampler, 3, number=1) == draw


def test_a_success_takes_a_task_out_of_the_pairs_until_it_is_old(guide: ApiClient) -> None:
    run, task = factories.run(kind="train"), solved()
    sampler = made(guide, run, {"kind": "paired", "last": 3}, [task])
    plain = [{"task": task.pk, "samples_per_task": 1, "guidance": None}]

    sizes = []
    for outcome in ("incorrect", "correct", "incorrect", "void", "incorrect", "incorrect"):
        played(guide, run, plain, outcome)
        sizes.append(len(drawn(guide, sampler, 1)["items"]))
    late = made(guide, run, {"kind": "paired", "last": 3}, [task])

    assert sizes == [2, 0, 0, 0, 0, 2]
    assert len(drawn(guide, late, 1)["items"]) == 2
    assert set(SamplerTask.objects.values_list("judged", "failures")) == {(5, 3)}


def test_only_keys_with_the_scope_make_such_samplers_or_draw_from_them(guide: ApiClient, api: Api) -> None:
    run, task, trainer = factories.run(kind="train"), solved(), api("trainer")
    for strategy in (SEARCH, {"kind": "paired"}):
        body = {"run": run.pk, "strategy": strategy}
        assert trainer.json("POST", "/samplers", body)[1]["error"]["code"] == "missing_scope"
        sampler = made(guide, run, strategy, [task])
        drawn(guide, sampler, 1)
        for number in (1, 2):
            status, answer = trainer.json("POST", f"/samplers/{sampler}/draw", {"count": 1, "number": number})
            assert (status, answer["error"]["code"]) == (403, "missing_scope")


def test_a_run_that_the_key_does_not_see_was_not_searched(guide: ApiClient) -> None:
    body = {"run": factories.run().pk, "strategy": {"kind": "paired", "searched": 999_999}}

    assert guide.json("POST", "/samplers", body)[1]["error"]["code"] == "unknown_run"


def test_a_draw_looks_into_so_many_solutions_and_stores_what_it_saw(
    guide: ApiClient, settings: LazySettings
) -> None:
    settings.LEAK_CHECKS_PER_CALL_MAX = 2
    tasks = [solved() for _ in range(3)]
    sampler = made(guide, factories.run(kind="train"), SEARCH, tasks)

    refused = guide.json("POST", f"/samplers/{sampler}/draw", {"count": 3})[1]
    drawn(guide, sampler, 2)

    assert refused["error"]["code"] == "too_many_leak_checks"
    assert Gold.objects.filter(clean_steps=2).count() == 2


def test_the_role_of_the_lab_may_do_all_this(guide: ApiClient, as_role: Callable[[str], Any]) -> None:
    run, task = factories.run(kind="train"), solved()
    with as_role("gym_lab"):
        for strategy in (SEARCH, {"kind": "paired"}):
            sampler = made(guide, run, strategy, [task])
            assert drawn(guide, sampler, 1)["items"]


def test_a_cap_is_the_longest_success_of_the_run(guide: ApiClient) -> None:
    run, task = factories.run(kind="train"), factories.task()
    horizon = {"kind": "longest_success", "least": 2, "most": 30}
    sampler = made(guide, run, {"kind": "uniform"}, [task], horizon=horizon)
    for steps, outcome in ((4, "correct"), (3, "correct"), (9, "incorrect")):
        episode = factories.episode(run=run, task=task)
        for index in range(1, steps + 1):
            factories.step(episode, index)
        factories.verdict(episode, outcome)

    assert drawn(guide, sampler, 1)["items"][0]["max_steps"] == 4
