"""Looks as pictures on the page of a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests import factories
from tests.conftest import LabClient
from trajectories.models import Blob, Report

pytestmark = pytest.mark.django_db
DIGEST = "ab" * 32


def looks_shown(client: LabClient, rows: Sequence[dict[str, Any]]) -> str:
    """The page of a report whose table of looks has these rows."""
    columns = [{"id": name, "title": name, "unit": ""} for name in ("benchmark", "arm", "look")]
    head = {"benchmark": "gsm8k", "arm": "gym"}
    table = {"id": "looks", "title": "Looks", "columns": columns, "notes": []}
    tables = [{**table, "rows": [{**head, **row} for row in rows]}]
    report = factories.report()
    Report.objects.filter(pk=report.pk).update(result={"tables": tables}, state="ready")
    return " ".join(client.get(f"/reports/{report.pk}/").content.decode().split())


def test_the_extreme_looks_are_shown_beside_their_accuracy(
    lab: Callable[[Any], LabClient], owner: Any
) -> None:
    pictured, bare = factories.episode(), factories.episode()
    Blob.objects.create(sha256=DIGEST, size=1, content_type="image/png")
    factories.step(pictured, 1)
    for index in (2, 3):
        factories.step(pictured, index, screenshot=DIGEST)

    page = looks_shown(
        lab(owner),
        [
            {
                "look": "font mono",
                "rank": "most harmful",
                "episode": pictured.pk,
                "mean": 41.5,
                "effect": -9.0,
            },
            {"look": "zoom 90", "rank": "", "episode": bare.pk, "mean": 60.0, "effect": 2.0},
            {"look": "neutral", "rank": "least harmful", "episode": bare.pk, "mean": 70.0, "effect": 7.0},
        ],
    )

    assert "41.5% right, −9.0 points compared with all looks of its items: font mono" in page
    assert f'<a href="/episodes/{pictured.pk}/steps/2"> <img src="/blobs/{DIGEST}/thumbnail"' in page
    assert f'No picture was taken: <a href="/episodes/{bare.pk}/">' in page
    assert "60.0% right" not in page


def test_looks_without_any_picture_are_in_the_table_alone(
    lab: Callable[[Any], LabClient], owner: Any
) -> None:
    row = {"look": "font mono", "rank": "most harmful", "mean": 41.5, "effect": -9.0}

    page = looks_shown(lab(owner), [{**row, "episode": factories.episode().pk}])

    assert "No pictures: the episodes in the most and the least harmful looks have no screenshots." in page
    assert "No picture was taken" not in page
