"""Limits on a submitted program's cost. They are not settings: scores depend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

CANDIDATE_MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of a program, which cannot fork, so this is its whole memory."""

HOME_BYTES = 32 * 1024 * 1024
"""Size of the files in a program's home."""

HOME_FILES = 4_096
"""Files, folders and links in it: each takes about a kilobyte of the kernel's memory besides its content."""

GROUP_MEMORY_BYTES = CANDIDATE_MEMORY_BYTES + HOME_BYTES + 96 * 1024 * 1024
"""Memory of a sandbox's cgroup: the limits above, the kernel's share, bubblewrap; more ends it."""

GROUP_PROCESSES = 96
"""Processes and threads in it: 64 of the program, and bubblewrap's."""

GROUP_CPU_WEIGHT = 50
"""The group's weight when the processor is busy; other groups have 100."""

OUTPUT_BYTES = 10_000
"""Bytes stored of a program's output; the rest is read and dropped."""

REPORT_BYTES = 4 * 1024 * 1024
"""Bytes read of a checker's report."""

PROGRAM_CHARS = 64 * 1024
"""Characters of a program; a longer one is not run."""


@dataclass(frozen=True)
class Limits:
    """Seconds of CPU time, of the program's own time (``clock.ProgramClock``) and of wall-clock time once the
    candidate is ready, and until it is ready.

    A program that uses up one of the first two is out of time. ``wall_s`` is a backstop: a program that it
    stops was held up by the machine, unless it has used a good part of its own time. A run ends within
    ``wall_s`` plus twice ``start_s``.
    """

    cpu_s: int = 8
    own_s: float = 10.0
    wall_s: float = 30.0
    start_s: float = 10.0

    @classmethod
    def of_program(cls, cpu_s: int) -> Limits:
        """Return the limits of a task whose programs may take ``cpu_s``."""
        return cls(cpu_s=cpu_s, own_s=cpu_s + cls.own_s - cls.cpu_s)


REFERENCE_TIMES = 10
"""Allowance of a program as a multiple of the reference program's own time, at least ``Limits.cpu_s``."""

CPU_MAX_S = 20
"""The most CPU seconds that a slow reference program can earn others."""


def cpu_allowed_s(reference_s: float) -> int | None:
    """Return the CPU seconds for a task whose reference took ``reference_s``; None for the default."""
    allowed = min(CPU_MAX_S, math.ceil(REFERENCE_TIMES * reference_s))
    return allowed if allowed > Limits.cpu_s else None
