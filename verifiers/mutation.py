"""Held-back inputs for a programming task: calls mutated from its asserts, with the reference's values.

Mutations are mild, because a task's text does not specify its valid inputs. Values change, while types,
signs, lengths and dictionary keys stay the same, as does a number that equals the length of another argument.
Calls are left out if the reference raises on them or does not return plain data. A task has no held-back
inputs if its reference does not terminate on one of them, or returns different values under another hash
seed.
"""

from __future__ import annotations

import ast
import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from core.errors import GymError
from verifiers.programs import build_suite
from verifiers.sandbox import Report, Suite, suite_run
from verifiers.sandbox.limits import CPU_MAX_S, Limits
from verifiers.types import Gold

PAIRS = 20
TRIES = 400
HASH_SEEDS = (0, 1)
ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, "123456789")
UNORDERED = frozenset({"set", "frozenset", "dict"})


class ReferenceFails(GymError):
    """The reference program does not pass its own asserts."""


@dataclass(frozen=True)
class HeldBack:
    """Calls with their values in JSON, for ``extra["pairs"]``; empty if the reference is not deterministic.

    ``reference_s`` is the time in seconds that the slower of the reference's two runs used itself.
    """

    pairs: list[tuple[str, Any]]
    reference_s: float = 0.0
    is_deterministic: bool = True


def held_back(gold: Gold, *, seed: int, count: int = PAIRS) -> HeldBack:
    """Make up to ``count`` pairs of a mutated call and its value, by running the reference in the sandbox
    twice.

    Raises ``ReferenceFails`` and ``SandboxMissing``.
    """
    suite = build_suite(gold)
    calls = _mutate_calls(suite, random.Random(seed), count=2 * count)
    runs = [_run(gold.answer, suite, calls, hash_seed=seed) for seed in HASH_SEEDS]
    slower_s = max(run.own_s for run in runs)
    first, second = (run.values or tuple([] for _ in calls) for run in runs)
    if _sort([*first]) != _sort([*second]):
        return HeldBack([], slower_s, is_deterministic=False)
    pairs = [(call, value[0]) for call, value in zip(calls, first, strict=True) if value]
    return HeldBack(pairs[:count], slower_s)


def _sort(value: Any) -> Any:
    """Sort a JSON value's sets and dictionaries, since their order has no meaning."""
    if isinstance(value, list):
        return [_sort(item) for item in value]
    if isinstance(value, dict):
        return {
            tag: sorted(_sort(inner), key=json.dumps) if tag in UNORDERED else _sort(inner)
            for tag, inner in value.items()
        }
    return value


def _run(reference: str, suite: Suite, calls: list[str], *, hash_seed: int) -> Report:
    """Run the reference on its asserts and the calls, or on the asserts alone if some call never ends."""
    for given, limits in ((replace(suite, calls=calls), None), (suite, Limits.of_program(CPU_MAX_S))):
        report = suite_run(reference, given, limits=limits, hash_seed=hash_seed)
        if report.is_pass:
            return report
    raise ReferenceFails("reference_fails", f"The reference program fails its own tests: {report.detail}")


def _mutate_calls(suite: Suite, rng: random.Random, *, count: int) -> list[str]:
    """Make distinct new calls by mutating those asserts whose arguments are literals."""
    known = [call for test in suite.asserts if (call := _call(test, suite.names))]
    if not known:
        return []
    taken = {ast.unparse(call) for call in known}
    calls: list[str] = []
    for _ in range(TRIES):
        call = rng.choice(known)
        given = [ast.literal_eval(argument) for argument in call.args]
        index = rng.randrange(len(given))
        given[index] = _change(given[index], rng, lengths=set(_lengths(given)))
        text = f"{ast.unparse(call.func)}({', '.join(map(repr, given))})"
        if text not in taken and len(calls) < count:
            taken.add(text)
            calls.append(text)
    return calls


def _call(test: str, names: Any) -> ast.Call | None:
    """Find the call under test: the first call of a function of the program with only literal arguments."""
    for node in ast.walk(ast.parse(test)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names):
            continue
        try:
            for argument in node.args:
                ast.literal_eval(argument)
        except ValueError:
            continue
        return node if node.args and not node.keywords else None
    return None


def _lengths(value: Any) -> Iterator[int]:
    if isinstance(value, str | list | tuple | set | dict):
        yield len(value)
        if not isinstance(value, str):
            for item in value:
                yield from _lengths(item)


def _change(value: Any, rng: random.Random, *, lengths: set[int]) -> Any:
    """Change a value mildly to another of its type; return it unchanged if no such change is known."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if value in lengths or value in (0, 1) else _move(value, rng)
    if isinstance(value, float):
        return round(value * rng.uniform(0.5, 1.5), 2)
    if isinstance(value, str):
        return "".join(_letter(char, rng) if rng.random() < 0.5 else char for char in value)
    if isinstance(value, list | tuple) and value:
        return _rearrange(value, rng, lengths=lengths)
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        return {**value, key: _change(value[key], rng, lengths=lengths)}
    return value


def _move(value: int, rng: random.Random) -> int:
    near = value + rng.choice((-2, -1, 1, 2, 3))
    return near if near * value > 0 else value


def _letter(char: str, rng: random.Random) -> str:
    """Draw another letter of the same alphabet; return other characters unchanged."""
    alphabet = next((alphabet for alphabet in ALPHABETS if char in alphabet), char)
    return rng.choice(alphabet) if alphabet != char else char


def _rearrange(value: list[Any] | tuple[Any, ...], rng: random.Random, *, lengths: set[int]) -> Any:
    """Change one item and keep the order, since many tasks expect sorted lists."""
    items = list(value)
    index = rng.randrange(len(items))
    changed = _change(items[index], rng, lengths=lengths)
    in_order = all(isinstance(item, int | float) for item in items) and items == sorted(items)
    items[index] = changed
    if in_order:
        items.sort()
    return items if isinstance(value, list) else tuple(items)
