"""Runs side by side: what differs, and charts over policy versions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.models import Run

pytestmark = pytest.mark.django_db

Lab = Callable[[User | None], LabClient]


@pytest.fixture
def trained() -> list[Run]:
    """Two runs of two versions each, with another history; in the second run version 2 is void."""
    runs = [factories.run(name="first <b>"), factories.run(name="second", history="last_k:3")]
    for run, (outcome, reason) in zip(runs, (("correct", "answer"), ("void", "lease_lost")), strict=True):
        for version in (1, 2):
            ending = ("incorrect", "answer") if version == 1 else (outcome, reason)
            factories.verdict(factories.episode(run=run, policy_version=version), *ending)
            factories.verdict(factories.episode(run=run, policy_version=version))
    return runs


def test_settings_that_differ_come_first_and_charts_share_their_versions(
    lab: Lab, annotator: User, trained: list[Run]
) -> None:
    one, two = (run.pk for run in trained)
    html = lab(annotator).get(f"/runs/compare?runs={one},{two}").content.decode()
    assert html.index("Last 3 observations") < html.index("JSON")
    assert "first &lt;b&gt;" in html
    assert "first <b>" not in html
    assert html.count('data-version="2"') == 4
    assert "second, version 2: 50.0%" in html


def test_runs_without_versions_have_no_charts(lab: Lab, annotator: User) -> None:
    runs = [factories.run(), factories.run()]
    html = lab(annotator).get(f"/runs/compare?runs={runs[0].pk},{runs[1].pk}").content.decode()
    assert "nothing to plot over versions" in html


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "Select two runs or more"),
        ("?runs={0}", "Select two runs or more"),
        ("?runs={0},{1},x", "left out"),
        ("?runs={0},{1},99999999999999999999999", "left out"),
        ("?runs={0},{1},999999999", "left out"),
    ],
)
def test_what_cannot_be_compared_is_reported(
    lab: Lab, annotator: User, trained: list[Run], query: str, expected: str
) -> None:
    response = lab(annotator).get("/runs/compare" + query.format(*(run.pk for run in trained)))
    assert response.status_code == 200
    assert expected in response.content.decode()


def test_selected_boxes_lead_to_an_address_that_can_be_shared(lab: Lab, annotator: User) -> None:
    response = lab(annotator).get("/runs/compare?runs=2&runs=5&runs=")
    assert (response.status_code, response["Location"]) == (302, "/runs/compare?runs=2,5")
