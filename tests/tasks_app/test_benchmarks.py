from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import GymError
from tasks_app import hub, loader, record_files, starters
from tasks_app.benchmarks import _competition
from tasks_app.registry import benchmarks
from tasks_app.starters import starter_drafts
from tasks_app.types import BadRow, TaskDraft
from tests.tasks_app import samples
from verifiers import registry as verifiers
from verifiers.types import Evidence, Gold

OFFICIAL = [
    ("gsm8k", "gsm8k", 500),
    ("math", "math/train.jsonl", 420),
    ("math500", "math500", 200),
    ("amc", "amc", 43),
    ("aime", "aime/AIME_Dataset_1983_2024.csv", 400),
    ("aime", "aime/aimo-validation-aime_2022.jsonl", 30),
]


def drafts(benchmark: str, path: Path) -> list[TaskDraft]:
    rows = samples.read(benchmark, path)
    assert not [row for row in rows if isinstance(row, BadRow)]
    return [row for row in rows if isinstance(row, TaskDraft)]


def accepts(verifier: str, draft: TaskDraft, answer: str) -> bool:
    gold = Gold(draft.gold.answer, draft.gold.accepted, draft.gold.solution, draft.gold.extra)
    return verifiers.run(verifier, gold=gold, evidence=Evidence(answer)).correct


def test_each_benchmark_read_from_files_has_a_starter_file() -> None:
    read = {benchmark for benchmark in benchmarks if benchmarks.get(benchmark).draft_of}
    named = {path.name.partition(".")[0] for path in starters.FOLDER.iterdir()}
    assert named == read | {"reasoning_gym"}


def test_a_starter_task_that_its_reader_rejects_is_reported_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples.jsonl(tmp_path / "gsm8k.jsonl", [{"question": "Q?", "answer": "no number"}])
    monkeypatch.setattr(starters, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"of gsm8k cannot be read: gsm8k\.jsonl:1: .*#### <number>"):
        starter_drafts.__wrapped__("gsm8k")


@pytest.mark.parametrize("benchmark", list(benchmarks))
def test_every_starter_task_can_be_stored_and_both_verifiers_accept_its_gold(benchmark: str) -> None:
    plugin, task_drafts = benchmarks.get(benchmark), starter_drafts(benchmark)
    assert len(task_drafts) >= 3
    assert len({draft.key for draft in task_drafts}) == len(task_drafts)
    for draft in task_drafts:
        assert loader.draft_problem(draft) is None
        for verifier in (plugin.verifier_official, plugin.verifier_training):
            assert accepts(verifier, draft, draft.gold.answer)
            others = [other.gold.answer for other in task_drafts if other is not draft]
            assert not any(accepts(verifier, draft, answer) for answer in others)


def test_gsm8k_gold_is_the_number_after_the_mark_without_commas(tmp_path: Path) -> None:
    task_drafts = drafts("gsm8k", samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K))
    assert [draft.gold.answer for draft in task_drafts] == ["30", "1125000", "-3"]
    assert [draft.key for draft in task_drafts] == ["1", "2", "3"]


def test_gsm8k_calculator_marks_are_moved_out_of_the_solution(tmp_path: Path) -> None:
    draft = drafts("gsm8k", samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K))[0]
    assert draft.gold.solution == "She has 3*12=36 pens.\nThere are 36-6=30 left."
    assert draft.gold.extra == {"annotated": samples.GSM8K[0]["answer"]}


def test_gsm8k_text_is_plain_because_its_dollars_are_money(tmp_path: Path) -> None:
    draft = drafts("gsm8k", samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K))[1]
    assert draft.payload == {"text": samples.GSM8K[1]["question"], "format": "plain"}
    assert draft.prompt == samples.GSM8K[1]["question"]


def test_gsm8k_difficulty_is_the_number_of_steps_between_2_and_8(tmp_path: Path) -> None:
    task_drafts = drafts("gsm8k", samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K))
    assert [draft.difficulty for draft in task_drafts] == [0.0, 0.0, 1.0]


def test_math_gold_is_the_last_boxed_answer(tmp_path: Path) -> None:
    task_drafts = drafts("math", samples.jsonl(tmp_path / "train.jsonl", samples.MATH))
    assert [draft.gold.answer for draft in task_drafts] == ["\\frac{5}{6}", "\\{-2, 2\\}", "7"]


