"""The soak in its shortest form: the long one is `python -m tests.soak`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.services.installations import Up
from tests.soak.course import LEASES, course_run
from tests.soak.report import levels, plot, table

pytestmark = pytest.mark.services

SECONDS = 1.0


def test_load_leaves_no_row_without_a_home_and_no_process(tmp_path: Path) -> None:
    up = Up(tmp_path / "var", extra=LEASES)
    course = course_run(up, seconds=SECONDS, share=0.5, with_browser=False)
    assert course.complaints == []
    rows = levels(course.record)
    assert {"lab", "postgres", "redis", "supervisor", "worker-verify"} <= {row.name for row in rows}
    assert all(row.first.own > 0 for row in rows)
    assert table(rows).count("\n") == len(rows) + 1
    assert plot(course.record).count("<polyline") == len(rows)
