from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import huggingface_hub
import pytest

from core.errors import GymError
from tasks_app import hub, record_files
from tasks_app.types import BadRow, Record


def test_a_tree_next_to_a_file_of_lines_changes_no_row_number(tmp_path: Path) -> None:
    (tmp_path / "algebra").mkdir()
    (tmp_path / "algebra" / "1.json").write_text('{"from": "tree"}')
    (tmp_path / "train.jsonl").write_text('{"from": "line 1"}\n{"from": "line 2"}\n')
    records = record_files.records(record_files.source_files(tmp_path))
    numbers = {record.value["from"]: record.number for record in records if isinstance(record, Record)}
    assert numbers == {"tree": 1, "line 1": 1, "line 2": 2}


def test_a_tsv_has_a_header_and_keeps_its_escapes_and_quotes(tmp_path: Path) -> None:
    (tmp_path / "rows.tsv").write_bytes(b'\xef\xbb\xbfid\tsaid\r\n1\ta \\p "b\r\n\n2\t\n3\n')
    records = list(record_files.with_header(record_files.records(record_files.source_files(tmp_path))))
    assert [record.value for record in records if isinstance(record, Record)] == [
        {"id": "1", "said": 'a \\p "b'},
        {"id": "2", "said": ""},
    ]
    assert records[-1] == BadRow("rows.tsv:5", "it has 1 cells, but the first line names 2 columns")


def test_a_revision_of_the_hub_follows_the_datasets_name(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[tuple[str, str | None]] = []

    def snapshot(*, repo_id: str, revision: str | None, **_others: object) -> str:
        requests.append((repo_id, revision))
        return "."

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    for repo in ("owner/name", "owner/name@refs/convert/parquet"):
        hub.hub_download(repo=repo, patterns=["*"])
    assert requests == [("owner/name", None), ("owner/name", "refs/convert/parquet")]


def test_a_json_file_that_is_a_list_gives_a_record_for_every_element(tmp_path: Path) -> None:
    (tmp_path / "train.json").write_text('\ufeff[{"n": 1}, 2, null]', encoding="utf-8")
    (tmp_path / "valid.json").write_text("[]")
    read = record_files.records(record_files.source_files(tmp_path))
    records = [record for record in read if isinstance(record, Record)]
    assert [record.value for record in records] == [{"n": 1}, 2, None]
    assert [(record.place, record.number) for record in records] == [
        ("train.json:1", 1),
        ("train.json:2", 2),
        ("train.json:3", 3),
    ]


ROWS = [{"n": "1", "said": "a, b"}, {"n": "2", "said": "c; d"}]
SHAPES = {
    "objects.json": "\n".join(json.dumps(row, indent=2) for row in ROWS) + "\n\n",
    "one_line.json": "".join(map(json.dumps, ROWS)),
    "split.json": json.dumps({"version": 2, "validation": ROWS}),
    "records.json": json.dumps({"records": ROWS}, indent=1),
    "semicolons.csv": 'n;said\r\n1;a, b\r\n2;"c; d"\r\n',
    "tabs.csv": "n\tsaid\n1\ta, b\n2\tc; d\n",
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_rows_of_a_file_are_read_in_the_shapes_of_its_copies(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SHAPES[name], newline="")
    read = record_files.with_header(record_files.records([tmp_path / name]))
    assert [one.value if isinstance(one, Record) else one for one in read] == ROWS


def test_numbers_that_json_lacks_cost_no_row(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": NaN, "said": "x"}\n{"n": NaN said}\n')
    first, second = record_files.records([tmp_path / "a.jsonl"])
    assert isinstance(first, Record)
    assert first.value["said"] == "x"
    assert isinstance(second, BadRow)


@pytest.mark.parametrize("text", ['{"n": 1} and {"n": 2}', '{"n": 1}\n{"n": ', "1 2", '{"n": 1} 2'])
def test_what_is_no_list_of_objects_gives_no_half_of_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    assert any(isinstance(one, BadRow) for one in record_files.records([tmp_path / "a.json"]))


def _parquet_of_two_parts(path: Path) -> int:
    """Two batches of rows; the place in the file where the second one's page begins."""
    import pyarrow
    from pyarrow import parquet

    rows = [{"text": f"\u00e9 {number}"} for number in range(2 * record_files.PARQUET_BATCH_ROWS)]
    table = pyarrow.Table.from_pylist(rows)
    parquet.write_table(
        table, path, row_group_size=record_files.PARQUET_BATCH_ROWS, compression="none", use_dictionary=False
    )
    place: int = parquet.read_metadata(path).row_group(1).column(0).data_page_offset
    return place


def _page(data: bytes, place: int) -> bytes:
    return data[:place] + bytes(40) + data[place + 40 :]


def _text(data: bytes, place: int) -> bytes:
    return data[:place] + data[place:].replace("\u00e9".encode(), b"\xff\xff")


def _footer(data: bytes, _place: int) -> bytes:
    return data[:-60] + bytes(40) + data[-20:]


def _end(data: bytes, place: int) -> bytes:
    return data[:place]


@pytest.mark.parametrize(
    ("broken", "rows"), [(_page, "1,000"), (_text, "1,000"), (_footer, "0"), (_end, "0")]
)
def test_a_broken_parquet_file_is_reported_with_the_rows_that_were_read(
    tmp_path: Path, broken: Callable[[bytes, int], bytes], rows: str
) -> None:
    path = tmp_path / "train.parquet"
    place = _parquet_of_two_parts(path)
    path.write_bytes(broken(path.read_bytes(), place))
    with pytest.raises(
        GymError, match=f"train.parquet cannot be read as Parquet after its first {rows} rows: "
    ):
        list(record_files.records([path]))
