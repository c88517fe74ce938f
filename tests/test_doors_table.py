"""The table of doors says what was handed over, and shows where that is not what is paid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.doors_table import table_of


def noted(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps({"door": "A 1", "sample": "right", **row}) + "\n" for row in rows))
    return table_of(path).splitlines()[-1]


def test_a_cell_has_the_number_and_how_many_parts_came_with_it(tmp_path: Path) -> None:
    paid = {"total": 1.25, "components": {"outcome": 1.0, "form": None}}
    whole = {"number": 1.25, "parts": paid["components"], "paid": paid}
    assert noted(tmp_path, whole) == "| A 1 | 1.25; 2 of 2 parts |"
    assert noted(tmp_path, {**whole, "parts": {"outcome": 1.0}}) == "| A 1 | 1.25; 1 of 2 parts |"
    assert noted(tmp_path, {**whole, "number": None, "parts": None}) == "| A 1 | null; no parts |"
    assert noted(tmp_path, whole, {**whole, "sample": "void", "number": "an error"}).endswith(
        "| 1.25; 2 of 2 parts | an error; 2 of 2 parts |"
    )


def test_parts_with_other_values_are_shown(tmp_path: Path) -> None:
    paid = {"total": 1.0, "components": {"outcome": 1.0, "form": None}}
    row = {"number": 1.0, "parts": {"outcome": 1.0, "form": 0.0}, "paid": paid}
    assert noted(tmp_path, row) == "| A 1 | 1; **other parts**: `form` 0 |"


def test_without_notes_there_is_no_table(tmp_path: Path) -> None:
    assert table_of(tmp_path / "nothing") == ""
