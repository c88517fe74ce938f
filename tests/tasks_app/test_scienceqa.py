"""ScienceQA: one object of all problems, pictures in folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError

from tasks_app import pictures
from tasks_app.benchmarks import scienceqa
from tasks_app.models import Task
from tasks_app.starters import starter_drafts
from tasks_app.types import BadRow, TaskDraft
from tests.tasks_app import samples, samples_choices
from tests.tasks_app.samples import read
from tests.tasks_app.samples_choices import problem
from tests.tasks_app.test_benchmarks import drafts
from tests.tasks_app.test_choice_benchmarks import texts
from tests.tasks_app.test_loader import load

COLORS = ("red", "green", "blue")


def folder(tmp_path: Path, **problems: object) -> Path:
    """A problem's id is its name here, with an x before it."""
    return samples_choices.scienceqa_folder(tmp_path, {pid[1:]: fields for pid, fields in problems.items()})


def test_problems_are_keyed_by_id_and_the_file_of_splits_is_ignored(tmp_path: Path) -> None:
    task_drafts = drafts("scienceqa", folder(tmp_path, x7=problem(), x12=problem(split="val", answer=1)))
    assert [(draft.key, draft.split, draft.gold.answer) for draft in task_drafts] == [
        ("7", "train", "A"),
        ("12", "val", "B"),
    ]
    assert [draft.place for draft in task_drafts] == ["problems.json:7", "problems.json:12"]


def test_the_hint_is_shown_but_lecture_and_solution_are_not(tmp_path: Path) -> None:
    (draft,) = drafts("scienceqa", folder(tmp_path, x7=problem()))
    assert draft.payload == {
        "text": "Which is longer?",
        "format": "plain",
        "passage": "Rivers are fed by brooks.",
        "choices": [{"label": "A", "text": "a river"}, {"label": "B", "text": "a brook"}],
        "order": "free",
    }
    assert draft.gold.solution == "Many brooks make a river."
    assert draft.gold.extra == {"lecture": "Waters flow together."}


def test_grade_is_the_difficulty_and_subject_topic_and_grade_are_tags(tmp_path: Path) -> None:
    (draft,) = drafts("scienceqa", folder(tmp_path, x7=problem()))
    assert draft.tags == ("social-science", "geography", "grade-4")
    assert [scienceqa.difficulty(grade) for grade in (1, 12, 13)] == [0.0, 1.0, None]


def test_a_problems_picture_is_read_from_its_folder(tmp_path: Path) -> None:
    file = samples_choices.picture(tmp_path / "images" / "test" / "9" / "image.png")
    (draft,) = drafts("scienceqa", folder(tmp_path, x9=problem(split="test", image="image.png")))
    assert [picture.read() for picture in draft.pictures] == [file.read_bytes()]
    assert texts(draft) == ["a river", "a brook"]


def test_pictures_of_choices_follow_the_problems_own_picture(tmp_path: Path) -> None:
    home = tmp_path / "images" / "train" / "3"
    names = ("image.png", "choice_0.png", "choice_1.png")
    files = [samples_choices.picture(home / name, color) for name, color in zip(names, COLORS, strict=True)]
    (draft,) = drafts("scienceqa", folder(tmp_path, x3=problem(image="image.png")))
    assert texts(draft) == ["<image 2> a river", "<image 3> a brook"]
    assert [picture.read() for picture in draft.pictures] == [file.read_bytes() for file in files]


def test_choices_that_are_only_pictures_refer_to_them_by_number(tmp_path: Path) -> None:
    for number in range(2):
        samples_choices.picture(tmp_path / "images" / "train" / "3" / f"choice_{number}.png", COLORS[number])
    (draft,) = drafts("scienceqa", folder(tmp_path, x3=problem(choices=["", ""])))
    assert texts(draft) == ["<image 1>", "<image 2>"]
    assert draft.gap_eligible


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image": "image.png"}, "there is no picture 'image.png'"),
        ({"image": "../../../secret.png"}, "is outside the folder"),
        ({"image": ".."}, "is outside the folder"),
        ({"split": "../../.."}, "is not an official one"),
        ({"answer": 2}, "not one of the 2 choices"),
        ({"answer": -1}, "not one of the 2 choices"),
        ({"answer": "A"}, "Expected `int`"),
        ({"choices": ["a river", ""]}, "a choice is empty"),
        ({"question": None}, "Expected `str`"),
    ],
)
def test_a_bad_problem_is_reported_with_its_id_and_the_others_are_read(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    samples_choices.picture(tmp_path / "secret.png")
    rows = read("scienceqa", folder(tmp_path / "data", x5=problem(**changes), x6=problem()))
    assert isinstance(rows[0], BadRow)
    assert rows[0].place == "problems.json:5"
    assert message in rows[0].problem
    assert isinstance(rows[1], TaskDraft)


def test_an_id_that_escapes_the_folder_is_refused(tmp_path: Path) -> None:
    samples_choices.picture(tmp_path / "secret.png")
    (row,) = read("scienceqa", folder(tmp_path, **{"x../../..": problem(image="secret.png")}))
    assert isinstance(row, BadRow)
    assert "is not an official one" in row.problem


def test_a_problem_that_is_not_an_object_is_reported(tmp_path: Path) -> None:
    (row,) = read("scienceqa", folder(tmp_path, x5="gone"))
    assert isinstance(row, BadRow)
    assert "Expected `object`" in row.problem


def test_hub_rows_have_their_picture_inline_and_their_number_as_key(tmp_path: Path) -> None:
    data = samples_choices.picture(tmp_path / "red.png").read_bytes()
    hub = [problem(image={"bytes": data, "path": "image.png"}), problem(image=None, hint=None)]
    for row in hub:
        del row["split"]
    samples_choices.parquet_file(tmp_path / "data" / "validation-00000-of-00001-1a2b.parquet", hub)
    shown, bare = drafts("scienceqa", tmp_path / "data")
    assert [(draft.key, draft.split) for draft in (shown, bare)] == [("1", "val"), ("2", "val")]
    assert [picture.read() for picture in shown.pictures] == [data]
    assert (bare.pictures, "passage" in bare.payload) == ((), False)


def test_the_picture_of_the_starter_item_can_be_shown() -> None:
    drawn = [draft for draft in starter_drafts("scienceqa") if draft.pictures]
    assert [pictures.picture_read(draft.pictures[0].read()).width for draft in drawn] == [360]


@pytest.mark.django_db
def test_loading_stores_the_picture_and_a_broken_one_is_a_bad_row(tmp_path: Path) -> None:
    home = tmp_path / "images" / "test"
    samples_choices.picture(home / "1" / "image.png")
    (home / "2").mkdir()
    (home / "2" / "image.png").write_bytes(b"no picture")
    problems = {f"x{n}": problem(split="test", image="image.png") for n in (1, 2)}
    with pytest.raises(CommandError, match="1 bad rows skipped"):
        load("scienceqa", "--split", "test", "--file", folder(tmp_path, **problems))
    (task,) = Task.objects.all()
    assert [(picture["width"], picture["height"]) for picture in task.payload["pictures"]] == [(4, 3)]


def test_every_official_picture_can_be_shown() -> None:
    shown = [draft for draft in drafts("scienceqa", samples.shared("scienceqa")) if draft.pictures]
    assert len(shown) == 65
    for draft in shown:
        assert pictures.picture_read(draft.pictures[0].read()).width > 0
