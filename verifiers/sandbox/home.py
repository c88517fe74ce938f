"""A program's home folder, seen from outside: it counts the files, which no kernel limit bounds."""

from __future__ import annotations

import contextlib
import os

from verifiers.sandbox.enclosure import HOME
from verifiers.sandbox.limits import HOME_FILES


class Home:
    """The home of a sandbox that has started. ``close`` it."""

    def __init__(self, program: int | None) -> None:
        """Open the home of ``program``, a process id or None. One that has ended never counts as full."""
        self._descriptor: int | None = None
        with contextlib.suppress(OSError):
            self._descriptor = os.open(f"/proc/{program}/root{HOME}", os.O_PATH | os.O_DIRECTORY)

    def is_full(self) -> bool:
        if self._descriptor is None:
            return False
        files = os.fstatvfs(self._descriptor)
        return files.f_files - files.f_ffree > HOME_FILES

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
