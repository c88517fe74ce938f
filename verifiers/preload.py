"""Modules that the forkserver imports once, so that children start with heavy libraries in shared memory.

The first parse fills the LaTeX grammar's tables (0.3 s), and the first verdicts compile patterns; children
that are forked afterwards share the results.
"""

from __future__ import annotations

import gc
import logging

from core.telemetry import garbage
from verifiers import registry
from verifiers.types import Evidence, Gold

FORMULAS = (
    r"$\frac{1}{2} + \sqrt{x^2}$",
    r"$\begin{pmatrix} 1 \\ 2 \end{pmatrix}$",
    r"$x \in (0, 1]$",
    r"$\sum_{k=1}^{n} a_k b_k$",
    r"$\prod_{k=1}^{n} \frac{k^2}{k + 1}$",
    r"$\int_0^1 x^2 \, dx + \lim_{x \to 0} \sin x$",
)


def _grammar_fill() -> None:
    import math_verify

    for formula in FORMULAS:
        math_verify.verify(
            math_verify.parse(formula, parsing_timeout=None),
            math_verify.parse(formula, parsing_timeout=None),
            timeout_seconds=None,
        )


def _verifiers_try() -> None:
    registry.discover()
    for plugin in map(registry.VERIFIERS.get, registry.VERIFIERS):
        for example in plugin.examples:
            if not registry.is_sandboxed(plugin.id, dataset=example.extra.get("dataset")):
                plugin.check(Gold(example.gold, extra=example.extra), Evidence(example.answer))


with garbage.loading():
    # math_verify warns at each call that its own timeout is off; we apply a timeout of our own.
    logging.disable(logging.CRITICAL)
    _grammar_fill()
    _verifiers_try()
    gc.collect()
