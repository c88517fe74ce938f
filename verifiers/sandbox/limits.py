"""Limits on a submitted program's cost. They are constants, not settings, because scores depend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

CANDIDATE_MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of a program. Since a program cannot fork, this limits all the memory that it uses."""

HOME_BYTES = 32 * 1024 * 1024
"""Most bytes of all files in a program's home folder."""

HOME_FILES = 4_096
"""Most files, folders and links in a program's home folder; each costs about a kilobyte of kernel memory."""

GROUP_MEMORY_BYTES = CANDIDATE_MEMORY_BYTES + HOME_BYTES + 96 * 1024 * 1024
"""Memory after which a sandbox's cgroup is killed: the limits above, the kernel's share, bubblewrap."""

GROUP_PROCESSES = 96
"""Most processes and threads in a sandbox's cgroup: 64 of the program, plus bubblewrap's."""

GROUP_CPU_WEIGHT = 50
"""CPU weight of a sandbox's cgroup when the CPU is busy; other groups have 100."""

OUTPUT_BYTES = 10_000
"""Most bytes stored of a program's output; the rest is read and dropped."""

REPORT_BYTES = 4 * 1024 * 1024
"""Most bytes read of a checker's report."""

PROGRAM_CHARS = 64 * 1024
"""Most characters of a program; a longer one is not run."""


@dataclass(frozen=True)
class Limits:
    """Time limits of a program, in seconds.

    ``cpu_s`` limits its CPU time, ``own_s`` its own time (see ``observation.ProgramClock``) and ``wall_s``
    its wall-clock time, all counted from when the candidate is ready; ``start_s`` limits the time until then.
    A program that uses up ``cpu_s`` or ``own_s`` is out of time. ``wall_s`` is a backstop: a program that it
    stops was held up by the machine, unless it has used a good part of its own time. A run ends within
    ``wall_s`` plus twice ``start_s``.
    """

    cpu_s: int = 8
    own_s: float = 10.0
    wall_s: float = 30.0
    start_s: float = 10.0

    @classmethod
    def of_program(cls, cpu_s: int) -> Limits:
        """Return the limits for a task whose programs may use ``cpu_s`` seconds of CPU time."""
        return cls(cpu_s=cpu_s, own_s=cpu_s + cls.own_s - cls.cpu_s)


REFERENCE_TIMES = 10
"""A program's CPU allowance as a multiple of the reference's own time; ``Limits.cpu_s`` is the minimum."""

CPU_MAX_S = 20
"""Most CPU seconds that a program is allowed, however slow the reference program is."""


def cpu_allowed_s(reference_s: float) -> int | None:
    """Return a task's CPU allowance in seconds, given its reference's time; None for the default limits."""
    allowed = min(CPU_MAX_S, math.ceil(REFERENCE_TIMES * reference_s))
    return allowed if allowed > Limits.cpu_s else None
