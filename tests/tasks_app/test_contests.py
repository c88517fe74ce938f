"""AMC and AIME, and what they need of reading: CSV files, splits and datasets of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError

from tasks_app import hub, record_files
from tasks_app.benchmarks import _contest, aime, amc
from tasks_app.models import Gold, Task
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, TaskDraft
from tests.tasks_app import samples
from tests.tasks_app.test_benchmarks import accepts, drafts
from tests.tasks_app.test_loader import load, snapshot

pytestmark = pytest.mark.slow

AIME_HEAD = samples.AIME_CSV.splitlines()[0]


def aime_csv(path: Path, text: str = samples.AIME_CSV) -> Path:
    path.write_text(text)
    return path


def test_amc_floats_become_plain_numbers(tmp_path: Path) -> None:
    task_drafts = drafts("amc", samples.jsonl(tmp_path / "rows.jsonl", samples.AMC))
    assert [draft.gold.answer for draft in task_drafts] == ["4", "-2", "0.5"]


def test_amc_addresses_give_key_tags_and_difficulty_and_rows_without_one_use_the_id(tmp_path: Path) -> None:
    task_drafts = drafts("amc", samples.jsonl(tmp_path / "rows.jsonl", samples.AMC))
    assert [(draft.key, draft.tags, draft.difficulty) for draft in task_drafts] == [
        ("2022-12A-1", ("amc-12a", "year-2022"), 0.0),
        ("2023-12B-25", ("amc-12b", "year-2023"), 1.0),
        ("8", (), None),
    ]


def test_amc_is_read_from_parquet_as_from_lines(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(samples.AMC[:2]), tmp_path / "train-0.parquet")
    from_lines = drafts("amc", samples.jsonl(tmp_path / "rows.jsonl", samples.AMC[:2]))
    from_parquet = drafts("amc", tmp_path / "train-0.parquet")
    assert [(draft.key, draft.gold.answer) for draft in from_parquet] == [
        (draft.key, draft.gold.answer) for draft in from_lines
    ]


@pytest.mark.parametrize("answer", [float("inf"), float("nan"), "12 or 13", ""])
def test_an_amc_answer_that_is_not_a_number_is_refused(answer: float | str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        amc.accepted_answers(answer)


def test_aime_csv_gives_key_tags_difficulty_and_the_first_line_of_a_row(tmp_path: Path) -> None:
    task_drafts = drafts("aime", aime_csv(tmp_path / "AIME_1983_2024.csv"))
    assert [(draft.key, draft.tags, draft.difficulty, draft.place) for draft in task_drafts] == [
        ("1983-1", ("year-1983",), 0.0, "AIME_1983_2024.csv:2"),
        ("1983-4", ("year-1983",), 3 / 14, "AIME_1983_2024.csv:3"),
        ("2022-II-8", ("aime-ii", "year-2022"), 0.5, "AIME_1983_2024.csv:5"),
    ]


def test_the_files_of_figures_are_not_named_in_aime_texts(tmp_path: Path) -> None:
    text = "1985-6,1985,6,Draw it. AIME 1985 Problem 6.png Then what? AIME 2002 II Problem 4.gif,315,"
    path = aime_csv(tmp_path / "AIME_1983_2024.csv", f"{AIME_HEAD}\n{text}\n")
    assert [draft.payload["text"] for draft in drafts("aime", path)] == ["Draw it. Then what?"]


def test_aime_lines_have_the_keys_of_the_csv(tmp_path: Path) -> None:
    task_drafts = drafts("aime", samples.jsonl(tmp_path / "rows.jsonl", samples.AIME))
    assert [(draft.key, draft.gold.answer) for draft in task_drafts] == [("2022-II-8", "80"), ("3", "5")]


def test_an_aime_cell_with_two_answers_accepts_either_but_not_both_together(tmp_path: Path) -> None:
    draft = drafts("aime", aime_csv(tmp_path / "rows.csv"))[2]
    assert (draft.gold.answer, draft.gold.accepted) == ("80", ("81",))
    plugin = benchmarks.get("aime")
    for verifier in (plugin.verifier_official, plugin.verifier_training):
        assert all(accepts(verifier, draft, answer) for answer in ("80", "080", "81", "081"))
        assert not any(accepts(verifier, draft, answer) for answer in ("82", "80 or 81", "8081"))


@pytest.mark.parametrize("cell", ["1000", "-1", "12.5", "", "12 or", "12 (rejected)", "\u0661\u0662"])
def test_an_aime_answer_that_is_not_an_integer_from_0_to_999_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="is not an integer from 0 to 999"):
        aime.accepted_answers(cell)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("1983-2,1983,2,Q?,5", "it has 5 cells, but the first line names 6 columns"),
        ("1983-2,1983,2,Q?,five,", "is not an integer from 0 to 999"),
        ("1983-2,1983,16,Q?,5,", "the problem number 16 is not between 1 and 15"),
        ("1983-2,this year,2,Q?,5,", "Expected `int`"),
        ("1983-2,1983,2, ,5,", "the problem or its answer is empty"),
        ('1983-2,1983,2,"Q"?,5,', "not valid CSV"),
    ],
)
def test_a_bad_csv_row_is_reported_with_its_line_and_the_others_are_read(
    tmp_path: Path, row: str, problem: str
) -> None:
    text = f"{AIME_HEAD}\n1983-1,1983,1,Q?,4,\n\n{row}\n1983-3,1983,3,Q?,6,\n"
    rows = samples.read("aime", aime_csv(tmp_path / "rows.csv", text))
    assert [row.place for row in rows if isinstance(row, BadRow)] == ["rows.csv:4"]
    assert [problem in row.problem for row in rows if isinstance(row, BadRow)] == [True]
    assert [row.key for row in rows if isinstance(row, TaskDraft)] == ["1983-1", "1983-3"]


def test_a_csv_without_the_columns_is_refused_with_a_reason(tmp_path: Path) -> None:
    (bad,) = samples.read("aime", aime_csv(tmp_path / "rows.csv", "Year,Question\n1983,Q?\n"))
    assert isinstance(bad, BadRow)
    assert "missing required field" in bad.problem


def test_a_csv_may_start_with_a_byte_order_mark_and_each_file_has_its_own_header(tmp_path: Path) -> None:
    first = aime_csv(tmp_path / "a.csv", "\ufeffn,m\n1,2\n")
    second = aime_csv(tmp_path / "b.csv", "m,n\r\n3,4\r\n")
    records = list(record_files.with_header(record_files.records([first, second])))
    assert [record.value for record in records if not isinstance(record, BadRow)] == [
        {"n": "1", "m": "2"},
        {"m": "3", "n": "4"},
    ]


def test_a_list_among_json_lines_is_a_bad_row_and_not_a_header(tmp_path: Path) -> None:
    rows = samples.read("aime", samples.jsonl(tmp_path / "rows.jsonl", [["id", "answer"], samples.AIME[0]]))
    assert [isinstance(row, BadRow) for row in rows] == [True, False]


@pytest.mark.django_db
def test_a_csv_row_that_is_not_utf_8_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = f"{AIME_HEAD}\n1983-1,1983,1,Caf\u00e9?,4,\n1983-2,1983,2,Q?,5,\n"
    path.write_bytes(rows.encode("latin-1"))
    with pytest.raises(CommandError, match="1 bad rows skipped; the other 1 were loaded"):
        load("aime", "--file", path)


@pytest.mark.parametrize(
    ("text", "is_missing"),
    [
        ("A circle is cut, as shown. Find $n$.", True),
        ("See figure.", True),
        ("The first figure below has side $2$.", True),
        ("A diagram indicates the path.", True),
        ("In the example below, cards $1, 2$ are picked up first.", True),
        ("A line cuts this figure into two congruent parts.", False),
        ("Each square is the sum of the two squares below it.", False),
        ("Find the area of the region enclosed by the graph of $y$.", False),
        ("How many four-figure numbers are shown to be prime?", False),
    ],
)
def test_a_text_that_refers_to_a_missing_figure_is_not_eligible_for_the_gap(
    text: str, is_missing: bool
) -> None:
    assert bool(_contest.gap_reason(text)) is is_missing


def test_a_figure_in_the_text_and_a_missing_figure_are_different_reasons(tmp_path: Path) -> None:
    task_drafts = drafts("aime", aime_csv(tmp_path / "rows.csv"))
    assert ["Asymptote" in draft.gap_reason for draft in task_drafts] == [False, True, False]


def test_splits_of_other_datasets_are_fetched_from_those_datasets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetches = []

    def download(*, repo: str, patterns: list[str]) -> Path:
        fetches.append((repo, tuple(patterns)))
        samples.jsonl(tmp_path / "test.jsonl", samples.AIME)
        aime_csv(tmp_path / "AIME_Dataset_1983_2024.csv")
        return tmp_path

    monkeypatch.setattr(hub, "hub_download", download)
    for split in ("1983-2024", "2025"):
        assert len(hub.hub_files(benchmarks.get("aime"), split=split)) == 1
    assert fetches == [("di-zhang-fdu/AIME_1983_2024", ("*.csv",)), ("math-ai/aime25", ("test.jsonl",))]


@pytest.mark.django_db
def test_the_split_is_taken_from_the_file_name(tmp_path: Path) -> None:
    load("aime", "--file", aime_csv(tmp_path / "AIME_Dataset_1983_2024.csv"))
    load("aime", "--file", samples.jsonl(tmp_path / "aimo-validation-aime_2022.jsonl", samples.AIME))
    load("aime", "--file", samples.jsonl(tmp_path / "aime_2024.jsonl", samples.AIME))
    assert sorted(Task.objects.filter(key="2022-II-8").values_list("split", flat=True)) == [
        "1983-2024",
        "2024",
        "validation",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("benchmark", "place", "split", "count"),
    [
        ("amc", "amc", "validation", 43),
        ("aime", "aime/AIME_Dataset_1983_2024.csv", "1983-2024", 400),
        ("aime", "aime/aimo-validation-aime_2022.jsonl", "validation", 30),
    ],
)
def test_the_official_contests_load_whole_and_twice(
    benchmark: str, place: str, split: str, count: int
) -> None:
    path = samples.shared(place)
    load(benchmark, "--file", path)
    before = snapshot()
    load(benchmark, "--file", path)
    assert Task.objects.filter(benchmark=benchmark, split=split).count() == count
    assert snapshot() == before
    assert Gold.objects.count() == count
