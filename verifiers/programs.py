"""Tests of a program, built from its task's gold.

Every verifier of programs reads a gold in the same way. ``answer`` is the reference program and
``extra["tests"]`` has the official asserts; without ``tests``, ``answer`` and ``accepted`` are the asserts
and there is no reference. ``extra["setup"]`` runs between the program and the asserts, ``extra["pairs"]`` are
held-back calls with the reference's values, and ``extra["cpu_s"]`` is a program's CPU allowance if the
reference is slow. ``tests``, ``setup`` and ``pairs`` come from the task, never from the agent; they are only
parsed here, not run.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from verifiers.answer_text import make_verdict, unparsable
from verifiers.sandbox import Suite, suite_run
from verifiers.sandbox.limits import Limits
from verifiers.types import Evidence, Gold, Verdict


def build_suite(gold: Gold, *, pairs: Iterable[tuple[str, object]] = ()) -> Suite:
    """Build the test suite from a gold's official tests, plus ``pairs``."""
    asserts = tuple(gold.extra["tests"]) if "tests" in gold.extra else (gold.answer, *gold.accepted)
    reference = gold.answer if "tests" in gold.extra else ""
    given_pairs = tuple(pairs)
    setup = str(gold.extra.get("setup", "")).replace("\r\n", "\n")
    names, modules = _names([setup, *asserts, *(call for call, _ in given_pairs)], reference=reference)
    imports = "".join(f"import {module}\n" for module in modules)
    return Suite(names=names, setup=imports + setup, asserts=asserts, pairs=given_pairs)


@dataclass(frozen=True)
class Judged:
    """Two verdicts on one run: ``official`` covers the asserts alone, ``strict`` the pairs as well."""

    official: Verdict
    strict: Verdict


def program_judge(gold: Gold, evidence: Evidence, *, pairs: Iterable[tuple[str, object]] = ()) -> Judged:
    """Run the program, which must pass every test; ``score`` is the share of tests that it passes.

    A program that passes its asserts and then hangs or exits in the pairs still counts as passing its
    asserts.
    """
    if not isinstance(evidence.answer, str) or not evidence.answer.strip():
        return Judged(unparsable(), unparsable())
    suite = build_suite(gold, pairs=pairs)
    report = suite_run(evidence.answer, suite, limits=_limits(gold))
    return Judged(
        official=_verdict(suite, report.asserts, report.asserts_detail),
        strict=_verdict(suite, report.passed, report.detail),
    )


def _limits(gold: Gold) -> Limits | None:
    """Return the limits that a slow reference requires, or None for the default limits."""
    cpu_s = gold.extra.get("cpu_s")
    return None if cpu_s is None else Limits.of_program(int(cpu_s))


def _verdict(suite: Suite, passed: tuple[bool, ...], detail: str) -> Verdict:
    verdict = make_verdict(bool(passed) and all(passed), gold="; ".join(suite.asserts), answer=detail)
    return replace(
        verdict,
        score=sum(passed) / len(passed) if passed else 0.0,
        metrics={"passed": float(sum(passed)), "tests": float(len(passed))},
    )


def _names(sources: list[str], *, reference: str) -> tuple[list[str], list[str]]:
    """Return the names that the tests take from the program, and the modules that they take from Python.

    A builtin belongs to the program only if the reference defines it, or if nothing else could be under test
    (MBPP has functions called ``sum``); otherwise a program could bring its own ``set`` or ``len``.
    """
    trees = [ast.parse(source) for source in sources]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    loaded = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    used = list(dict.fromkeys(loaded))
    own = {name for tree in trees for name in _bound(tree)}
    defined = _defined(reference)
    unknown = [name for name in used if name not in own and (name in defined or not hasattr(builtins, name))]
    modules = [name for name in unknown if name in sys.stdlib_module_names and name not in defined]
    names = [name for name in unknown if name not in modules]
    # Otherwise the function under test is the outermost one that the first assert calls.
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    called = [function.id for function in calls if isinstance(function, ast.Name)]
    return names or called[:1], modules


def _bound(tree: ast.AST) -> Iterator[str]:
    """Yield the names that the code itself binds, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]


def _defined(reference: str) -> set[str]:
    """Return the names that the reference program defines at its top level, except imports."""
    names: set[str] = set()
    for statement in ast.parse(reference.replace("\r\n", "\n")).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif not isinstance(statement, ast.Import | ast.ImportFrom):
            names.update(_bound(statement))
    return names
