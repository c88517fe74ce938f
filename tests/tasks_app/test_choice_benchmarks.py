"""MMLU, ARC and SciQ, and what benchmarks with choices share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tasks_app.benchmarks import _choices, mmlu
from tasks_app.models import Task
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, GoldDraft, PictureDraft, TaskDraft
from tests.tasks_app import samples
from tests.tasks_app import samples_choices as given
from tests.tasks_app.samples import read
from tests.tasks_app.test_benchmarks import accepts, drafts
from tests.tasks_app.test_loader import load, snapshot

OFFICIAL = [
    ("mmlu", "mmlu", {"dev": 285, "val": 1531}),
    ("arc", "arc", {"train": 500, "dev": 100}),
    ("scienceqa", "scienceqa", {"train": 250, "val": 50, "test": 65}),
]


def texts(draft: TaskDraft) -> list[str]:
    return [choice["text"] for choice in draft.payload["choices"]]


def labels(draft: TaskDraft) -> list[str]:
    return [choice["label"] for choice in draft.payload["choices"]]


def content(draft: TaskDraft) -> tuple[object, ...]:
    return draft.key, draft.split, draft.payload, draft.gold.answer, draft.tags


def item(
    *,
    question: str = "Which one?",
    texts: Sequence[str] = ("a red one", "a blue one"),
    answer: str = "A",
    pictures: tuple[PictureDraft, ...] = (),
    tags: tuple[str, ...] = (),
    **changes: Any,
) -> TaskDraft:
    payload = {"text": question, "format": "plain"}
    draft = TaskDraft(key="1", payload=payload, gold=GoldDraft(answer=answer), pictures=pictures, tags=tags)
    return _choices.with_choices(draft, texts, **changes)


def test_a_draft_holds_the_choices_in_their_order_and_the_rate_of_blind_guesses() -> None:
    draft = item(passage="Look.\r\nWell.", texts=[" red ", "blue", "green"], answer="B")
    assert draft.kind == "choice"
    assert draft.payload == {
        "text": "Which one?",
        "format": "plain",
        "passage": "Look.\nWell.",
        "choices": [
            {"label": "A", "text": "red"},
            {"label": "B", "text": "blue"},
            {"label": "C", "text": "green"},
        ],
        "order": "free",
    }
    assert (draft.gold.answer, draft.guess_rate, draft.oracle_steps) == ("B", 1 / 3, 2)


@pytest.mark.parametrize("answer", ["A", "B", "C"])
def test_equal_choices_are_marked_whichever_is_right(answer: str) -> None:
    draft = item(texts=["5", "5 ", "7"], answer=answer, tags=("sums",))
    assert (draft.gap_eligible, draft.tags) == (False, ("sums", "ambiguous-choices"))


@pytest.mark.parametrize("verifier", ["choice-v2", "mmmu-v1", "mmmu_strict-v2"])
def test_a_choice_equal_to_the_right_one_is_right_too(verifier: str) -> None:
    twice = item(texts=["5", "5 ", "7"], answer="B")
    assert [label for label in "ABC" if accepts(verifier, twice, label)] == ["A", "B"]
    other = item(texts=["5", "5", "7"], answer="C")
    assert [label for label in "ABC" if accepts(verifier, other, label)] == ["C"]


def test_choices_that_differ_only_by_case_are_not_equal() -> None:
    assert item(texts=["Dear aunt,", "Dear Aunt,"]).gap_eligible


@pytest.mark.parametrize(
    "question",
    [
        "The diagram below shows two pumps. Which is faster?",
        "Two magnets are placed as shown. What happens?",
        "Use the graph to answer. Which month is hot?",
        "According to the chart, who is first?",
        "The map shows a coast. Where is north?",
    ],
)
def test_a_question_about_a_missing_figure_is_not_eligible_for_the_gap(question: str) -> None:
    assert not item(question=question).gap_eligible
    with_picture = item(question=question, pictures=(PictureDraft(data=b""),))
    assert with_picture.gap_eligible


@pytest.mark.parametrize(
    "question",
    [
        "Which diagram best shows how energy flows?",
        "Which figure of speech is this?",
        "The point (3, 6) is on the graph of f. What is f(3)?",
        "What does the equation shown below say? 2 + 2 = 4",
        "How do you figure out the answer?",
        "A real image can be cast on a screen by a",
    ],
)
def test_a_question_that_only_names_figures_is_eligible(question: str) -> None:
    assert item(question=question).gap_eligible


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"question": " \n"}, "question is empty"),
        ({"texts": ["one"]}, "number of choices is 1"),
        ({"texts": ["x"] * 27}, "number of choices is 27"),
        ({"texts": ["one", " "]}, "a choice is empty"),
        ({"labels": ["A", "A"]}, "do not name 2 choices"),
        ({"labels": ["A"]}, "do not name 2 choices"),
        ({"answer": "C"}, "is not one of A, B"),
        ({"answer": ""}, "is not one of A, B"),
    ],
)
def test_a_broken_item_is_refused_with_a_reason(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        item(**changes)


def test_mmlu_subject_and_row_number_are_the_key_and_the_file_names_the_split(tmp_path: Path) -> None:
    given.csv_file(tmp_path / "data" / "val" / "anatomy_val.csv", given.ANATOMY)
    given.csv_file(tmp_path / "data" / "dev" / "prices_dev.csv", given.PRICES)
    task_drafts = drafts("mmlu", tmp_path / "data")
    assert [(draft.split, draft.key, draft.tags) for draft in task_drafts] == [
        ("dev", "prices/1", ("subject-prices",)),
        ("val", "anatomy/1", ("subject-anatomy",)),
        ("val", "anatomy/2", ("subject-anatomy",)),
    ]
    assert [draft.gold.answer for draft in task_drafts] == ["B", "C", "B"]


def test_mmlu_cells_keep_commas_quotes_and_lines_and_say_whether_choices_may_move(tmp_path: Path) -> None:
    first, second = drafts("mmlu", given.csv_file(tmp_path / "anatomy_test.csv", given.ANATOMY))
    assert second.payload["text"] == 'Which of these is "hollow",\nin the words of the text?'
    assert texts(second) == ["a nail", "a lung", "hair", "none of the above"]
    assert [draft.payload["order"] for draft in (first, second)] == ["free", "fixed"]


def test_mmlu_keys_do_not_depend_on_bad_rows_or_other_files(tmp_path: Path) -> None:
    given.csv_file(tmp_path / "anatomy_val.csv", [["too", "short"], *given.ANATOMY])
    given.csv_file(tmp_path / "aardvarks_val.csv", given.PRICES)
    alone = read("mmlu", tmp_path / "anatomy_val.csv")
    together = read("mmlu", tmp_path)
    assert together[1:] == alone
    assert [row.key for row in alone if isinstance(row, TaskDraft)] == ["anatomy/2", "anatomy/3"]
    assert alone[0] == BadRow("anatomy_val.csv:1", "it has 2 cells; question, 4 choices and answer make 6")


def test_mmlu_rows_of_the_hub_are_those_of_the_official_files(tmp_path: Path) -> None:
    given.parquet_file(tmp_path / "all" / "validation-00000-of-00001.parquet", given.MMLU_HUB)
    official = drafts("mmlu", given.csv_file(tmp_path / "anatomy_val.csv", given.ANATOMY))
    assert [content(draft) for draft in drafts("mmlu", tmp_path / "all")] == [
        content(draft) for draft in official
    ]


def test_mmlu_auxiliary_training_files_have_their_own_split(tmp_path: Path) -> None:
    given.csv_file(tmp_path / "auxiliary_train" / "race.csv", given.PRICES)
    hub = [{**row, "subject": ""} for row in given.MMLU_HUB]
    given.parquet_file(tmp_path / "auxiliary_train-00000-of-00001.parquet", hub)
    task_drafts = drafts("mmlu", tmp_path)
    assert {draft.split for draft in task_drafts} == {"auxiliary_train"}
    assert [draft.key for draft in task_drafts] == ["auxiliary_train/1", "auxiliary_train/2", "race/1"]


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["Q", "1", "2", "3", "4"], "it has 5 cells"),
        (["Q", "1", "2", "3", "4", "E"], "'E' is not one of A, B, C, D"),
        (["Q", "1", "2", "", "4", "A"], "a choice is empty"),
        (["", "1", "2", "3", "4", "A"], "question is empty"),
    ],
)
def test_a_bad_mmlu_row_is_reported_with_its_line(tmp_path: Path, cells: list[str], problem: str) -> None:
    rows = read("mmlu", given.csv_file(tmp_path / "anatomy_test.csv", [given.ANATOMY[0], cells]))
    assert isinstance(rows[1], BadRow)
    assert rows[1].place == "anatomy_test.csv:2"
    assert problem in rows[1].problem


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"choices": ["1", "2", "3"]}, "3 choices, not 4"),
        ({"answer": 4}, "not one of the 4"),
        ({"answer": -1}, "-1"),
    ],
)
def test_a_bad_mmlu_row_of_the_hub_is_reported(
    tmp_path: Path, changes: dict[str, object], problem: str
) -> None:
    rows = read("mmlu", samples.jsonl(tmp_path / "test.jsonl", [{**given.MMLU_HUB[0], **changes}]))
    assert isinstance(rows[0], BadRow)
    assert problem in rows[0].problem


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("Tea was $4 and is $5 now.", ["$1", "$2", "$3", "$4"]),
        ("It costs $5-$10 a day.", ["1", "2", "3", "4"]),
        ("Of the $80 he keeps ($30), and $9 he owes.", ["1", "2", "3", "4"]),
        ("He pays US$ 5 and AU$ 6.", ["1", "2", "3", "4"]),
        (r"Solve $x+1 = 2$ if x costs $4.", ["1", "2", "3", "4"]),
        (r"(m, n) \in A", ["1", "2", "3", "4"]),
        ("How much?", ["$4", "$5", "$6", "$$"]),
    ],
)
def test_mmlu_text_with_dollars_that_are_money_is_plain(question: str, choices: list[str]) -> None:
    assert not mmlu.has_formulas(question, choices)


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("What is the least value of $a^2+6a-7$?", ["1", "2", "3", "4"]),
        (r"In how many years do $\$300$ grow to $\$9600$ at $x\%$?", ["1", "2", "3", "4"]),
        (r"Simplify: $$\sqrt{\frac{1}{9}}$$", ["1", "2", "3", "4"]),
        ("What is a half of a half?", [r"\frac{1}{2}", r"\frac{1}{4}", "1", "2"]),
    ],
)
def test_mmlu_formulas_between_dollars_make_an_item_latex(question: str, choices: list[str]) -> None:
    assert mmlu.has_formulas(question, choices)


def test_mmlu_choices_that_are_bare_formulas_get_dollars_and_others_do_not(tmp_path: Path) -> None:
    row = [
        r"What is $\frac{1}{2}$ of $-\frac{1}{2}$?",
        r"-\frac{1}{4}",
        r"$\frac{1}{4}$",
        "0",
        "20 \\% of it",
        "A",
    ]
    (draft,) = drafts("mmlu", given.csv_file(tmp_path / "x_test.csv", [row]))
    assert draft.payload["format"] == "latex"
    assert texts(draft) == [r"$-\frac{1}{4}$", r"$\frac{1}{4}$", "0", "20 \\% of it"]


def test_arc_keeps_the_labels_and_tags_set_and_grade(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "ARC-Challenge" / "ARC-Challenge-Dev.jsonl", given.ARC)
    task_drafts = drafts("arc", path)
    assert [(draft.key, draft.split, draft.tags) for draft in task_drafts] == [
        ("MCAS_2007_8_5180", "dev", ("challenge", "grade-8")),
        ("Mercury_401402", "dev", ("challenge",)),
    ]
    assert [labels(draft) for draft in task_drafts] == [["1", "2", "3"], ["A", "B", "C", "D", "E"]]
    assert [draft.gold.answer for draft in task_drafts] == ["3", "E"]
    assert [draft.guess_rate for draft in task_drafts] == [1 / 3, 1 / 5]


def test_arc_rows_of_the_hub_are_those_of_the_official_files(tmp_path: Path) -> None:
    hub = [given.arc_hub(row) for row in given.ARC]
    given.parquet_file(tmp_path / "ARC-Easy" / "validation-00000-of-00001.parquet", hub)
    official = drafts("arc", samples.jsonl(tmp_path / "ARC-Easy-Dev.jsonl", given.ARC))
    assert [content(draft) for draft in drafts("arc", tmp_path / "ARC-Easy")] == [
        content(draft) for draft in official
    ]


def test_csv_files_of_the_official_arc_folder_are_ignored(tmp_path: Path) -> None:
    samples.jsonl(tmp_path / "ARC-Easy" / "ARC-Easy-Test.jsonl", given.ARC)
    given.csv_file(
        tmp_path / "ARC-Easy" / "ARC-Easy-Test.csv", [["questionID", "question"], ["1", "Q (A) x"]]
    )
    assert [draft.split for draft in drafts("arc", tmp_path)] == ["test", "test"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"answerKey": "Z"}, "'Z' is not one of 1, 2, 3"),
        ({"question": "Only a stem"}, "has no choices"),
        ({"question": "Q", "choices": {"text": ["a", "b"], "label": ["A"]}}, "2 choices and 1 labels"),
        ({"question": {"stem": "Q", "choices": [{"text": "a", "label": "3"}]}}, "number of choices is 1"),
        ({"id": None}, "Expected `str`"),
    ],
)
def test_a_bad_arc_row_is_reported(tmp_path: Path, changes: dict[str, object], problem: str) -> None:
    rows = read("arc", samples.jsonl(tmp_path / "ARC-Easy-Dev.jsonl", [{**given.ARC[0], **changes}]))
    assert isinstance(rows[0], BadRow)
    assert problem in rows[0].problem


def test_sciq_order_depends_only_on_the_item(tmp_path: Path) -> None:
    swapped = {**given.SCIQ[0], "distractor1": "silk", "distractor2": "resin"}
    forth = drafts("sciq", given.json_file(tmp_path / "train.json", given.SCIQ))
    back = drafts("sciq", given.json_file(tmp_path / "valid.json", [given.SCIQ[1], swapped]))
    assert [texts(draft) for draft in forth] == [texts(draft) for draft in reversed(back)]
    assert [(draft.split, draft.key) for draft in forth + back] == [
        ("train", "1"),
        ("train", "2"),
        ("valid", "1"),
        ("valid", "2"),
    ]


def test_sciq_order_does_not_depend_on_the_right_option(tmp_path: Path) -> None:
    """Otherwise somebody who knows the rule could try each option as the right one."""
    options = ("nectar", "resin", "silk", "wax")
    names = ("correct_answer", "distractor1", "distractor2", "distractor3")
    rows = [{**given.SCIQ[0], **dict(zip(names, options[n:] + options[:n], strict=True))} for n in range(4)]
    task_drafts = drafts("sciq", given.json_file(tmp_path / "train.json", rows))
    assert len({tuple(texts(draft)) for draft in task_drafts}) == 1
    assert {draft.gold.answer for draft in task_drafts} == {"A", "B", "C", "D"}


def test_sciq_answers_are_about_equally_often_in_every_position(tmp_path: Path) -> None:
    rows = [{**given.SCIQ[0], "question": f"What do bees gather in year {year}?"} for year in range(400)]
    answers = [draft.gold.answer for draft in drafts("sciq", given.json_file(tmp_path / "test.json", rows))]
    assert all(70 <= answers.count(label) <= 130 for label in "ABCD")


def test_sciq_shows_its_support_and_puts_all_of_the_above_last(tmp_path: Path) -> None:
    first, second = drafts("sciq", given.json_file(tmp_path / "train.json", given.SCIQ))
    assert first.payload["passage"] == "Bees visit flowers for nectar."
    assert "passage" not in second.payload
    assert (texts(second)[-1], second.payload["order"]) == ("all of the above", "fixed")
    assert texts(first)[labels(first).index(first.gold.answer)] == "nectar"


def test_sciq_rows_of_the_hub_are_those_of_the_official_files(tmp_path: Path) -> None:
    given.parquet_file(tmp_path / "data" / "validation-00000-of-00001.parquet", given.SCIQ)
    official = drafts("sciq", given.json_file(tmp_path / "valid.json", given.SCIQ))
    assert [content(draft) for draft in drafts("sciq", tmp_path / "data")] == [
        content(draft) for draft in official
    ]


def test_a_bad_sciq_row_is_reported_with_its_number(tmp_path: Path) -> None:
    rows = [given.SCIQ[0], {**given.SCIQ[0], "distractor2": " "}, {"question": "Q"}, given.SCIQ[1]]
    bad = [
        row for row in read("sciq", given.json_file(tmp_path / "test.json", rows)) if isinstance(row, BadRow)
    ]
    assert [row.place for row in bad] == ["test.json:2", "test.json:3"]
    assert "a choice is empty" in bad[0].problem


@pytest.mark.django_db
def test_loading_arc_twice_changes_nothing_and_the_prompt_shows_the_choices(tmp_path: Path) -> None:
    path = samples.jsonl(tmp_path / "ARC-Challenge-Dev.jsonl", given.ARC)
    load("arc", "--file", path)
    before = snapshot()
    load("arc", "--file", path)
    assert snapshot() == before
    assert [task.split for task in Task.objects.all()] == ["dev", "dev"]
    prompt = Task.objects.get(key="MCAS_2007_8_5180").prompt
    assert all(part in prompt for part in ("falls faster", "a stone", "a feather", "neither"))


@pytest.mark.parametrize(("benchmark", "place", "counts"), OFFICIAL)
def test_every_row_of_the_official_choices_is_read(
    benchmark: str, place: str, counts: dict[str, int]
) -> None:
    task_drafts = drafts(benchmark, samples.shared(place))
    assert {split: sum(draft.split == split for draft in task_drafts) for split in counts} == counts
    assert (
        len({(draft.split, draft.key) for draft in task_drafts}) == len(task_drafts) == sum(counts.values())
    )


@pytest.mark.parametrize(("benchmark", "place", "counts"), OFFICIAL)
def test_every_official_gold_accepts_only_its_own_label(
    benchmark: str, place: str, counts: dict[str, int]
) -> None:
    plugin = benchmarks.get(benchmark)
    for draft in drafts(benchmark, samples.shared(place)):
        for verifier in {plugin.verifier_official, plugin.verifier_training}:
            right = [label for label in labels(draft) if accepts(verifier, draft, label)]
            assert right == sorted([draft.gold.answer, *draft.gold.accepted]), draft.key


def test_the_known_latex_fixed_and_ambiguous_mmlu_items_are_detected() -> None:
    by_key = {(draft.split, draft.key): draft for draft in drafts("mmlu", samples.shared("mmlu"))}
    assert by_key["val", "high_school_chemistry/21"].payload["order"] == "fixed"
    assert by_key["val", "miscellaneous/10"].gap_reason == _choices.AMBIGUOUS_REASON
    assert {key for (_, key), draft in by_key.items() if draft.payload["format"] == "latex"} == {
        f"high_school_mathematics/{n}"
        for n in (2, 3, 4, 7, 8, 9, 10, 11, 13, 15, 16, 17, 18, 19, 21, 24, 25, 26, 29)
    }
