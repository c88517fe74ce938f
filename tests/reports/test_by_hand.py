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
EXAMPLE = DOCUMENT.parent / "examples" / "planted-gap"


def outcome(item: int, sample: int, *, share: int) -> str:
    if (item + sample) % 13 == 0:
        return "void"
    return "correct" if (item * 7 + sample * 3) % 10 < share else "incorrect"


def printed_by_hand(folder: Path) -> str:
    """What the program of the document prints of the rows in a folder."""
    (program,) = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_the_example_has_the_gap_that_the_document_states() -> None:
    (stated,) = re.findall(r"code below gives ([\d.]+)", DOCUMENT.read_text())

    assert f"24 items, gap {stated} points" in printed_by_hand(EXAMPLE)


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

    printed = printed_by_hand(tmp_path)

    gap = next(row for row in tables_of(report)["gaps"]["rows"] if row["b"] == "gym")
    assert printed.startswith(f"{gap['items']} items, gap {gap['gap']:.2f} points")
    assert gap["items"] == 29
