"""Formulas beyond our grammar (sums, integrals, matrix arithmetic), compared by math-verify and sympy.

math-verify (huggingface/Math-Verify) parses LaTeX by a grammar and does not evaluate it, but it is lenient,
so it is only given formulas that contain no prose and that our grammar cannot parse.

Its verdict may depend on earlier calls in the same process: sympy draws random points from one generator,
numbers its dummy variables with one counter, and keeps caches that affect its decisions, while parser and
simplifier swallow their errors. Each comparison therefore runs in its own fork, from the same state and with
the same seed. The fork's limit is on CPU time, so a busy machine does not change a verdict.
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
"""CPU seconds for one comparison, after which gold and answer count as different; most take 0.05."""
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
    import math_verify  # noqa: F401 (takes 1.3 s: imported before the fork, for all forks to share)

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
    """Evaluate the claim in a fork of this process; return False if the fork runs out of time or fails."""
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if not child:
        with suppress(BaseException):  # an exception must not return into the parent's code
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
    """Make this fork end with its parent, and after ``CPU_S`` seconds of CPU time even inside a C loop."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    if os.getppid() != parent:
        os._exit(0)
