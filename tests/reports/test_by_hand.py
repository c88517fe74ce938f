"""The code in docs/modality-gap.md computes what the report says."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reports.test_computation import evaluation, tables_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "modality-gap.md"


def outcome(item: int, sample: int, *, share: int) -> str:
    if (item + sample) % 13 == 0:
        return "void"
    return "correct" if (item * 7 + sample * 3) % 10 < share else "incorrect"


@pytest.mark.django_db
def test_the_gap_computed_by_hand_from_the_rows_is_the_reports(
    api: Callable[..., Any], tmp_path: Path
) -> None:
    arms = {
        name: lambda item, sample, share=share: outcome(item, sample, share=share)
        for name, share in (("text_zero_shot", 8), ("gym", 5), ("gym:som-v1", 2))
    }
    report, _, tasks = evaluation(arms, items=30, samples=3, observation="axtree-v2")
    type(tasks[0]).objects.filter(pk=tasks[0].pk).update(gap_eligible=False)
    rows = api("read").get(f"/api/v1/reports/{report.pk}/rows?format=csv").getvalue()
    (tmp_path / "rows.csv").write_bytes(rows)
    (program,) = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)

    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout

    gap = next(row for row in tables_of(report)["gaps"]["rows"] if row["b"] == "gym")
    assert printed.startswith(f"{gap['items']} items, gap {gap['gap']:.2f} points")
    assert gap["items"] == 29
