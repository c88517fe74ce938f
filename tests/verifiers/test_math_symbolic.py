"""Comparisons by math-verify: the same verdict whatever ran before, within a bound."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import math_verify
import pytest
from sympy.core import random

from verifiers import registry
from verifiers.mathtext import symbolic
from verifiers.types import Evidence, Gold

registry.discover()

SUM = r"\sum_{k=0}^{n} a_k b_k"
SAME_SUM = r"\sum_{k=0}^{n} b_k a_k"


def is_correct(gold: str, answer: str) -> bool:
    return registry.run("math-v1", gold=Gold(gold), evidence=Evidence(answer)).correct


def test_sums_are_compared_by_value_each_time_alike() -> None:
    others = [(r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}"), (r"\int_0^1 x^2 dx", r"\frac{1}{3}")]
    verdicts = [(is_correct(SUM, SAME_SUM), *(is_correct(*pair) for pair in others)) for _ in range(4)]
    assert verdicts == [(True, True, True)] * 4
    assert not is_correct(SUM, r"\sum_{k=0}^{n} a_k")


def unsteady_by_chance() -> Iterator[bool]:
    while True:
        yield random.random() < 0.5


@pytest.mark.parametrize("verdicts", [unsteady_by_chance(), itertools.cycle([True, False])])
def test_what_sympy_remembers_changes_no_verdict(monkeypatch: Any, verdicts: Iterator[bool]) -> None:
    """A stand-in that decides by sympy's random points, or by a counter of the process."""
    monkeypatch.setattr(math_verify, "verify", lambda *_args, **_named: next(verdicts))
    assert len({is_correct(SUM, SAME_SUM) for _ in range(12)}) == 1


def test_a_comparison_without_end_is_ended_and_not_equal(monkeypatch: Any) -> None:
    monkeypatch.setattr(symbolic, "CPU_S", 1)
    monkeypatch.setattr(math_verify, "verify", lambda *_args, **_named: all(itertools.repeat(1)))
    started = os.times().children_user
    assert not is_correct(SUM, SAME_SUM)
    assert os.times().children_user - started < 3


def test_a_comparison_that_fails_is_not_equal(monkeypatch: Any) -> None:
    def fail(*_args: Any, **_named: Any) -> bool:
        raise SystemExit(3)

    monkeypatch.setattr(math_verify, "verify", fail)
    assert not is_correct(SUM, SAME_SUM)
