"""A table of a report is one file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palaestra.evaluation.tables import format_tables
from tests.conftest import LabClient
from tests.reports.test_computation import correct_if, evaluation, tables_of
from trajectories.reports import builtin
from trajectories.reports.catalogue import TABLES

pytestmark = pytest.mark.django_db
FILE = """
from trajectories.reports.charts.forest import Forest
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import COUNT, PERCENT, Column

@report_table(
    "hands",
    "Raised hands",
    15,
    columns=[
        Column("benchmark", "Benchmark"),
        Column("hands", "Hands", COUNT),
        Column("share", "Share", PERCENT),
    ],
    notes=["Hands are counted twice."],
    main=("benchmark", "hands"),
    chart=Chart(draw=Forest(value="share", label=("benchmark",), unit="percent").draw, caption="By hand."),
)
def hand_rows(analysis):
    yield {"benchmark": analysis.benchmark, "hands": 2 * len(analysis.items), "share": 12.5}
"""


@pytest.fixture
def new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "hands.py").write_text(FILE)
    monkeypatch.setattr(builtin, "__path__", [*builtin.__path__, str(tmp_path)])
    monkeypatch.setattr(TABLES, "_items", dict(TABLES.items()))
    TABLES.discover(builtin)
    yield
    del sys.modules["trajectories.reports.builtin.hands"]


def test_a_table_in_a_new_file_is_on_the_page_in_files_and_in_the_terminal(
    new_file: None, lab: Callable[..., LabClient], owner: Any
) -> None:
    wrong = correct_if(lambda item, _: item % 2 > 0)
    report, _, _ = evaluation({"text_zero_shot": wrong, "gym": wrong}, items=12)

    tables = tables_of(report)

    assert list(tables)[:2] == ["accuracy", "hands"]
    client = lab(owner)
    page = client.get(f"/reports/{report.pk}/").content.decode()
    assert '<h2 id="hands">Raised hands</h2>' in page
    assert "Hands are counted twice." in page
    assert "By hand." in page
    files = {
        kind: b"".join(client.get(f"/reports/{report.pk}/hands.{kind}").streaming_content).decode()
        for kind in ("csv", "svg")
    }
    assert files["csv"].splitlines()[1].endswith(",24,12.5")
    assert files["svg"].startswith("<svg")
    terminal = format_tables(tables.values())
    assert "Raised hands\nBenchmark  Hands\n" in terminal
    assert "Share" not in terminal.partition("Raised hands")[2].partition("\n\n")[0]


def test_no_two_tables_share_a_place() -> None:
    places = [table.place for _, table in TABLES.items()]
    assert len(set(places)) == len(places)
