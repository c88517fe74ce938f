r"""Free parameters: ``k`` in ``\frac{\pi}{4} + k\pi, k \in \mathbb{Z}`` may have any other name.

A letter is free where either side declares it (an integer, a constant, any number), adds it as a constant of
integration, or counts periods with it. Every other letter is the question's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import permutations
from typing import Any

from verifiers.mathtext import values
from verifiers.mathtext.expressions import Apply, Node, Number, Symbol, collect_symbols, replace_symbol
from verifiers.mathtext.forms import Form, Labelled, Listing, Scalar

COUNTERS = frozenset("kmnlj")
INTEGRATION = re.compile(r"C_\d")
ADDED = frozenset(["C", "c", "K", "k", "D"])
MAX_LETTERS = 3
PROBES = (Fraction(0), Fraction(1), Fraction(2))


def unify_names(gold: Form, answer: Form, free: dict[str, str]) -> Iterator[tuple[Form, Form]]:
    """Yield both forms with the same names for their free letters, for every way to pair the letters."""
    names = [collect_form_symbols(form) for form in (gold, answer)]
    ours, theirs = sorted(names[0] - names[1]), sorted(names[1] - names[0])
    if len(ours) != len(theirs) or len(ours) > MAX_LETTERS:
        return
    are_free = any(
        all(_is_free(name, form, free) for name in side) for side, form in ((ours, gold), (theirs, answer))
    )
    if not are_free and not _are_constants(ours, gold, theirs, answer):
        return
    for order in permutations(ours):
        renamed = answer
        for old, new in zip(theirs, order, strict=True):
            renamed = _map_nodes(renamed, partial(replace_symbol, name=old, by=Symbol(new)))
        yield gold, renamed
        integers = {
            new for old, new in zip(theirs, order, strict=True) if "Z" in (free.get(old), free.get(new))
        }
        integers |= {name for name in names[0] & names[1] if free.get(name) == "Z"}
        if len(integers) == 1 and _is_one_progression(gold) and _is_one_progression(renamed):
            reduced = partial(_reduce_progression, name=next(iter(integers)))
            yield _map_nodes(gold, reduced), _map_nodes(renamed, reduced)


def _is_one_progression(form: Form) -> bool:
    """Return whether the expressions are independent; in ``x = 3 + 7t, y = 2 - 5t`` they share ``t``."""
    if isinstance(form, Listing):
        labels = {item.label for item in form.items}
        return len(labels) == 1 and all(isinstance(item.form, Scalar) for item in form.items)
    return isinstance(form.form if isinstance(form, Labelled) else form, Scalar)


def collect_form_symbols(form: object) -> frozenset[str]:
    return frozenset().union(*map(collect_symbols, _nodes(form)))


def _is_free(name: str, form: Form, free: dict[str, str]) -> bool:
    if name in free or INTEGRATION.fullmatch(name):
        return True
    return _counts_periods(name, form)


def _are_constants(ours: list[str], gold: Form, theirs: list[str], answer: Form) -> bool:
    """Return whether both letters are constants of integration, as in ``x^2 + C`` and ``x^2 + k``.

    They must be added at the end, and one must be a capital, which a letter of the question would not be:
    ``mx + c`` and ``mx + b`` are lines through different points.
    """
    are_added = all(
        name in ADDED and _is_added(name, form)
        for side, form in ((ours, gold), (theirs, answer))
        for name in side
    )
    return are_added and len(ours) == 1 and any(name.isupper() for name in ours + theirs)


def _counts_periods(name: str, form: Form) -> bool:
    r"""Return whether the letter only counts fractions of a half turn, as in ``\frac{\pi}{4} + k\pi``."""
    half_turn = values.context.mpf(180) if _is_in_degrees(form) else values.context.pi
    steps = [_step(node, name) for node in _nodes(form) if name in collect_symbols(node)]
    return (
        name in COUNTERS
        and bool(steps)
        and all(step is not None and _is_rational(step / half_turn) for step in steps)
    )


def _is_in_degrees(form: object) -> bool:
    if isinstance(form, Scalar):
        return form.degrees
    if isinstance(form, tuple):
        return any(map(_is_in_degrees, form))
    return is_dataclass(form) and any(_is_in_degrees(getattr(form, field.name)) for field in fields(form))


def _is_rational(value: Any) -> bool:
    return any(
        values.same_value(value * divisor, Fraction(round(value * divisor))) for divisor in range(1, 13)
    )


def _is_added(name: str, form: Form) -> bool:
    """Return whether ``name`` is added at the end, like the constant in ``x^2 + C``."""
    return any(
        isinstance(node, Apply) and node.name == "add" and node.args[-1] == Symbol(name)
        for node in _nodes(form)
    )


def _step(node: Node, name: str) -> Any:
    """Return the slope of an expression in one letter, or None if it is not constant."""
    line = _linear(node, name)
    return None if line is None else values.inexact(line[1])


def _linear(node: Node, name: str) -> tuple[Any, Any] | None:
    if collect_symbols(node) != {name}:
        return None
    try:
        first, second, third = (values.evaluate(node, {name: probe}) for probe in PROBES)
    except values.Undefined:
        return None
    step = values.difference(second, first)
    is_linear = (
        values.is_real(first)
        and values.is_real(step)
        and values.same_value(values.difference(third, second), step)
    )
    return (first, step) if is_linear and not values.same_value(step, Fraction(0)) else None


def _reduce_progression(node: Node, name: str) -> Node:
    """Rewrite an arithmetic progression to start at its least non-negative term and ascend."""
    line = _linear(node, name)
    if line is None:
        return node
    step = abs(values.inexact(line[1]))
    turns = values.inexact(line[0]) / step
    nearest = round(turns)
    whole = nearest if values.same_value(turns, Fraction(nearest)) else math.floor(turns)
    shift = Number(Fraction(-whole if line[1] > 0 else whole))
    sign = Number(Fraction(1 if line[1] > 0 else -1))
    return replace_symbol(node, name, Apply("add", (Apply("mul", (sign, Symbol(name))), shift)))


def _nodes(form: object) -> Iterator[Node]:
    if isinstance(form, (Number, Symbol, Apply)):
        yield form
    elif isinstance(form, tuple):
        for item in form:
            yield from _nodes(item)
    elif is_dataclass(form):
        for field in fields(form):
            yield from _nodes(getattr(form, field.name))


def _map_nodes(form: Any, change: Callable[[Node], Node]) -> Any:
    """Apply a change to each of the form's expressions."""
    if isinstance(form, (Number, Symbol, Apply)):
        return change(form)
    if isinstance(form, tuple):
        return tuple(_map_nodes(item, change) for item in form)
    if is_dataclass(form) and not isinstance(form, type):
        return replace(
            form, **{field.name: _map_nodes(getattr(form, field.name), change) for field in fields(form)}
        )
    return form
