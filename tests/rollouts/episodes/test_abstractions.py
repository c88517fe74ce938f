"""Abstractions: stored without the answer, rewarded by what their solvers made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.conftest import ApiClient
from tests.rollouts.episodes.test_guidance import messages_of, opened, refused, solved
from trajectories.models import Abstraction, Episode, Run
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import abstractions
from trajectories.rollouts.episodes.abstractions import AbstractionIn

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]
TEXT = "Count what each box holds before anything is given away."


@pytest.fixture
def guide(api: Api) -> ApiClient:
    return api("trainer", "guidance")


def stored(client: ApiClient, status: int = 201, **body: Any) -> Any:
    got, answer = client.json("POST", "/abstractions", {"text": TEXT, **body})
    assert got == status, answer
    return answer


def solve(client: ApiClient, abstraction: dict[str, Any], run: Run, outcomes: list[str]) -> None:
    task = Abstraction.objects.get(pk=abstraction["id"]).task
    guidance = {"kind": "abstraction", "abstraction": abstraction["id"]}
    answer = opened(client, task, guidance, run=run.pk, samples_per_task=len(outcomes))
    for one, outcome in zip(answer["episodes"], outcomes, strict=True):
        if outcome:
            factories.verdict(Episode.objects.get(pk=one["id"]), outcome)


def test_an_abstraction_has_its_author_run_and_episode(guide: ApiClient) -> None:
    task, writer = solved(), factories.episode(run=factories.run())
    record = stored(guide, task=task.pk, episode=writer.pk)
    assert (record["run"], record["episode"], record["author"]) == (
        writer.run_id,
        writer.pk,
        "trainer-guidance",
    )
    assert stored(guide, task=task.pk)["run"] is None
    assert guide.json("GET", f"/abstractions/{record['id']}") == (200, record)


def test_one_with_the_answer_is_not_stored(guide: ApiClient) -> None:
    answer = stored(guide, 422, task=solved().pk, text="It comes to thirty.")
    assert answer["error"]["code"] == "guidance_leaks"
    assert not Abstraction.objects.exists()


def test_what_is_not_there_or_of_another_run_is_refused(guide: ApiClient) -> None:
    episode, task = factories.episode(), solved()
    assert stored(guide, 422, task=2**40)["error"]["code"] == "unknown_task"
    assert stored(guide, 404, task=task.pk, run=2**40)["error"]["code"] == "unknown_run"
    assert stored(guide, 404, task=task.pk, episode=2**40)["error"]["code"] == "unknown_episode"
    other = factories.run().pk
    assert stored(guide, 422, task=task.pk, run=other, episode=episode.pk)["error"]["code"] == "other_run"


def test_only_keys_with_the_scope_store_and_read_the_text(guide: ApiClient, api: Api) -> None:
    task = solved()
    assert api("trainer").json("POST", "/abstractions", {"task": task.pk, "text": TEXT})[0] == 403
    record = stored(guide, task=task.pk)
    assert api("read").json("GET", f"/abstractions/{record['id']}")[1]["text"] is None
    assert api("read", "golds").json("GET", f"/abstractions?task={task.pk}")[1]["results"][0]["text"] == TEXT


def test_solvers_get_it_and_their_mean_is_its_reward(guide: ApiClient) -> None:
    writers, solvers = factories.run(), factories.run()
    good, bad = (stored(guide, task=solved().pk, run=writers.pk) for _ in range(2))
    solve(guide, good, solvers, ["correct", "incorrect", "void", "correct", ""])
    solve(guide, bad, solvers, ["incorrect"])
    results = guide.json("GET", f"/abstractions?run={writers.pk}")[1]["results"]
    assert [one["solvers"] for one in results] == [
        {"runs": [solvers.pk], "opened": 1, "judged": 1, "correct": 0, "mean": 0.0},
        {"runs": [solvers.pk], "opened": 5, "judged": 3, "correct": 2, "mean": 2 / 3},
    ]
    answer = opened(
        guide, Abstraction.objects.get(pk=good["id"]).task, {"kind": "abstraction", "abstraction": good["id"]}
    )
    assert messages_of(answer)[-1]["content"].endswith(f"\n\n{TEXT}")


def test_an_abstraction_helps_with_its_own_task_alone(guide: ApiClient) -> None:
    other = stored(guide, task=solved().pk)
    code, _ = refused(guide, solved(), {"kind": "abstraction", "abstraction": other["id"]})
    assert code == "unknown_abstraction"


def test_the_report_compares_with_without_and_best(guide: ApiClient) -> None:
    writers, run, task = factories.run(), factories.run(), solved()
    first, second = (stored(guide, task=task.pk, run=writers.pk) for _ in range(2))
    solve(guide, first, run, ["correct", "incorrect"])
    solve(guide, second, run, ["incorrect", "incorrect", "void"])
    for outcome in ("correct", "incorrect", "incorrect", "incorrect", "incorrect"):
        factories.verdict(factories.episode(run=run, task=task, arm="text_zero_shot"), outcome)
    factories.verdict(factories.episode(run=run, task=solved()))  # never played with an abstraction
    assert guide.json("GET", f"/runs/{run.pk}/abstractions") == (
        200,
        {
            "with": {"tasks": 1, "episodes": 4, "mean": 0.25},
            "without": {"tasks": 1, "episodes": 5, "mean": 0.2},
            "best": {"tasks": 1, "episodes": 2, "mean": 0.5},
            "written_in": [writers.pk],
        },
    )


def test_what_a_person_took_over_is_no_result_of_an_abstraction(guide: ApiClient) -> None:
    writers, run = factories.run(), factories.run()
    one = stored(guide, task=solved().pk, run=writers.pk)
    solve(guide, one, run, ["correct", "incorrect"])
    Episode.objects.filter(run=run, verdict__outcome="correct").update(is_taken_over=True)
    (record,) = guide.json("GET", f"/abstractions?run={writers.pk}")[1]["results"]
    assert record["solvers"] == {"runs": [run.pk], "opened": 1, "judged": 1, "correct": 0, "mean": 0.0}
    report = guide.json("GET", f"/runs/{run.pk}/abstractions")[1]
    assert report["with"] == {"tasks": 1, "episodes": 1, "mean": 0.0}


def test_a_run_without_abstractions_has_an_empty_report(guide: ApiClient) -> None:
    nothing = {"tasks": 0, "episodes": 0, "mean": None}
    answer = guide.json("GET", f"/runs/{factories.run().pk}/abstractions")[1]
    assert answer == {"with": nothing, "without": nothing, "best": nothing, "written_in": []}


def test_the_list_is_read_in_a_fixed_number_of_queries(guide: ApiClient) -> None:
    task = solved()
    counts = []
    for _ in range(2):
        stored(guide, task=task.pk)
        with CaptureQueriesContext(connection) as queries:
            guide.json("GET", "/abstractions")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_an_abstraction_of_a_run_is_in_the_runs_project() -> None:
    task, run = solved(), factories.run(project="ours")
    person = Principal(1, "ines", frozenset({"admin"}), frozenset(), project=None)
    made = abstractions.abstraction_create(
        body=AbstractionIn(task=task.pk, text=TEXT, run=run.pk), principal=person
    )
    assert made.project == "ours"
