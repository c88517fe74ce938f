"""The list of runs: each on one line, filtered and sorted by the address."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.models import Run
from trajectories.rollouts.runs.pages import pages
from trajectories.rollouts.runs.pages.pages import RUNS
from trajectories.shell.grid.view import Sort

pytestmark = pytest.mark.django_db

Lab = Callable[[User | None], LabClient]


@pytest.fixture
def made() -> list[Run]:
    """One without episodes, one all right, one half right with a void episode and one that is open."""
    task = factories.task(benchmark=factories.benchmark(id="math"))
    none, right, half = (
        factories.run(name=name, model=model, tags=tags)
        for name, model, tags in (("alpha", "qwen", ["100%"]), ("beta", "llama", []), ("gamma", "qwen", []))
    )
    factories.verdict(factories.episode(run=right, task=task))
    for outcome, reason in (("correct", "answer"), ("incorrect", "answer"), ("void", "lease_lost")):
        factories.verdict(factories.episode(run=half, arm="text_agent"), outcome, reason)
    factories.episode(run=half, task=task)
    return [none, right, half]


def names_of(html: str) -> list[str]:
    return re.findall(r'data-hit\s+href="/runs/\d+/"\s+title="(\w+)"', html)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["gamma", "beta", "alpha"]),
        ("sort=run", ["alpha", "beta", "gamma"]),
        ("sort=-accuracy", ["beta", "gamma", "alpha"]),
        ("sort=-void", ["gamma", "beta", "alpha"]),
        ("sort=-episodes", ["gamma", "beta", "alpha"]),
        ("q=LPH", ["alpha"]),
        ("q=100%25", ["alpha"]),
        ("q=%25", ["alpha"]),
        ("model=qwen", ["gamma", "alpha"]),
        ("arm=text_agent", ["gamma"]),
        ("benchmark=math", ["gamma", "beta"]),
        ("kind=train", []),
    ],
)
def test_runs_are_filtered_and_sorted_by_the_address(
    lab: Lab, annotator: User, made: list[Run], query: str, expected: list[str]
) -> None:
    assert names_of(lab(annotator).get(f"/?{query}").content.decode()) == expected


def test_a_row_has_the_arms_and_benchmarks_of_ended_and_of_open_episodes(made: list[Run]) -> None:
    none, right, half = pages.run_rows([run.pk for run in made])
    assert (none.arms, none.benchmarks) == ([], [])
    assert (right.arms, right.benchmarks) == (["gym"], ["math"])
    assert (half.arms, half.benchmarks) == (["gym", "text_agent"], ["gsm8k", "math"])


def test_every_column_of_runs_sorts_both_ways_page_by_page(
    made: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "RUNS_PER_PAGE", 1)

    def ids_in(sort: Sort) -> list[int]:
        ids, after = [], None
        while True:
            page, after = pages.run_page(filters={}, sort=sort, after=after)
            ids += [row.pk for row in page]
            if after is None:
                return ids

    for column in (one for one in RUNS.columns if one.is_sortable):
        up, down = (ids_in(Sort(column=column, is_descending=is_down)) for is_down in (False, True))
        assert sorted(up) == sorted(run.pk for run in made), column.id
        if column.sort:
            assert up == down[::-1], column.id


def test_the_home_page_begins_with_the_newest_reports_and_a_filtered_list_does_not(
    lab: Lab, annotator: User, made: list[Run]
) -> None:
    factories.report(name="the gap")
    client = lab(annotator)
    home = client.get("/").content.decode()
    assert home.index("the gap") < home.index("gamma")
    assert "the gap" not in client.get("/?kind=eval").content.decode()
