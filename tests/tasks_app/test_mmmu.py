"""MMMU and MMMU-Pro: choices and open questions with up to seven pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import GymError
from tasks_app import hub, record_files
from tasks_app.benchmarks import mmmu
from tasks_app.registry import benchmarks
from tasks_app.types import TaskDraft
from tests.tasks_app import samples, samples_pictures
from tests.tasks_app.test_benchmarks import accepts, drafts


def mmmu_row(**changed: Any) -> dict[str, Any]:
    row = {
        "id": "validation_Accounting_1",
        "question": "<image 1> What does it cost, between $5 and $9?",
        "options": "['$6', '$7', \"the owner's $8\"]",
        "explanation": "",
        "img_type": "['Tables']",
        "answer": "B",
        "topic_difficulty": "Medium",
        "question_type": "multiple-choice",
        "subfield": "Managerial Accounting",
        **{f"image_{number}": None for number in range(2, 8)},
        "image_1": samples_pictures.cell(1),
    }
    return {**row, **changed}


def mmmu_drafts(path: Path, *rows: dict[str, Any]) -> list[TaskDraft]:
    return drafts(
        "mmmu", samples_pictures.parquet(path / "Accounting" / "validation-00000-of-00001.parquet", *rows)
    )


def test_a_multiple_choice_row_is_a_choice_with_letters_in_its_own_order(tmp_path: Path) -> None:
    (draft,) = mmmu_drafts(tmp_path, mmmu_row())
    assert (draft.kind, draft.key, draft.split) == ("choice", "validation_Accounting_1", "validation")
    assert draft.payload == {
        "text": "<image 1> What does it cost, between $5 and $9?",
        "format": "plain",
        "choices": [
            {"label": "A", "text": "$6"},
            {"label": "B", "text": "$7"},
            {"label": "C", "text": "the owner's $8"},
        ],
        "order": "fixed",
    }
    assert draft.gold.answer == "B"
    assert draft.gold.extra == {"options": ["$6", "$7", "the owner's $8"], "question_type": "multiple-choice"}
    assert draft.tags == ("accounting", "managerial-accounting", "tables")
    assert (draft.difficulty, draft.guess_rate, samples_pictures.widths(draft)) == (0.5, 1 / 3, [1])


def test_an_open_row_is_a_picture_question_that_accepts_every_listed_value(tmp_path: Path) -> None:
    row = mmmu_row(question_type="open", options="[]", answer="['24/7', '3.429']")
    (draft,) = mmmu_drafts(tmp_path, row)
    assert draft.kind == "picture"
    assert set(draft.payload) == {"text", "format"}
    assert (draft.gold.answer, draft.gold.accepted) == ("24/7", ("3.429",))
    assert draft.gold.extra["question_type"] == "open"
    for verifier in ("mmmu-v1", "mmmu_strict-v2"):
        assert accepts(verifier, draft, "24/7")
        assert accepts(verifier, draft, "3.429")
        assert not accepts(verifier, draft, "3.5")


def test_an_open_answer_with_its_own_brackets_is_one_value() -> None:
    assert mmmu.gold_values("[1, 2]") == ("[1, 2]",)


def test_an_open_answer_that_is_a_letter_is_judged_as_text(tmp_path: Path) -> None:
    (draft,) = mmmu_drafts(tmp_path, mmmu_row(question_type="open", options="[]", answer="C"))
    assert accepts("mmmu-v1", draft, "C")
    assert not accepts("mmmu-v1", draft, "carbon")


def test_pictures_are_numbered_without_gaps_and_the_texts_follow(tmp_path: Path) -> None:
    row = mmmu_row(
        question="See <image 5>, then <image 2>.",
        options="['<image 5>', '<image7>']",
        explanation="It is <image 7>.",
        image_1=None,
        image_2=samples_pictures.cell(2),
        image_5=samples_pictures.cell(5),
        image_7=samples_pictures.cell(7),
    )
    (draft,) = mmmu_drafts(tmp_path, row)
    assert draft.payload["text"] == "See <image 2>, then <image 1>."
    assert [choice["text"] for choice in draft.payload["choices"]] == ["<image 2>", "<image 3>"]
    assert draft.gold.solution == "It is <image 3>."
    assert samples_pictures.widths(draft) == [2, 5, 7]


def test_a_picture_that_no_text_places_is_still_shown(tmp_path: Path) -> None:
    (draft,) = mmmu_drafts(tmp_path, mmmu_row(question="Which one?", image_3=samples_pictures.cell(3)))
    assert draft.payload["text"] == "Which one?"
    assert samples_pictures.widths(draft) == [1, 3]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"answer": "?"}, "hidden"),
        ({"answer": ""}, "hidden"),
        ({"answer": "['a', '']", "question_type": "open"}, "accepted answer is empty"),
        ({"answer": "['a'", "question_type": "open"}, "is not a list"),
        ({"answer": "D"}, "is not one of A, B, C"),
        ({"options": "['a', 'b'"}, "is not a list"),
        ({"options": "__import__('os').getcwd()"}, "is not a list"),
        ({"options": "[['a'], 'b']"}, "is not a list"),
        ({"options": "{'a': 1}"}, "is not a list"),
        ({"options": "[" * 5_000}, "is not a list"),
        ({"options": "-" * 19_000 + "1"}, "is not a list"),
        ({"options": "['" + "a" * 20_000 + "']"}, "at most 20,000 are allowed"),
        ({"options": "['a']"}, "number of choices is 1"),
        ({"question": "See <image 2>."}, "<image 2>, but the row has no such picture"),
        ({"image_1": None, "question": "Which?"}, "no picture"),
        ({"image_1": {"bytes": None, "path": "1.png"}}, "there is no picture '1.png'"),
        ({"image_1": {"bytes": None, "path": None}}, "neither bytes nor the path"),
        ({"question": " "}, "question is empty"),
        ({"question": " ", "question_type": "open"}, "question is empty"),
        ({"question_type": "essay"}, "Invalid enum value 'essay'"),
        ({"id": "../../etc"}, "not like validation_Accounting_1"),
    ],
)  # fmt: skip
def test_an_unusable_row_is_refused_with_a_reason(changed: dict[str, Any], problem: str) -> None:
    place = Path("validation-0.parquet")
    record = record_files.Record(place, 3, 3, mmmu_row(**changed))
    with pytest.raises((ValueError, msgspec.ValidationError), match=re.escape(problem)):
        mmmu.draft_of(record)


def test_a_broken_list_of_picture_kinds_loses_only_the_tags(tmp_path: Path) -> None:
    (draft,) = mmmu_drafts(tmp_path, mmmu_row(img_type="['Tables'", subfield="Accounting"))
    assert draft.tags == ("accounting",)


def test_mmmu_pro_rows_have_ten_options_their_own_split_and_files_as_pictures(tmp_path: Path) -> None:
    letters = [f"option {letter}" for letter in "abcdefghij"]
    row = mmmu_row(id="test_Music_251", options=str(letters), answer="J", image_1="images/one.png")
    row = {name: value for name, value in row.items() if name not in ("question_type", "subfield")}
    path = samples.jsonl(tmp_path / "pro" / "data.jsonl", [row])
    (path.parent / "images").mkdir()
    (path.parent / "images" / "one.png").write_bytes(samples_pictures.picture(6))
    (draft,) = drafts("mmmu", path)
    assert (draft.split, draft.gold.answer, draft.guess_rate) == ("pro-standard", "J", 0.1)
    assert [choice["label"] for choice in draft.payload["choices"]] == list("ABCDEFGHIJ")
    assert draft.gold.extra["question_type"] == "multiple-choice"
    assert samples_pictures.widths(draft) == [6]


def test_only_the_files_of_a_split_are_selected(tmp_path: Path) -> None:
    names = [
        "Art/dev-00000-of-00001.parquet",
        "Art/validation-00000-of-00001.parquet",
        "Music/validation-00000-of-00001.parquet",
        "standard (4 options)/test-00000-of-00001.parquet",
        "standard (10 options)/test-00000-of-00001.parquet",
        "vision/test-00000-of-00001.parquet",
        "answer_dict_val.json",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def selected(split: str) -> list[str]:
        return [file.relative_to(tmp_path).as_posix() for file in mmmu.files(tmp_path, split)]

    assert selected("dev") == names[:1]
    assert selected("validation") == names[1:3]
    assert selected("pro-standard") == [names[4]]
    with pytest.raises(GymError, match=r"splits are validation, dev, pro-standard"):
        mmmu.files(tmp_path, "train")


def test_hub_files_of_mmmu_pro_come_from_their_own_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repositories = []

    def download(*, repo: str, patterns: list[str]) -> Path:
        repositories.append(repo)
        for folder in ("standard (10 options)", "standard (4 options)", "Art"):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "test-0.parquet").touch()
            (tmp_path / folder / "validation-0.parquet").touch()
        return tmp_path

    monkeypatch.setattr(hub, "hub_download", download)
    (file,) = [
        file for file in hub.hub_files(benchmarks.get("mmmu"), split="pro-standard") if "test" in file.name
    ]
    assert file.parent.name == "standard (10 options)"
    assert tmp_path / "Art" / "validation-0.parquet" in hub.hub_files(
        benchmarks.get("mmmu"), split="validation"
    )
    assert repositories == ["MMMU/MMMU_Pro", "MMMU/MMMU"]
    with pytest.raises(GymError, match="has no split 'test'"):
        hub.hub_files(benchmarks.get("mmmu"), split="test")


@pytest.mark.parametrize(
    ("texts", "is_latex"),
    [
        ([r"What is $\frac{1}{2}$?"], True),
        (["What is $x^2$?", "4"], True),
        ([r"Find $\text{net force}_1$."], True),
        (["What is half?", r"$\pi$"], True),
        (["It costs $5 and then $6."], False),
        ([r"Pay $10 or $12 for $\alpha$?"], False),
        ([r"Pay $10-$12 for $\alpha$?"], False),
        (["The sum of $9", r"$20 \pm 1"], False),
        (["What does $MgS$ stand for?"], False),
        (["From $_____ to $_____ , or $____ ."], False),
        (["The cost is $5____ or $6____ ."], False),
        (["What is $ y_ {i} $?"], True),
        ([r"The pressure is $\rho ghz$ at $5 \times 10^3$ m."], True),
        ([r"What is $\left(x\right)^{-1}$?"], True),
        ([r"A path C:\new of \alpha."], False),
    ],
)
def test_dollars_delimit_formulas_only_if_they_cannot_be_prices(texts: list[str], is_latex: bool) -> None:
    assert mmmu.is_latex(texts) is is_latex


def test_the_official_validation_answers_are_those_of_the_official_key() -> None:
    key = json.loads(samples.shared("mmmu/answer_dict_val.json").read_text())
    for draft in samples_pictures.official("mmmu", "mmmu", "validation"):
        expected = key[draft.key]["ground_truth"]
        assert [draft.gold.answer, *draft.gold.accepted] == (
            expected if isinstance(expected, list) else [expected]
        )
