"""What the client's simulated policy draws, the report's estimators find again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from palaestra.evaluation.cells import Cell, Series
from palaestra.evaluation.looks import AXES, looks_make
from palaestra.evaluation.plan import LADDER, PlannedArm, planned_arm_read
from palaestra.evaluation.planted_gap import PlantedGap, PlantedPolicy
from palaestra.policies import Solution
from palaestra.records import Task
from trajectories.reports.estimators import accuracy, gaps
from trajectories.reports.estimators.answers import NO_LOOK, Answers

ITEMS, SAMPLES, EVALUATIONS = 40, 8, 80
LOOKS = looks_make("latin", count=SAMPLES, factors={name: axis.values for name, axis in AXES.items()}, seed=1)
TASKS = {number: Task(id=number, benchmark="b", key="") for number in range(ITEMS)}
SOLUTIONS = {number: Solution(task=number, answer="42") for number in TASKS}
ARMS = [planned_arm_read(arm) for arm in LADDER]


def answers(policy: PlantedPolicy, arm: PlannedArm) -> Answers:
    """Every item in every look, where the arm has a page."""
    series = Series(benchmark="b", planned=arm)
    places = list(itertools.product(range(ITEMS), range(SAMPLES)))
    looks = [(item + sample) % SAMPLES if series.arm.has_page else None for item, sample in places]
    correct = [
        policy.is_right(Cell(series=series, task=item, sample=sample, look=look))
        for (item, sample), look in zip(places, looks, strict=True)
    ]
    return Answers(
        item=np.array([item for item, _ in places]),
        look=np.array([NO_LOOK if look is None else look for look in looks]),
        correct=np.array(correct, dtype=np.float64),
    )


@pytest.mark.slow
def test_planted_accuracies_and_rungs_lie_within_their_intervals() -> None:
    held: dict[str, list[bool]] = {"accuracy": [], "gap": []}
    for seed in range(EVALUATIONS):
        gap = PlantedGap(
            name="g", accuracy=0.8, deficits={"text_agent": 6, "gym_with_text": 2, "gym": 13}, seed=seed
        )
        policy = PlantedPolicy(gap, solutions=SOLUTIONS, tasks=TASKS, looks=LOOKS, cells={})
        drawn = {arm: answers(policy, arm) for arm in ARMS}
        for arm in ARMS:
            estimate = accuracy.accuracy(drawn[arm], alpha=0.05)
            held["accuracy"].append(estimate.low <= gap.find_accuracy(arm) <= estimate.high)  # type: ignore[operator]
        for a, b in (*itertools.pairwise(ARMS), (ARMS[0], ARMS[-1])):
            pair = gaps.pair_of(drawn[a], drawn[b])
            assert pair is not None
            estimate = gaps.gap(pair, alpha=0.05)
            planted = gap.find_accuracy(a) - gap.find_accuracy(b)
            held["gap"].append(estimate.low <= planted <= estimate.high)  # type: ignore[operator]

    # The targets are 95%; a share of so many, not independent of each other, is off by some 2 points.
    assert 0.90 <= np.mean(held["accuracy"]) <= 0.99
    assert 0.90 <= np.mean(held["gap"]) <= 0.99
