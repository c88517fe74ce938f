from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from palaestra.errors import PalaestraError
from palaestra.evaluation.cells import Cell, Series
from palaestra.evaluation.looks import AXES, Look, looks_make
from palaestra.evaluation.plan import planned_arm_read
from palaestra.evaluation.planted_gap import PlantedGap, PlantedPolicy, planted_read
from palaestra.observation import Observation
from palaestra.policies import EpisodeInfo, Solution
from palaestra.records import Task

ITEMS, SAMPLES, LOOKS = 1_500, 4, 12
GAP = PlantedGap(
    name="seventeen",
    accuracy=0.8,
    deficits={"text_agent": 6, "gym_with_text": 2, "gym": 9, "pixels": 4},
    look_share=0.0,
)
FACTORS = {name: axis.values for name, axis in AXES.items()}


def planted(gap: PlantedGap, *, tasks: int = ITEMS, looks: Sequence[Look] = ()) -> PlantedPolicy:
    made = {number: Task(id=number, benchmark="b", key="") for number in range(tasks)}
    solutions = {number: Solution(task=number, answer="42") for number in made}
    return PlantedPolicy(gap, solutions=solutions, tasks=made, looks=looks or looks_of(), cells={})


def looks_of() -> list[Look]:
    return looks_make("latin", count=LOOKS, factors=FACTORS, seed=1)


def scores(policy: PlantedPolicy, arm: str, *, retest: bool = False) -> list[float]:
    """The mean of each item's samples."""
    series = Series(benchmark="b", planned=planned_arm_read(arm), retest=retest)
    return [
        fmean(
            policy.is_right(
                Cell(
                    series=series,
                    task=task,
                    sample=sample,
                    look=(task + sample) % LOOKS if arm.startswith("gym") else None,
                )
            )
            for sample in range(SAMPLES)
        )
        for task in range(ITEMS)
    ]


@pytest.mark.parametrize(
    ("arm", "accuracy"),
    [
        ("text_zero_shot", 0.80),
        ("text_agent", 0.74),
        ("gym_with_text", 0.72),
        ("gym", 0.63),
        ("gym:som", 0.59),
    ],
)
def test_each_arm_has_the_accuracy_that_was_planted(arm: str, accuracy: float) -> None:
    assert GAP.find_accuracy(planned_arm_read(arm)) == pytest.approx(accuracy)
    items = scores(planted(GAP), arm)
    assert abs(fmean(items) - accuracy) < 3 * stdev(items) / ITEMS**0.5


def test_items_are_as_hard_in_one_arm_as_in_another_and_a_retest_is_drawn_anew() -> None:
    policy = planted(GAP)
    text, page, again = (
        scores(policy, "text_zero_shot"),
        scores(policy, "gym"),
        scores(policy, "text_zero_shot", retest=True),
    )
    paired = stdev(one - other for one, other in zip(text, page, strict=True))
    assert paired < 0.8 * (stdev(text) ** 2 + stdev(page) ** 2) ** 0.5
    assert again != text
    assert abs(fmean(again) - fmean(text)) < 0.03


def test_what_a_look_costs_moves_no_mean() -> None:
    looks = looks_of()
    gap = PlantedGap(name="mono", accuracy=0.7, looks={"font": {"mono": 30}}, look_share=0.0)
    policy = planted(gap, looks=looks)
    series = Series(benchmark="b", planned=planned_arm_read("gym"))

    def accuracy(font: str) -> float:
        return fmean(
            policy.is_right(Cell(series=series, task=task, sample=0, look=place))
            for place, look in enumerate(looks)
            if look["font"] == font
            for task in range(ITEMS)
        )

    assert accuracy("sans") - accuracy("mono") == pytest.approx(0.3, abs=0.03)
    assert fmean(map(accuracy, ("sans", "serif", "mono"))) == pytest.approx(0.7, abs=0.03)


async def test_an_answer_is_right_or_wrong_as_it_was_drawn() -> None:
    policy = planted(GAP, tasks=40)
    outcomes = set()
    for task in range(40):
        series = Series(benchmark="b", planned=planned_arm_read("text_zero_shot"))
        cell = Cell(series=series, task=task, sample=0)
        policy._cells = {task: cell}
        info = EpisodeInfo(
            id=task, task=task, arm="text_zero_shot", step=1, max_steps=1, sample_index=0, memory={}
        )
        reply = await policy.act(Observation(kind="text"), info)
        assert (reply or "").endswith("Answer: 42") == policy.is_right(cell)
        outcomes.add(policy.is_right(cell))
    assert outcomes == {True, False}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"accuracy": 0.05}, "between 0 and 1"),
        ({"deficits": {"gmy": 3}}, "is not a rung"),
        ({"item_share": 0.9, "look_share": 0.2}, "share of the variance"),
        ({"accuracies": 1}, "unknown field"),
        ({"looks": {"fnt": {"mono": 3}}}, "there is no look with"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "gap.json"
    path.write_text(json.dumps({"name": "n", "accuracy": 0.8, "deficits": {"gym": 9}, **fields}))
    with pytest.raises(PalaestraError, match=message):
        planted_read(path)


def test_golds_must_cover_the_items() -> None:
    with pytest.raises(PalaestraError, match="do not include task 3"):
        PlantedPolicy(
            GAP, solutions={}, tasks={3: Task(id=3, benchmark="b", key="")}, looks=looks_of(), cells={}
        )
