"""Which values of a program count as the reference's."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from verifiers.sandbox.inside.values import decode, encode, is_same

TOLERANCE = 1e-6
INF, NAN = float("inf"), float("nan")
FINITE = (0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, 0, 7, -(10**30), 10**400, True)
NESTED = {
    "bare": lambda value: value,
    "list": lambda value: [1, value],
    "tuple": lambda value: (value, "x"),
    "value of a dictionary": lambda value: {"k": value},
    "key": lambda value: {value: 1},
    "element of a set": lambda value: {value},
    "element of a frozen set": lambda value: frozenset({value}),
    "tuple in a set": lambda value: {(1, value)},
    "deep": lambda value: [({"k": [value]},)],
}


def reaches(value: Any) -> Any:
    """The value as it reaches the checker."""
    return decode(encode(value, _refused), _refused)


def _refused(value: Any) -> Any:
    raise ValueError(value)


@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("special", [INF, -INF, NAN, Decimal("inf"), Decimal("-inf"), Decimal("nan"),
                                     complex(INF, 0), complex(0, NAN)], ids=repr)  # fmt: skip
def test_a_special_value_is_the_same_as_itself_alone(special: Any, nested: Any) -> None:
    def same(value: Any, expected: Any) -> bool:
        return is_same(reaches(nested(value)), reaches(nested(expected)), TOLERANCE)

    assert same(special, special)
    for other in FINITE:
        assert not same(other, special)
        assert not same(special, other)


@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (INF, -INF),
        (INF, NAN),
        (-INF, NAN),
        (complex(INF, 0), complex(NAN, 0)),
        (complex(1, NAN), complex(2, NAN)),
        (Decimal("inf"), Decimal("nan")),
    ],
    ids=repr,
)
def test_special_values_are_not_each_other(one: Any, other: Any, nested: Any) -> None:
    assert not is_same(nested(one), nested(other), TOLERANCE)
    assert not is_same(nested(other), nested(one), TOLERANCE)


@pytest.mark.parametrize(
    ("value", "expected", "is_right"),
    [
        (1.0, 1.0 + 1e-9, True),
        (1.0, 1.001, False),
        (1e300, 1e300 * (1 + 1e-9), True),
        (3.0, 3, True),
        (2.9999999999, 3, True),
        (3, 3.0, True),
        (1, 1 + 0j, True),
        ([0.1 + 0.2], [0.3], True),
        ({"k": (0.1 + 0.2,)}, {"k": (0.3,)}, True),
        ({0.1 + 0.2}, {0.3}, False),
        ([1.0], (1.0,), False),
        ({1, 2}, frozenset({1, 2}), True),
        ({NAN}, {NAN, 1.0}, False),
        ({NAN: 1}, {NAN: 2}, False),
        ("inf", INF, False),
        (None, NAN, False),
    ],
)
def test_finite_floats_have_a_tolerance_and_the_rest_is_pythons(
    value: Any, expected: Any, is_right: bool
) -> None:
    assert is_same(value, expected, TOLERANCE) is is_right
