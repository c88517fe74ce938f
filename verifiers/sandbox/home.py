"""A program's home folder, seen from outside: counts the files in it, which no limit of the kernel bounds."""

from __future__ import annotations

import os
from pathlib import Path

from verifiers.sandbox.enclosure import HOME
from verifiers.sandbox.limits import HOME_FILES


class Home:
    """The home of a sandbox that has started. ``close`` it."""

    def __init__(self, bubblewrap: int) -> None:
        """``bubblewrap``: its process id. A home that is gone, as its program has ended, is never full."""
        self._descriptor: int | None = None
        try:
            (init,) = _children(bubblewrap)
            (program,) = _children(init)
            self._descriptor = os.open(f"/proc/{program}/root{HOME}", os.O_PATH | os.O_DIRECTORY)
        except (OSError, ValueError):
            return

    def is_full(self) -> bool:
        if self._descriptor is None:
            return False
        files = os.fstatvfs(self._descriptor)
        return files.f_files - files.f_ffree > HOME_FILES

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


def _children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
