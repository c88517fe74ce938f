"""Looks as pictures on the page of a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories
from tests.conftest import LabClient
from trajectories.models import Blob, Report

pytestmark = pytest.mark.django_db
DIGEST = "ab" * 32


def test_the_extreme_looks_are_shown_beside_their_accuracy(
    lab: Callable[[Any], LabClient], owner: Any
) -> None:
    pictured, bare = factories.episode(), factories.episode()
    Blob.objects.create(sha256=DIGEST, size=1, content_type="image/png")
    factories.step(pictured, 1)
    factories.step(pictured, 2, screenshot=DIGEST)
    head = {"benchmark": "gsm8k", "arm": "gym"}
    rows = [
        {**head, "look": "font mono", "rank": "most harmful", "episode": pictured.pk, "mean": 41.5},
        {**head, "look": "zoom 90", "rank": "", "episode": bare.pk, "mean": 60.0},
        {**head, "look": "neutral", "rank": "least harmful", "episode": bare.pk, "mean": 70.0},
    ]
    columns = [{"id": name, "title": name, "unit": ""} for name in ("benchmark", "arm", "look")]
    table = {"id": "looks", "title": "Looks", "columns": columns, "rows": rows, "notes": []}
    report = factories.report()
    Report.objects.filter(pk=report.pk).update(result={"tables": [table]}, state="ready")

    page = " ".join(lab(owner).get(f"/reports/{report.pk}/").content.decode().split())

    assert "font mono: 41.5% right" in page
    assert f"/episodes/{pictured.pk}/steps/2/picture.webp" in page
    assert f'No picture was taken: <a href="/episodes/{bare.pk}/">' in page
    assert "60.0% right" not in page
