"""Arms that a plan shows in an observation of their own, and accuracies that were planted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import LabClient
from tests.reports.test_computation import assert_sound, correct_if, evaluation, tables_of
from trajectories.models import Run
from trajectories.reports.ladder import ArmKey, arm_read, ladder_of

LADDER = {
    "text_zero_shot": correct_if(lambda item, _: item % 10 < 9),
    "gym": correct_if(lambda item, _: item % 10 < 7),
    "gym:som-v1": correct_if(lambda item, _: item % 10 < 4),
    "gym_image:som-v1": correct_if(lambda item, _: item % 10 < 3),
}


@pytest.mark.django_db
def test_pixels_are_a_rung_of_the_ladder() -> None:
    report, _, _ = evaluation(LADDER, items=100, observation="axtree-v2")

    tables = tables_of(report)

    rungs = [(row["rung"], row["contrast"], row["gap"]) for row in tables["rungs"]["rows"]]
    assert rungs == [
        ("agent format + interaction + finding and reading", "text_zero_shot − gym", 20.0),
        ("pixels", "gym − gym:som-v1", 30.0),
        ("pixels without text", "gym:som-v1 − gym_image:som-v1", 10.0),
        ("total", "text_zero_shot − gym_image:som-v1", 60.0),
    ]
    assert [row["accuracy"] for row in tables["accuracy"]["rows"]] == [90.0, 70.0, 40.0, 30.0]
    assert [row["arm"] for row in tables["deviations"]["rows"]] == []
    assert_sound(tables)


@pytest.mark.django_db
def test_the_items_of_a_pixels_rung_are_those_of_its_own_episodes(lab: Any, owner: Any) -> None:
    report, _, _ = evaluation(LADDER, items=20, observation="axtree-v2")
    client: LabClient = lab(owner)

    page = client.get(f"/reports/{report.pk}/items?benchmark=gsm8k&a=gym&b=gym:som-v1").content.decode()

    assert "6 items of gsm8k" in page
    assert "Page, marked screenshot" in page
    assert client.get(f"/reports/{report.pk}/items?benchmark=gsm8k&a=gym&b=gym:som").status_code == 404


@pytest.mark.django_db
def test_an_arm_that_changes_the_page_and_the_picture_at_once_is_no_rung() -> None:
    arms = {name: LADDER[name] for name in ("gym", "gym_image:som-v1")}
    report, _, _ = evaluation(arms, observation="axtree-v2")

    (gap,) = tables_of(report)["gaps"]["rows"]

    assert gap["gap"] is None
    assert "observation axtree-v2 and som-v1" in gap["note"]


@pytest.mark.parametrize(
    ("observation", "arms", "ladder"),
    [
        ("axtree-v2", "gym:som-v1 gym text_zero_shot", "text_zero_shot gym gym:som-v1"),
        ("", "gym gym:screenshot-v2 gym:som-v1", "gym gym:som-v1"),
        ("axtree-v2", "gym gym:screenshot-v2 gym:som-v1 gym_image:screenshot-v2",
         "gym gym:screenshot-v2 gym_image:screenshot-v2"),
        ("som-v1", "gym gym:screenshot-v2 gym:axtree-v2 gym_image", "gym gym_image"),
        ("axtree-v2", "gym_with_text gym_with_text:som-v1 gym gym:both-v2", "gym_with_text gym"),
    ],
)  # fmt: skip
def test_a_ladder_changes_one_thing_at_a_rung(observation: str, arms: str, ladder: str) -> None:
    plan = {"observation": observation, "arms": arms.split()}

    assert [key.id for key in ladder_of(plan)] == ladder.split()


def test_an_id_says_which_arm_it_is() -> None:
    key = ArmKey("gym", retest=True, observation="som-v1")

    assert arm_read(key.id) == key
    for odd in ("gmy", "gym:", "gym:som", "gym+again", "gym+retest+retest"):
        with pytest.raises(ValueError, match="no arm"):
            arm_read(odd)


@pytest.mark.django_db
def test_planted_values_stand_beside_their_estimates() -> None:
    report, runs, _ = evaluation(LADDER, items=100, observation="axtree-v2")
    planted = {"text_zero_shot": 0.9, "gym": 0.5, "gym:som-v1": 0.2, "gym_image:som-v1": 0.1}
    for arm, accuracy in planted.items():
        Run.objects.filter(pk=runs[arm].pk).update(settings={"planted_accuracy": accuracy})

    table = tables_of(report)["planted"]

    shown = {
        f"{row['quantity']}, {row['contrast']}": (row["planted"], row["estimate"], row["recovered"])
        for row in table["rows"]
    }
    assert shown["accuracy, text_zero_shot"] == (90.0, 90.0, "yes")
    assert shown["accuracy, gym"] == (50.0, 70.0, "no")
    assert shown["pixels, gym − gym:som-v1"] == (30.0, 30.0, "yes")
    assert shown["total, text_zero_shot − gym_image:som-v1"] == (80.0, 60.0, "no")
    assert "3 of 8 planted values are within their intervals; on average, 8 are expected" in table["notes"][1]


@pytest.mark.django_db
def test_a_report_of_a_model_has_no_planted_values() -> None:
    report, _, _ = evaluation(LADDER)

    assert "planted" not in tables_of(report)
