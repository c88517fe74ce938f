"""Limits for rendering one replay."""

from __future__ import annotations

WALL_S = 12.0  # for one picture, from the browser's start
VIRTUAL_MS = 12_000  # of the page's virtual clock, which skips ahead while the page is idle
# Of all its processes together, measured every ``WATCH_S``. A limit on address space would not do: Chromium
# reserves too much of it.
MEMORY_BYTES = 1024 * 1024 * 1024
WATCH_S = 0.1
PROCESSES = 250  # and threads
BOX_BYTES = 96 * 1024 * 1024  # its home, the only place where it can write files
SHARED_BYTES = 256 * 1024 * 1024
FILE_BYTES = 64 * 1024 * 1024
OUTPUT_BYTES = 48 * 1024 * 1024  # the most that is read of its output
FILES = 400
FILES_BYTES = 96 * 1024 * 1024  # a page's files together
SIDE = 4_096  # pixels of the longer side of a picture
