"""Formulas beyond our grammar (sums, integrals, matrix arithmetic), compared by math-verify and sympy.

math-verify (huggingface/Math-Verify) reads LaTeX by a grammar, not by evaluating it, but leniently, so it
sees only formulas without prose that use what our grammar lacks.

Its verdict may depend on what its process did before: sympy draws random points from a generator that every
call moves on, numbers its dummy variables from one counter, and keeps caches by which it decides; parser and
simplifier swallow whatever goes wrong in them. So each comparison runs in a fork of its own, from the same
state and with the same seed, and is bounded by its processor time: a busy machine changes no verdict.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
from collections.abc import Callable
from contextlib import suppress

CPU_S = 4
"""Processor seconds of one comparison, after which the two count as different; most take 0.05."""
SEED = 0
PR_SET_PDEATHSIG = 1
EQUAL = b"="
BEYOND = re.compile(
    r"\\(?:sum|prod|int|lim|cdots|ldots|dots|begin|det|vec|hat|nabla|partial|mathbb|mathcal|bmod|pmod)(?![A-Za-z])"
)
PROSE = re.compile(r"(?<!\\)\b[A-Za-z]{3,}\b")
ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[a-z]*\}|\\[A-Za-z]+")


def is_beyond_grammar(text: str) -> bool:
    """Return whether the text is a formula, without prose, that only math-verify can read."""
    return bool(BEYOND.search(text)) and not PROSE.search(ENVIRONMENT.sub(" ", text))


def same_by_math_verify(gold: str, answer: str) -> bool:
    """Return whether math-verify reads both as formulas and finds them equal."""
    import math_verify  # noqa: F401 (1.3 s to import: children have it preloaded; here, so that no fork needs to)

    return _holds_in_fork(lambda: _compare(gold, answer))


def _compare(gold: str, answer: str) -> bool:
    import math_verify
    from sympy.core import random

    random.seed(SEED)
    config = [math_verify.LatexExtractionConfig()]
    parsed = [
        math_verify.parse(f"${text}$", config, fallback_mode="no_fallback", parsing_timeout=None)
        for text in (gold, answer)
    ]
    return all(parsed) and bool(math_verify.verify(parsed[0], parsed[1], timeout_seconds=None))


def _holds_in_fork(claim: Callable[[], bool]) -> bool:
    """Evaluate the claim in a copy of this process; False where the copy runs out of time or fails."""
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if not child:
        with suppress(BaseException):  # whatever is raised in a copy must not run the code of the original
            _bound(parent)
            if claim():
                os.write(writer, EQUAL)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        reply = pipe.read()
    os.waitpid(child, 0)
    return reply == EQUAL


def _bound(parent: int) -> None:
    """End with the original, and after ``CPU_S`` even inside a long C loop."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    if os.getppid() != parent:
        os._exit(0)
