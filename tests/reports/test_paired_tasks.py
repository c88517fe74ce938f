from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tasks_app.models import Task
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Run
from trajectories.reports.run_tallies import paired_tallies

pytestmark = pytest.mark.django_db


def paired_task(pair: str, *, is_possible: bool, family: str = "book_stay", split: str = "test") -> Task:
    return site_task(f"{family}/{pair}-{is_possible}", split=split, twin=pair, is_possible=is_possible)


def site_task(key: str, *, split: str = "test", **extra: object) -> Task:
    task = factories.task(kind="site", split=split, key=key)
    task.golds.update(extra=extra)
    return task


def judged(run: Run, task: Task, *outcomes: str, **fields: object) -> None:
    group = factories.group(run=run, task=task)
    for outcome in outcomes:
        factories.verdict(factories.episode(group=group, **fields), outcome)


@pytest.fixture
def run() -> Run:
    return factories.run()


def test_always_answering_impossible_gets_no_pair_right(run: Run) -> None:
    for pair in "abcd":
        judged(run, paired_task(pair, is_possible=False), "correct")
        judged(run, paired_task(pair, is_possible=True), "incorrect")

    (tally,) = paired_tallies(run_id=run.pk)

    assert (tally.family, tally.pairs) == ("book_stay", 4)
    assert (tally.possible, tally.impossible, tally.both) == (0, 1, 0)
    assert tally.low == 0 < tally.high < 0.6


def test_the_rate_of_both_right_assumes_independent_tries_of_a_pair(run: Run) -> None:
    judged(run, paired_task("a", is_possible=True), "correct", "incorrect")
    judged(run, paired_task("a", is_possible=False), "correct", "incorrect")
    judged(run, paired_task("b", is_possible=True), "correct")
    judged(run, paired_task("b", is_possible=False), "correct")

    (tally,) = paired_tallies(run_id=run.pk)

    assert tally.both == pytest.approx((0.25 + 1) / 2)
    assert tally.low < tally.both < tally.high


def test_only_pairs_with_both_tasks_judged_count(run: Run) -> None:
    judged(run, paired_task("a", is_possible=True), "correct")
    judged(run, paired_task("b", is_possible=True), "correct")
    judged(run, paired_task("b", is_possible=False), "void")
    judged(run, paired_task("c", is_possible=True), "correct")
    judged(run, paired_task("c", is_possible=False), "correct", guidance={"kind": "prefix", "fraction": 0.5})
    judged(run, site_task("book_stay/alone", twin="", is_possible=True), "correct")

    assert paired_tallies(run_id=run.pk) == []


def test_the_call_covers_only_the_splits_of_its_key(run: Run, api: Callable[..., ApiClient]) -> None:
    for is_possible in (True, False):
        judged(run, paired_task("a", is_possible=is_possible), "correct")

    status, body = api("read").json("GET", f"/runs/{run.pk}/twins")

    assert status == 200
    (record,) = body["results"]
    assert (record["pairs"], record["both"], record["high"]) == (1, 1.0, 1.0)
    assert api("read", splits=["train"]).json("GET", f"/runs/{run.pk}/twins") == (200, {"results": []})
    assert api("read").json("GET", "/runs/999999/twins")[0] == 404


def test_the_page_of_a_run_shows_its_pairs(run: Run, client: Client, django_user_model: Any) -> None:
    client.force_login(django_user_model.objects.create_user("owner"))
    other = factories.run()
    assert "Impossible tasks" not in client.get(f"/runs/{other.pk}/").content.decode()
    for is_possible in (True, False):
        judged(run, paired_task("a", is_possible=is_possible), "correct")

    assert "Paired tasks, possible and impossible" in client.get(f"/runs/{run.pk}/").content.decode()


def test_a_benchmark_states_the_share_of_its_impossible_tasks(api: Callable[..., ApiClient]) -> None:
    stays = factories.benchmark(id="stays", kind="site")
    for number in range(4):
        task = factories.task(kind="site", split="test", benchmark=stays, key=str(number))
        task.golds.update(extra={"is_possible": number > 0, "twin": ""})

    _, listed = api("read").json("GET", "/benchmarks")

    shares = {record["id"]: record["impossible_share"] for record in listed}
    assert shares["stays"] == {"test": 0.25}
    assert shares["gsm8k"] == {}
