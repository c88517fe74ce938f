"""Tasks by arm, and the way from a cell to two episodes side by side."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.lab.test_pages import Lab
from tests.rollouts.runs.pages.test_result import judge
from trajectories.models import Episode, Run
from trajectories.rollouts.runs.pages.family import find_family
from trajectories.rollouts.runs.pages.heat_map import HeatMap, build_heat_map

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(db: None) -> Run:
    """Of four tasks two are right as text and one as a page; a fifth is a page's alone."""
    made, tasks = factories.run(), [factories.task() for _ in range(5)]
    judge(made, tasks[:4], arm="text_zero_shot", right=2)
    judge(made, tasks, arm="gym", right=1)
    return made


def mapped(run: Run) -> HeatMap:
    made = build_heat_map(find_family(run))
    assert made is not None
    return made


def test_tasks_on_which_arms_differ_come_first(run: Run) -> None:
    made = mapped(run)
    assert (made.shared, made.differing, len(made.rows)) == (4, 1, 4)
    text, page = made.rows[0].cells
    assert text is not None
    assert page is not None
    assert (text.text, page.text, text.is_discordant, page.is_discordant) == ("✓", "✗", False, True)
    assert page.words == "right as Text, zero-shot, wrong as Page: compare"


def test_a_discordant_cell_opens_the_two_episodes(lab: Lab, owner: User, run: Run) -> None:
    task = mapped(run).rows[0].task
    ids = [Episode.objects.get(task=task, arm=arm).pk for arm in ("text_zero_shot", "gym")]
    html = lab(owner).get(f"/runs/{run.pk}/").content.decode()
    (address,) = re.findall(r'is-discordant">\s*<a href="([^"]+)"', html)
    response = lab(owner).get(unescape(address))
    assert (response.status_code, response.headers["Location"]) == (
        302,
        f"/compare?episodes={ids[0]},{ids[1]}#first-divergence",
    )


def test_several_samples_are_shown_as_counts_and_pairs_are_those_that_differ(
    run: Run, lab: Lab, owner: User
) -> None:
    task = factories.task()
    for arm, outcomes in (("text_zero_shot", ("correct", "incorrect")), ("gym", ("incorrect", "incorrect"))):
        group = factories.group(run=run, task=task, arm=arm)
        for outcome in outcomes:
            factories.verdict(factories.episode(group=group), outcome)
    row = next(row for row in mapped(run).rows if row.task == task.pk)
    assert [cell and cell.text for cell in row.cells] == ["1/2", "0/2"]
    assert row.cells[1] is not None
    location = lab(owner).get(row.cells[1].address).headers["Location"]
    right = Episode.objects.get(task=task, verdict__outcome="correct")
    assert location.startswith(f"/compare?episodes={right.pk},")


def test_one_arm_has_no_map_and_a_map_is_one_statement(run: Run) -> None:
    alone = factories.run(model="")
    judge(alone, [factories.task()], arm="gym", right=1)
    assert build_heat_map(find_family(alone)) is None
    family = find_family(run)
    with CaptureQueriesContext(connection) as queries:
        build_heat_map(family)
    assert len(queries) == 1


@pytest.mark.parametrize(
    "query", ["", "?task=1&a=1.gym&b=1.nothing", "?task=x&a=1.gym&b=1.gym", "?task=1&a=1.gym&b=1.gym"]
)
def test_an_address_of_no_pair_is_not_found(lab: Lab, owner: User, run: Run, query: str) -> None:
    assert lab(owner).get(f"/runs/{run.pk}/pair{query}").status_code == 404
    assert lab(None).get(f"/runs/{run.pk}/pair{query}").status_code == 302
