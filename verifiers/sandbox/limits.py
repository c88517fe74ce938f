"""Limits on what a submitted program may cost. They are not settings: scores depend on them."""

from __future__ import annotations

from dataclasses import dataclass

CANDIDATE_MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of a program; it cannot fork, so this is all of it."""

OUTPUT_BYTES = 10_000
"""Bytes kept of what a program prints; the rest is read and dropped."""

REPORT_BYTES = 4 * 1024 * 1024
"""Bytes kept of a checker's report."""

PROGRAM_CHARS = 64 * 1024
"""Characters of a program; a longer one is not run."""


@dataclass(frozen=True)
class Limits:
    """Seconds: of processor time, of wall clock once the candidate is there, and for it to get there.

    A run has ended after ``wall_s``, and after 2 ``start_s`` more on a machine where nothing will start.
    """

    cpu_s: int = 8
    wall_s: float = 10.0
    start_s: float = 10.0
