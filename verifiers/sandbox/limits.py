"""Limits on what a submitted program may cost. They are not settings: scores depend on them."""

from __future__ import annotations

from dataclasses import dataclass

CANDIDATE_MEMORY_BYTES = 512 * 1024 * 1024
"""Address space of a program, which cannot fork, so this is its whole memory."""

HOME_BYTES = 32 * 1024 * 1024
"""Content of the files in a program's home."""

HOME_FILES = 4_096
"""Files, folders and links in it: each takes about a kilobyte of the kernel's memory besides its content."""

GROUP_MEMORY_BYTES = CANDIDATE_MEMORY_BYTES + HOME_BYTES + 96 * 1024 * 1024
"""Memory of a sandbox's cgroup: the limits above, the kernel's share, bubblewrap; more ends it."""

GROUP_PROCESSES = 96
"""Processes and threads in it: 64 of the program, and bubblewrap's."""

GROUP_CPU_WEIGHT = 50
"""Its share of a busy processor; other groups have 100."""

OUTPUT_BYTES = 10_000
"""Bytes stored of a program's output; the rest is read and dropped."""

REPORT_BYTES = 4 * 1024 * 1024
"""Bytes read of a checker's report."""

PROGRAM_CHARS = 64 * 1024
"""Characters of a program; a longer one is not run."""


@dataclass(frozen=True)
class Limits:
    """Seconds of CPU time, of wall-clock time once the candidate is ready, and until it is ready.

    A run ends within ``wall_s``, or ``wall_s`` plus twice ``start_s`` on a machine where nothing starts.
    """

    cpu_s: int = 8
    wall_s: float = 10.0
    start_s: float = 10.0
