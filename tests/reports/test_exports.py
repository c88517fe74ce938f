"""The files of a report."""

from __future__ import annotations

from trajectories.reports.exports import table_as_csv


def test_no_cell_of_a_table_is_a_formula_for_a_spreadsheet() -> None:
    columns = [{"id": "model", "unit": ""}, {"id": "gap", "unit": "points"}]
    table = {"columns": columns, "rows": [{"model": '=HYPERLINK("x")', "gap": -3.5}, {"model": "m"}]}

    assert table_as_csv(table).decode().splitlines() == ["model,gap", '"\'=HYPERLINK(""x"")",-3.5', "m,"]
