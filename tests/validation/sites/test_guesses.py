from __future__ import annotations

import pytest

from tasks_app.families import cheats
from tasks_app.families.types import SiteTask
from validation.sites import guesses


def task(number: int, *answer: str, wording: str = "How many?", is_possible: bool = True) -> SiteTask:
    return SiteTask(
        family="f",
        level=1,
        wording=f"{wording} {number}",
        answer=answer or (str(number), f"R{number}"),
        fields=("Value", "Witness"),
        forms=1,
        is_possible=is_possible,
    )


def measured(tasks: list[SiteTask], searched: tuple[str | None, ...] = ()) -> guesses.CheckedGuesses:
    (result,) = guesses.measure(tasks, searched=searched)
    return result


def test_distinct_answers_cannot_be_guessed() -> None:
    result = measured([task(number) for number in range(200)])
    assert (result.constant, result.wording, result.cannot, result.searched) == (0, 0, 0, None)
    assert result.commonest == 1 / 200
    assert result.exceeding == ()


def test_a_common_answer_is_guessed_by_a_constant() -> None:
    result = measured([task(number, "4", "Ann") if number % 5 < 2 else task(number) for number in range(200)])
    assert result.commonest == pytest.approx(0.4)
    assert result.constant == pytest.approx(0.4, abs=0.1)
    assert {"commonest", "constant"} <= set(result.exceeding)


def test_a_witness_protects_a_common_value() -> None:
    result = measured([task(number, "4", f"R{number}") for number in range(200)])
    assert result.commonest_value == 1
    assert result.exceeding == ()


def test_an_answer_that_the_wording_gives_away_is_guessed_by_the_linear_model() -> None:
    colours = ("red", "green", "blue", "black", "white", "grey", "pink", "brown", "teal", "gold") * 3
    tasks = [
        task(number, colour, "x", wording=f"Which is {colour}, of all these?")
        for number, colour in enumerate(colours * 10)
    ]
    result = measured(tasks)
    assert result.commonest == pytest.approx(0.1)
    assert result.wording > 0.95


def test_always_answering_impossible_is_measured_by_its_best_answer() -> None:
    tasks = [
        task(number, "b", "none", is_possible=False) if number < 12 else task(number) for number in range(100)
    ]
    result = measured(tasks)
    assert result.cannot == result.impossible == pytest.approx(0.12)
    assert "cannot" in result.exceeding


def test_a_site_search_that_counts_right_too_often_is_reported() -> None:
    tasks = [task(number) for number in range(10)]
    right = measured(tasks, ("0", "1", "2", "3", *["x"] * 5, None))
    assert right.searched == pytest.approx(4 / 9)
    assert right.exceeding == ("commonest", "searched")


def test_the_table_names_what_is_over_its_limit() -> None:
    lines = guesses.table(
        [measured([task(number, "4", "Ann") for number in range(20)])], least=20
    ).splitlines()
    assert lines[0].split()[:4] == ["family", "tasks", "commonest", "constant"]
    assert lines[1].split()[:4] == ["f", "20", "100.0%", "100.0%"]
    assert lines[1].endswith("commonest constant wording")


def test_words_fall_into_the_same_buckets_on_every_machine() -> None:
    assert cheats.words("Zipper zipper, LID") == (1286, 1785)
