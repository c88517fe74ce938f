from __future__ import annotations

import itertools

from tests import coverage_choice

SIDES = ("abcde", (400, 1280), ("light", "dark"), (100, 125, 150))


def test_every_value_is_met_in_as_few_cases_as_the_longest_side_has() -> None:
    cases = coverage_choice.values(*SIDES, is_whole=False)
    assert len(cases) == 5
    assert [set(met) for met in zip(*cases, strict=True)] == [set(side) for side in SIDES]


def test_any_two_values_meet_in_fewer_cases_than_there_are() -> None:
    cases = coverage_choice.pairs(*SIDES, is_whole=False)
    assert len(cases) < 20 < len(coverage_choice.pairs(*SIDES, is_whole=True))
    for one, other in itertools.combinations(range(len(SIDES)), 2):
        assert {(case[one], case[other]) for case in cases} == set(
            itertools.product(SIDES[one], SIDES[other])
        )


def test_the_whole_is_every_case_once() -> None:
    every = list(itertools.product(*SIDES))
    assert (
        coverage_choice.values(*SIDES, is_whole=True) == every == coverage_choice.pairs(*SIDES, is_whole=True)
    )
