"""Coefficients against published values, and against the libraries of the field on the same data.

``library_values.json`` has made-up ratings with the results of krippendorff 0.9.0, irrCAC 0.4.4 (five digits)
and NLTK 3.10.4; of the last with equal sets at distance 0, since it divides by zero for two empty ones.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trajectories.annotation.agreement import coefficients
from trajectories.annotation.agreement.coefficients import Ratings

LIBRARIES = json.loads(Path(__file__).with_name("library_values.json").read_text())

# Krippendorff 2011, section C: four observers, twelve units, five categories. 0.743 nominal.
KRIPPENDORFF = [
    "12332141 2...".replace(" ", ""),
    "123322412 5.3".replace(" ", ""),
    ".33323422 51.".replace(" ", ""),
    "123324412 51.".replace(" ", ""),
]
# Gwet 2002, Kappa statistic is not satisfactory: 125 subjects, two raters. Kappa is below 0, AC1 0.9408.
GWET = [["1", "1"]] * 118 + [["1", "2"]] * 5 + [["2", "1"]] * 2


def ratings(
    rows: Sequence[Sequence[Any]], values: Sequence[Any], clusters: Sequence[Hashable] = ()
) -> Ratings:
    counts = np.array([[row.count(value) for value in values] for row in rows], dtype=float)
    distances = coefficients.nominal_distances(len(values))
    return Ratings(counts=counts, distances=distances, clusters=clusters or range(len(rows)))


def alpha(made: Ratings) -> float | None:
    return made.estimate(coefficients.alpha(made.distances)).value


def test_alpha_of_krippendorffs_own_example() -> None:
    units = [list(unit) for unit in zip(*KRIPPENDORFF, strict=True)]
    assert alpha(ratings(units, "12345")) == pytest.approx(0.743, abs=5e-4)


def test_ac1_stays_high_where_nearly_all_answers_are_the_same() -> None:
    made = ratings(GWET, "12")
    assert made.estimate(coefficients.raw_agreement).value == pytest.approx(118 / 125)
    assert made.estimate(coefficients.ac1).value == pytest.approx(0.9408, abs=5e-5)
    assert alpha(made) < 0


@pytest.mark.parametrize("case", LIBRARIES["nominal"])
def test_alpha_and_ac1_are_those_of_the_libraries(case: dict[str, Any]) -> None:
    made = ratings(case["rows"], case["categories"])
    assert alpha(made) == pytest.approx(case["alpha"])
    assert made.estimate(coefficients.ac1).value == pytest.approx(case["ac1"], abs=6e-6)


@pytest.mark.parametrize("case", LIBRARIES["sets"])
def test_alpha_of_sets_is_that_of_nltk_with_masi(case: dict[str, Any]) -> None:
    rows = [[None if one is None else frozenset(one) for one in row] for row in case["rows"]]
    sets = sorted({one for row in rows for one in row if one is not None}, key=sorted)
    counts = np.array([[row.count(one) for one in sets] for row in rows], dtype=float)
    made = Ratings(counts=counts, distances=coefficients.masi_distances(sets), clusters=range(len(rows)))
    assert alpha(made) == pytest.approx(case["alpha"])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", 0.0),
        ("ab", "ab", 0.0),
        ("", "a", 1.0),
        ("a", "b", 1.0),
        ("a", "ab", 2 / 3),
        ("ab", "bc", 8 / 9),
    ],
)
def test_masi_tells_subsets_from_overlaps(one: str, other: str, expected: float) -> None:
    assert coefficients.masi_distance(frozenset(one), frozenset(other)) == pytest.approx(expected)


def test_positive_agreement_of_two_raters_is_twice_both_over_all() -> None:
    rows = [["n", "n"]] * 80 + [["y", "y"]] * 12 + [["y", "n"]] * 5 + [["n", "y"]] * 3
    made = ratings(rows, "ny")
    assert made.estimate(coefficients.positive_agreement).value == pytest.approx(24 / 32)
    assert made.estimate(coefficients.prevalence).value == pytest.approx(16 / 100)


def test_what_cannot_be_computed_is_none_and_not_one() -> None:
    assert alpha(ratings([["a", "a"]] * 9, "ab")) is None
    single = ratings([["a"]] * 9, "ab")
    assert (alpha(single), single.pairs) == (None, 0)
    assert single.estimate(coefficients.raw_agreement).value is None


def test_intervals_draw_whole_trajectories() -> None:
    rows = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]] * 25
    by_unit = ratings(rows, "ab").estimate(coefficients.raw_agreement)
    alone = ratings(rows, "ab", ["one"] * 100).estimate(coefficients.raw_agreement)
    lumps = [place // 25 for place in range(100)]
    same = sorted(rows)
    by_lump = ratings(same, "ab", lumps).estimate(coefficients.raw_agreement)
    assert alone.low is None
    assert by_unit.low < 0.75 < by_unit.high
    assert by_lump.high - by_lump.low > by_unit.high - by_unit.low
