from __future__ import annotations

from pathlib import Path

import huggingface_hub
import pytest

from tasks_app import hub, reading
from tasks_app.types import BadRow, Record


def test_a_tree_beside_a_file_of_lines_moves_no_number(tmp_path: Path) -> None:
    (tmp_path / "algebra").mkdir()
    (tmp_path / "algebra" / "1.json").write_text('{"from": "tree"}')
    (tmp_path / "train.jsonl").write_text('{"from": "line 1"}\n{"from": "line 2"}\n')
    found = reading.records(reading.source_files(tmp_path))
    numbers = {record.value["from"]: record.number for record in found if isinstance(record, Record)}
    assert numbers == {"tree": 1, "line 1": 1, "line 2": 2}


def test_a_tsv_keeps_its_escapes_and_quotes_and_names_its_columns_in_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "rows.tsv").write_bytes(b'\xef\xbb\xbfid\tsaid\r\n1\ta \\p "b\r\n\n2\t\n3\n')
    found = list(reading.with_header(reading.records(reading.source_files(tmp_path))))
    assert [record.value for record in found if isinstance(record, Record)] == [
        {"id": "1", "said": 'a \\p "b'},
        {"id": "2", "said": ""},
    ]
    assert found[-1] == BadRow("rows.tsv:5", "it has 1 cells; the first line names 2 columns")


def test_a_revision_of_the_hub_follows_the_datasets_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []

    def snapshot(*, repo_id: str, revision: str | None, **_others: object) -> str:
        asked.append((repo_id, revision))
        return "."

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    for repo in ("owner/name", "owner/name@refs/convert/parquet"):
        hub.hub_download(repo=repo, patterns=["*"])
    assert asked == [("owner/name", None), ("owner/name", "refs/convert/parquet")]


def test_a_json_file_that_is_a_list_gives_a_record_for_every_element(tmp_path: Path) -> None:
    (tmp_path / "train.json").write_text('\ufeff[{"n": 1}, 2, null]', encoding="utf-8")
    (tmp_path / "valid.json").write_text("[]")
    read = reading.records(reading.source_files(tmp_path))
    found = [record for record in read if isinstance(record, Record)]
    assert [record.value for record in found] == [{"n": 1}, 2, None]
    assert [(record.place, record.number) for record in found] == [
        ("train.json:1", 1),
        ("train.json:2", 2),
        ("train.json:3", 3),
    ]
