from __future__ import annotations

from pathlib import Path

from tasks_app import reading
from tasks_app.types import Record


def test_a_tree_beside_a_file_of_lines_moves_no_number(tmp_path: Path) -> None:
    (tmp_path / "algebra").mkdir()
    (tmp_path / "algebra" / "1.json").write_text('{"from": "tree"}')
    (tmp_path / "train.jsonl").write_text('{"from": "line 1"}\n{"from": "line 2"}\n')
    found = reading.records(reading.source_files(tmp_path))
    numbers = {record.value["from"]: record.number for record in found if isinstance(record, Record)}
    assert numbers == {"tree": 1, "line 1": 1, "line 2": 2}