def test_math_levels_and_subjects_become_difficulty_and_tags(tmp_path: Path) -> None:
    task_drafts = drafts("math", samples.jsonl(tmp_path / "train.jsonl", samples.MATH))
    assert [draft.difficulty for draft in task_drafts] == [0.0, 1.0, None]
    assert [draft.tags for draft in task_drafts] == [
        ("prealgebra", "level-1"),
        ("intermediate_algebra", "level-5"),
        ("counting_and_probability",),
    ]


def test_math_items_with_asymptote_figures_are_not_eligible_for_the_gap(tmp_path: Path) -> None:
    task_drafts = drafts("math", samples.jsonl(tmp_path / "train.jsonl", samples.MATH))
    assert [draft.gap_eligible for draft in task_drafts] == [True, False, True]


def test_math_tree_gives_keys_and_splits_by_folder_in_natural_order(tmp_path: Path) -> None:
    task_drafts = drafts("math", samples.math_tree(tmp_path))
    assert [(draft.split, draft.key) for draft in task_drafts] == [
        ("test", "algebra/1"),
        ("train", "prealgebra/9"),
        ("train", "prealgebra/10"),
    ]


def test_math500_keys_are_the_unique_ids_of_the_dataset(tmp_path: Path) -> None:
    (draft,) = drafts("math500", samples.jsonl(tmp_path / "test.jsonl", samples.MATH500))
    assert (draft.key, draft.gold.answer, draft.difficulty) == ("test/algebra/1.json", "4", 0.25)


@pytest.mark.parametrize(
    ("solution", "answer"),
    [
        ("$\\boxed{\\frac{a}{b}}$", "\\frac{a}{b}"),
        ("\\boxed{1} then \\fbox{ 2 }", "2"),
        ("\\boxed{\\left\\{x\\right.}", "\\left\\{x\\right."),
        ("$\\boxed 12$ apples", "12"),
        ("\\boxed {3}", "3"),
    ],
)
def test_boxed_answers_nest_and_the_last_one_counts(solution: str, answer: str) -> None:
    assert _competition.boxed_answer(solution) == answer


@pytest.mark.parametrize(
    "solution", ["no box", "\\boxed{never closed", "\\boxed{}", "\\boxedness{1}", "\\boxed"]
)
def test_a_solution_without_a_boxed_answer_is_refused(solution: str) -> None:
    with pytest.raises(ValueError, match=r"boxed"):
        _competition.boxed_answer(solution)


@pytest.mark.parametrize(
    ("benchmark", "line", "problem"),
    [
        ("gsm8k", "{not json", "not valid JSON"),
        ("gsm8k", '{"question": "Q?"}', "missing required field `answer`"),
        ("gsm8k", '{"question": "Q?", "answer": "no number"}', "#### <number>"),
        ("gsm8k", '{"question": "Q?", "answer": "#### 1.2.3"}', "#### <number>"),
        ("gsm8k", '{"question": " ", "answer": "#### 1"}', "question is empty"),
        ("gsm8k", '{"question": 5, "answer": "#### 1"}', "Expected `str`"),
        ("gsm8k", '["a", "list"]', "Expected `object`"),
        ("gsm8k", '{"question": "\\ud800", "answer": "#### 1"}', "not valid JSON"),
        ("math", '{"problem": "P", "level": "Level 9", "type": "A", "solution": "\\\\boxed{1}"}', "Level 9"),
        ("math", '{"problem": "P", "level": "Level 1", "type": "A", "solution": "none"}', "no \\boxed{}"),
    ],
)
def test_a_bad_row_is_reported_with_its_line_and_the_others_are_read(
    tmp_path: Path, benchmark: str, line: str, problem: str
) -> None:
    good = {"gsm8k": samples.GSM8K, "math": samples.MATH}[benchmark]
    rows = samples.read(benchmark, samples.jsonl(tmp_path / "train.jsonl", [good[0], line, "", good[1]]))
    bad = [row for row in rows if isinstance(row, BadRow)]
    assert [row.place for row in bad] == ["train.jsonl:2"]
    assert problem in bad[0].problem
    assert len(rows) == 3


