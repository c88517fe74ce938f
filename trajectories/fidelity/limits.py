"""What drawing one replay may cost."""

from __future__ import annotations

WALL_S = 12.0
"""Seconds of wall clock for one picture, from the browser's start."""

VIRTUAL_MS = 12_000
"""Milliseconds of the page's own clock, which runs ahead while the page waits for nothing."""

MEMORY_BYTES = 1024 * 1024 * 1024
"""Of all its processes together, looked at every ``WATCH_S``. Chromium reserves more address space than any
limit on that could allow."""

WATCH_S = 0.1
PROCESSES = 250
"""Processes and threads."""

BOX_BYTES = 96 * 1024 * 1024
"""Its home, the only place that it can write files to."""

SHARED_BYTES = 256 * 1024 * 1024
FILE_BYTES = 64 * 1024 * 1024
OUTPUT_BYTES = 48 * 1024 * 1024
"""Of a picture; more is not read."""

FILES = 400
FILES_BYTES = 96 * 1024 * 1024
"""What a page may bring with it."""

SIDE = 4_096
"""Pixels of the longer side of a picture."""
