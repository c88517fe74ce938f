"""Browsers that a dead stage left behind; they are recognised by a mark in their environment."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from palaestra.api.background import Background

logger = logging.getLogger(__name__)

MARK = "PALAESTRA_STAGE"
"""The environment variable that holds, for each browser, its stage and its number there."""
_MARK = re.compile(r"\d+:\d+:\d+/\d+")
# Index of "starttime" among the fields after the process name in /proc/PID/stat, see proc(5).
_START_FIELD = 19
LOOK_S = 60.0
END_LIMIT_S = 3.0
Gone = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess)


class Orphans(Background):
    """A background task that ends, once a minute, the browsers of dead stages on this machine."""

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            if ended := await asyncio.to_thread(orphans_end):
                logger.warning("Ended %d browser processes that a stage had left behind.", ended)


def mark_make(browser: int) -> str:
    """Return the mark for a browser of this process: ``NAMESPACE:PID:START/NUMBER``."""
    own = os.getpid()
    return f"{_find_namespace()}:{own}:{_find_start(own)}/{browser}"


def find_marked(processes: Any) -> Iterator[tuple[psutil.Process, str]]:
    """Yield the processes that have a mark; processes whose environment cannot be read are skipped."""
    for process in processes:
        try:
            mark = process.environ().get(MARK)
        except (*Gone, OSError):
            continue
        if mark and _MARK.fullmatch(mark):
            yield process, mark


def orphans_end() -> int:
    """End the browsers of dead stages and nothing else. Return the number of processes that were ended."""
    orphans = [process for process, mark in find_marked(psutil.process_iter()) if _is_orphan(mark)]
    for end in (psutil.Process.terminate, psutil.Process.kill):
        for process in orphans:
            with contextlib.suppress(*Gone):
                end(process)
        _, alive = psutil.wait_procs(orphans, timeout=END_LIMIT_S)
        if not alive:
            break
    return len(orphans)


def _is_orphan(mark: str) -> bool:
    namespace, pid, begun = mark.partition("/")[0].split(":")
    if namespace != _find_namespace():
        return False  # another container's process ids mean nothing here
    return _find_start(int(pid)) != int(begun)


def _find_start(pid: int) -> int | None:
    """Return when a process started, in ticks since boot; None if the process does not exist.

    psutil returns the time of day instead, which moves when the clock is set, so that a live stage would look
    like another one.
    """
    try:
        if not psutil.LINUX:
            return int(psutil.Process(pid).create_time())
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
        return None
    return int(stat.rpartition(b")")[2].split()[_START_FIELD])


def _find_namespace() -> str:
    """Return the id of the PID namespace, because process ids are unique only within a container."""
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"