def test_a_file_with_a_byte_order_mark_and_windows_line_ends_is_read(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(drafts("gsm8k", path)) == 3


def test_a_missing_file_and_an_unknown_format_are_refused_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(GymError, match=r"There is no file"):
        samples.read("gsm8k", tmp_path / "none.jsonl")
    (tmp_path / "train.xml").write_text("<a/>")
    with pytest.raises(GymError, match="is not one of"):
        samples.read("gsm8k", tmp_path / "train.xml")
    with pytest.raises(GymError, match="contains no"):
        samples.read("gsm8k", tmp_path)


def write_parquet(path: Path, rows: list[dict[str, str]]) -> None:
    import pyarrow
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def test_hub_files_are_read_like_the_official_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetches = []

    def download(*, repo: str, patterns: list[str]) -> Path:
        fetches.append((repo, tuple(patterns)))
        write_parquet(tmp_path / "main" / "train-00000-of-00002.parquet", samples.GSM8K[:2])
        write_parquet(tmp_path / "main" / "train-00001-of-00002.parquet", samples.GSM8K[2:])
        return tmp_path

    monkeypatch.setattr(hub, "hub_download", download)
    plugin = benchmarks.get("gsm8k")
    task_drafts = list(record_files.drafts(plugin, hub.hub_files(plugin, split="train")))
    assert fetches == [("openai/gsm8k", ("main/train-*.parquet",))]
    from_file = drafts("gsm8k", samples.jsonl(tmp_path / "train.jsonl", samples.GSM8K))
    assert [(row.key, row.gold.answer) for row in task_drafts if isinstance(row, TaskDraft)] == [
        (draft.key, draft.gold.answer) for draft in from_file
    ]


def test_hub_rows_of_math_have_keys_that_no_tree_has(tmp_path: Path) -> None:
    write_parquet(tmp_path / "algebra" / "test-00000-of-00001.parquet", samples.MATH)
    assert [draft.key for draft in drafts("math", tmp_path / "algebra")] == [
        "algebra/row-1",
        "algebra/row-2",
        "algebra/row-3",
    ]


def test_a_hub_without_the_files_or_the_split_is_refused_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "hub_download", lambda **_: tmp_path)
    with pytest.raises(GymError, match="no longer contains"):
        hub.hub_files(benchmarks.get("math500"), split="test")
    with pytest.raises(GymError, match=r"has no split .trian.\. Did you mean train"):
        hub.hub_files(benchmarks.get("gsm8k"), split="trian")


def test_an_unreachable_hub_is_reported_with_an_alternative(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def refuse(**_: object) -> str:
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(GymError, match="use --file"):
        hub.hub_download(repo="openai/gsm8k", patterns=["main/*"])


@pytest.mark.parametrize(("benchmark", "place", "count"), OFFICIAL)
def test_every_row_of_the_official_sample_is_read(benchmark: str, place: str, count: int) -> None:
    task_drafts = drafts(benchmark, samples.shared(place))
    assert len(task_drafts) == count
    assert len({draft.key for draft in task_drafts}) == count
    assert not [problem for draft in task_drafts if (problem := loader.draft_problem(draft))]


@pytest.mark.parametrize(("benchmark", "place", "count"), OFFICIAL)
def test_every_official_gold_is_accepted_by_the_verifiers_of_its_benchmark(
    benchmark: str, place: str, count: int
) -> None:
    plugin = benchmarks.get(benchmark)
    for draft in drafts(benchmark, samples.shared(place)):
        assert accepts(plugin.verifier_official, draft, draft.gold.answer), draft.key
        assert accepts(plugin.verifier_training, draft, draft.gold.answer), draft.key


def test_the_official_tree_and_the_official_lines_give_the_same_problems() -> None:
    lines = {draft.prompt: draft.gold.answer for draft in drafts("math", samples.shared("math/train.jsonl"))}
    tree = drafts("math", samples.shared("math/MATH"))
    assert len(tree) == 84
    assert {draft.split for draft in tree} == {"train"}
    assert all(lines[draft.prompt] == draft.gold.answer for draft in tree)


def test_math500_answers_are_the_boxed_answers_of_their_solutions() -> None:
    for draft in drafts("math500", samples.shared("math500/test.jsonl")):
        assert _competition.boxed_answer(draft.gold.solution) == draft.gold.answer
