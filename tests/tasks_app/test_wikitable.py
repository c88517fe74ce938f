"""WikiTableQuestions: its tree of TSV questions and CSV tables, its tagged files, the hub's rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError

from core.errors import GymError
from tasks_app import hub, record_files
from tasks_app.benchmarks import _wikitables, wikitable
from tasks_app.models import Gold, Task
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, Row, TaskDraft
from tests.tasks_app import samples
from tests.tasks_app.test_benchmarks import accepts
from tests.tasks_app.test_loader import load, snapshot
from verifiers import denotations

pytestmark = pytest.mark.slow

HEAD = "id\tutterance\tcontext\ttargetValue"
TABLE = r""""Song","Said","Years
on air"
"Dawn","\"Hi\", she said","17 years"
"A|B","back\\slash",""
"""
CELLS = [
    ["Song", "Said", "Years\non air"],
    ["Dawn", '"Hi", she said', "17 years"],
    ["A|B", "back\\slash", ""],
]
TRAINING = [
    "nt-0\thow long was dawn on air?\tcsv/200-csv/1.csv\t17 years",
    "nt-1\twhich songs\\nare there?\tcsv/200-csv/1.csv\tDawn|A\\pB",
]
SEEN = ["ns-0\thow long was dawn on air?\tcsv/200-csv/1.csv\t17 years"]
TAGGED = [
    "id\tutterance\tcontext\ttargetValue\ttargetCanon\ttargetCanonType",
    "ns-0\thow long was dawn on air?\tcsv/200-csv/1.csv\t17 years\t17.0\tnumber",
]


@pytest.mark.parametrize(
    ("question", "answer", "is_lost"),
    [
        ("which country won twice?", "Norway", True),
        ("which country won twice?", "Dawn", False),
        ("which country won twice?", "17", False),
        ("which country won more, norway or peru?", "Norway", False),
        ("which song won twice?", "Norway", False),
    ],
)
def test_a_question_for_a_country_whose_flag_the_file_has_lost_is_unanswerable(
    tmp_path: Path, question: str, answer: str, is_lost: bool
) -> None:
    root = tree(tmp_path)
    lines(root / "data" / "training.tsv", [HEAD, f"nt-0\t{question}\tcsv/200-csv/1.csv\t{answer}"])
    (draft,) = samples.read("wikitable", root / "data" / "training.tsv")
    assert isinstance(draft, TaskDraft)
    assert ("unanswerable" in draft.tags, not draft.gap_eligible) == (is_lost, is_lost)


def lines(path: Path, rows: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n")
    return path


def tree(root: Path) -> Path:
    """The official layout: questions of two splits, one table in both its forms, one tagged file."""
    lines(root / "data" / "training.tsv", [HEAD, *TRAINING])
    lines(root / "data" / "pristine-seen-tables.tsv", [HEAD, *SEEN])
    lines(root / "tagged" / "data" / "pristine-seen-tables.tagged", TAGGED)
    lines(root / "csv" / "200-csv" / "1.csv", [TABLE.removesuffix("\n")])
    lines(root / "csv" / "200-csv" / "1.tsv", ["Song\tSaid\tYears\\non air"])
    return root


def read(path: Path, split: str = "training") -> list[Row]:
    files = wikitable.files(path, split) if path.is_dir() else [path]
    return list(record_files.drafts(benchmarks.get("wikitable"), files))


def drafts(path: Path, split: str = "training") -> list[TaskDraft]:
    rows = read(path, split)
    assert not [row for row in rows if isinstance(row, BadRow)]
    return [row for row in rows if isinstance(row, TaskDraft)]


def test_tables_keep_their_quotes_pipes_line_breaks_and_empty_cells(tmp_path: Path) -> None:
    draft = drafts(tree(tmp_path))[0]
    assert draft.payload["table"] == {"header": CELLS[0], "rows": CELLS[1:]}
    assert draft.payload["text"] == "how long was dawn on air?"


def test_keys_are_the_official_ids_and_the_tag_is_the_table(tmp_path: Path) -> None:
    task_drafts = drafts(tree(tmp_path))
    assert [(draft.key, draft.kind, draft.tags) for draft in task_drafts] == [
        ("nt-0", "table", ("table-200-1",)),
        ("nt-1", "table", ("table-200-1",)),
    ]


def test_the_gold_is_the_raw_cell_and_escapes_of_the_question_are_read(tmp_path: Path) -> None:
    draft = drafts(tree(tmp_path))[1]
    assert (draft.gold.answer, draft.payload["text"]) == ("Dawn|A\\pB", "which songs\nare there?")
    assert accepts("denotation-v1", draft, "a\\pb|dawn")
    assert not accepts("denotation-v1", draft, "Dawn")


def test_a_tagged_file_marks_the_numbers(tmp_path: Path) -> None:
    (bare, _), (tagged,) = drafts(tree(tmp_path)), drafts(tmp_path, "pristine-seen-tables")
    assert (bare.gold.extra, tagged.gold.extra) == ({}, {"canonical": "17.0"})
    assert [accepts("denotation-v1", draft, "17") for draft in (bare, tagged)] == [False, True]


def test_public_fields_do_not_reveal_whether_there_are_several_answers(tmp_path: Path) -> None:
    one, several = drafts(tree(tmp_path))
    assert (one.oracle_steps, one.tags, one.guess_rate) == (
        several.oracle_steps,
        several.tags,
        several.guess_rate,
    )
    assert one.payload.keys() == several.payload.keys() == {"text", "format", "table"}


def test_a_single_file_uses_the_tables_in_a_parent_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree(tmp_path) / "data")
    assert [draft.key for draft in drafts(Path("training.tsv"))] == ["nt-0", "nt-1"]


def test_the_folder_of_questions_loads_like_the_whole_tree(tmp_path: Path) -> None:
    assert [draft.key for draft in drafts(tree(tmp_path) / "data", "pristine-seen-tables")] == ["ns-0"]


def test_a_folder_without_the_split_is_refused_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(GymError, match=r"contains neither data/random-split-1-dev\.tsv nor"):
        wikitable.files(tree(tmp_path), "random-split-1-dev")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("nt-2\twho?\tcsv/200-csv/9.csv\tx", "there is no table 'csv/200-csv/9.csv'"),
        ("nt-2\twho?\tcsv/200-csv/1.tsv\tx", "there is no table"),
        ("nt-2\twho?\t../outside.csv\tx", "there is no table"),
        (
            "nt-2\twho?\tcsv/200-csv/2.csv\tx",
            "row 2 of the table csv/200-csv/2.csv has 1 cells, but its header has 2",
        ),
        ("nt-2\twho?\tcsv/200-csv/3.csv\tx", "the table 200-csv/3.csv cannot be read"),
        ("nt-2\twho?\tcsv/200-csv/4.csv\tx", "the table csv/200-csv/4.csv is empty"),
        ("nt-2\twho?\tcsv/200-csv/5.csv\tx", "the table 200-csv/5.csv cannot be read"),
        ("nt-2\twho?\tcsv/200-csv/1.csv\t", "an answer is empty"),
        ("nt-2\twho?\tcsv/200-csv/1.csv\tx||y", "an answer is empty"),
        ("nt-2\t \tcsv/200-csv/1.csv\tx", "the question is empty"),
        ("nt-2\twho?\tcsv/200-csv/1.csv", "it has 3 cells, but the first line names 4 columns"),
    ],
)
def test_a_bad_row_is_reported_with_its_line_and_the_others_are_read(
    tmp_path: Path, row: str, problem: str
) -> None:
    folder = tree(tmp_path / "root") / "csv" / "200-csv"
    lines(tmp_path / "outside.csv", ['"a"', '"b"'])
    lines(folder / "2.csv", ['"a","b"', '"1","2"', '"only one"'])
    lines(folder / "3.csv", ['"a","b"', '"1","never closed'])
    lines(folder / "4.csv", ['"a","b"'])
    (folder / "5.csv").write_bytes(b'"a"\n"caf\xe9"\n')
    path = lines(tmp_path / "root" / "data" / "training.tsv", [HEAD, TRAINING[0], row, TRAINING[1]])
    rows = read(path)
    (bad,) = [one for one in rows if isinstance(one, BadRow)]
    assert bad.place == "training.tsv:3"
    assert problem in bad.problem
    assert len(rows) == 3


def test_a_canonical_form_of_another_length_is_a_bad_row(tmp_path: Path) -> None:
    tagged = tree(tmp_path) / "tagged" / "data" / "pristine-seen-tables.tagged"
    tagged.write_text(tagged.read_text().replace("17.0", "17.0|18.0"))
    (bad,) = read(tmp_path, "pristine-seen-tables")
    assert isinstance(bad, BadRow)
    assert "targetCanon and targetValue have different numbers of answers" in bad.problem


def test_a_file_that_is_not_a_table_of_questions_is_refused_with_a_reason(tmp_path: Path) -> None:
    (bad,) = read(lines(tmp_path / "training.tsv", ["id\tquestion", "nt-0\twho?"]))
    assert isinstance(bad, BadRow)
    assert "missing required field" in bad.problem


def hub_row(key: str, answers: list[str]) -> dict[str, object]:
    header, *rows = [[denotations.join_cell([cell]) for cell in line] for line in CELLS]
    table = {"header": header, "rows": rows, "name": "csv/200-csv/1.tsv"}
    return {"id": key, "question": "which songs\\nare there?", "answers": answers, "table": table}


def test_the_hubs_rows_become_the_tasks_of_the_official_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow
    from pyarrow import parquet

    fetches = []

    def download(*, repo: str, patterns: list[str]) -> Path:
        fetches.append((repo, patterns))
        folder = tmp_path / "hub" / "random-split-1" / "train"
        folder.mkdir(parents=True)
        parquet.write_table(
            pyarrow.Table.from_pylist([hub_row("nt-1", ["Dawn", "A\\pB"])]), folder / "0000.parquet"
        )
        return tmp_path / "hub"

    monkeypatch.setattr(hub, "hub_download", download)
    files = hub.hub_files(benchmarks.get("wikitable"), split="random-split-1-train")
    (draft,) = record_files.drafts(benchmarks.get("wikitable"), files)
    official = drafts(tree(tmp_path / "tree"))[1]
    assert isinstance(draft, TaskDraft)
    assert (draft.key, draft.payload, draft.gold.answer, draft.tags) == (
        official.key,
        official.payload,
        official.gold.answer,
        official.tags,
    )
    assert fetches == [
        ("stanfordnlp/wikitablequestions@refs/convert/parquet", ("random-split-1/train/*.parquet",))
    ]
    assert wikitable.files(tmp_path / "hub", "random-split-1-train") == files


def test_a_table_is_read_once_for_consecutive_questions(tmp_path: Path) -> None:
    assert len(drafts(tree(tmp_path))) == 2
    assert _wikitables.table_read.cache_info().misses == 1


@pytest.mark.django_db
def test_a_folder_loads_only_the_questions_of_the_requested_split(tmp_path: Path) -> None:
    tree(tmp_path)
    load("wikitable", "--file", tmp_path)
    load("wikitable", "--file", tmp_path, "--split", "pristine-seen-tables")
    assert list(Task.objects.order_by("pk").values_list("split", "key", "kind")) == [
        ("training", "nt-0", "table"),
        ("training", "nt-1", "table"),
        ("pristine-seen-tables", "ns-0", "table"),
    ]
    assert "\n\n| Song | Said | Years<br>on air |\n" in Task.objects.get(key="ns-0").prompt


@pytest.mark.django_db
def test_a_tagged_file_that_is_added_later_makes_new_golds(tmp_path: Path) -> None:
    tagged = tree(tmp_path) / "tagged" / "data" / "pristine-seen-tables.tagged"
    text = tagged.read_text()
    tagged.unlink()
    file = tmp_path / "data" / "pristine-seen-tables.tsv"
    load("wikitable", "--file", file)
    tagged.write_text(text)
    assert "version 2 is current" in load("wikitable", "--file", file)
    assert Gold.objects.get(is_current=True).extra == {"canonical": "17.0"}


@pytest.mark.django_db
def test_the_command_reports_an_unknown_split_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"contains neither data/test\.tsv"):
        load("wikitable", "--file", tree(tmp_path), "--split", "test")


@pytest.mark.django_db
@pytest.mark.parametrize(("split", "count"), [("training", 300), ("pristine-seen-tables", 120)])
def test_the_official_questions_load_whole_and_twice(split: str, count: int) -> None:
    path = samples.shared("wikitablequestions")
    load("wikitable", "--file", path, "--split", split)
    before = snapshot()
    load("wikitable", "--file", path, "--split", split)
    assert Task.objects.filter(benchmark="wikitable", split=split).count() == count
    assert snapshot() == before
    assert Gold.objects.count() == count


@pytest.mark.parametrize("split", ["training", "pristine-seen-tables"])
def test_every_official_gold_is_accepted_and_a_wrong_answer_is_not(split: str) -> None:
    plugin = benchmarks.get("wikitable")
    for draft in drafts(samples.shared("wikitablequestions"), split):
        items = denotations.split_cell(draft.gold.answer)
        wrong = ["no such thing", denotations.join_cell([*items, "no such thing"])]
        for verifier in (plugin.verifier_official, plugin.verifier_training):
            assert accepts(verifier, draft, draft.gold.answer), draft.key
            assert not any(accepts(verifier, draft, answer) for answer in wrong), draft.key
