"""What charts draw of a table's rows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from trajectories.reports.catalogue import chart_draw
from trajectories.reports.pages.latex import table_tex
from trajectories.reports.pages.tables import table_shown
from trajectories.reports.training.alarms import Alarm
from trajectories.reports.training.pages.charts import charts_of
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.lines import POINTS_MAX

ITEM = {"benchmark": "gsm8k", "item": "1", "text_zero_shot": 75.0, "gym": 0.0}


def drawn(table_id: str, rows: Sequence[dict[str, Any]], **options: Any) -> ElementTree.Element:
    columns = [
        {"id": name, "title": name, "unit": "%" if isinstance(rows[0][name], float) else ""}
        for name in rows[0]
    ]
    table = {"id": table_id, "title": "Title", "columns": columns, "rows": rows, "notes": []}
    drawing = chart_draw(table, **options)
    assert drawing is not None
    return parsed(drawing)


def parsed(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(drawing.page_svg())


def of_class(chart: ElementTree.Element, kind: str) -> Iterator[ElementTree.Element]:
    return (shape for shape in chart.iter() if kind in shape.get("class", "").split())


def place(shape: ElementTree.Element, name: str) -> float:
    return float(shape.get(name, ""))


def test_a_gap_lies_on_the_side_of_the_better_arm_and_the_margin_around_zero() -> None:
    gap = {"benchmark": "gsm8k", "contrast": "text_zero_shot − gym", "gap": 8.0, "low": -2.0, "high": 18.0}

    chart = drawn("gaps", [gap], margin=5.0)

    zero = place(next(of_class(chart, "plot-zero")), "x1")
    (margin,) = of_class(chart, "plot-margin")
    middle = place(margin, "x") + place(margin, "width") / 2
    assert middle == pytest.approx(zero, abs=0.2)
    (dot,) = of_class(chart, "plot-dot")
    assert place(margin, "x") + place(margin, "width") < place(dot, "cx")
    words = {text.text: place(text, "x") for text in chart.iter("text")}
    assert words["← second arm better"] < zero < words["first arm better →"]


def test_a_cell_is_the_darker_the_more_of_its_samples_are_right() -> None:
    chart = drawn("items", [ITEM])

    cells = [cell for cell in of_class(chart, "plot-heat") if cell.find("title") is not None]
    assert [cell.get("fill-opacity") for cell in cells] == ["0.75", "0.00"]


def test_the_line_of_accuracies_follows_the_ladder_alone() -> None:
    arms = {"text_zero_shot": True, "text_zero_shot+retest": False, "gym": True}
    rows = [
        {"benchmark": "gsm8k", "arm": arm, "accuracy": 50.0, "is_on_ladder": is_rung}
        for arm, is_rung in arms.items()
    ]

    chart = drawn("accuracy", rows)

    (line,) = chart.iter("polyline")
    ends = [place(dot, "cy") for dot in of_class(chart, "plot-dot")]
    assert [float(point.partition(",")[2]) for point in line.get("points", "").split()] == ends


def test_a_long_training_is_thinned_to_its_last_version_with_alarms_in_their_places() -> None:
    versions = 3 * POINTS_MAX + 1
    tables: dict[str, Any] = {
        name: {"rows": [], "columns": []} for name in ("evaluations", "tasks", "metrics", "components")
    }
    tables["versions"] = {"rows": [{"version": str(number), "void": 2.0} for number in range(versions)]}
    alarm = Alarm(
        rule="void",
        measure="void",
        title="Rising void rate",
        look="episodes",
        version=versions - 1,
        since=versions - 2,
        reference=0.01,
        value=0.1,
        p=0.001,
    )

    (chart,) = charts_of(tables, [alarm])

    dots = list(of_class(parsed(chart.drawing), "plot-ink-0"))
    assert len(dots) <= POINTS_MAX
    assert dots[-1].findtext("title", "").startswith(f"Void at version {versions - 1}")
    (line,) = of_class(parsed(chart.drawing), "plot-alarm")
    assert line.get("x1") == dots[-1].get("cx")


def test_notes_stand_below_a_table_of_a_paper_by_letter() -> None:
    columns = [{"id": "gap", "title": "Gap", "unit": "points"}, {"id": "note", "title": "Note", "unit": ""}]
    rows = [{"gap": 1.0, "note": note} for note in ("few items", "", "few looks")]
    table = {"id": "gaps", "title": "Gaps", "columns": columns, "rows": rows, "notes": []}

    tex = table_tex(table_shown(table), caption="Gaps")

    marked = re.findall(r"^1\.0(?:\\textsuperscript\{(\w)\})? \\\\", tex, re.MULTILINE)
    assert marked == ["a", "", "b"]
    assert r"\textsuperscript{b}\,few looks" in tex
