"""Browsers that a dead stage left behind: every browser carries a mark that says whose it is."""

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

from palaestra.background import Background

logger = logging.getLogger(__name__)

MARK = "PALAESTRA_STAGE"
"""The variable that tells in each browser's environment which stage it is of, and which of its browsers."""
_MARK = re.compile(r"\d+:\d+:\d+/\d+")
# Of what follows the name in /proc/PID/stat, see proc(5).
_START_FIELD = 19
LOOK_S = 60.0
END_LIMIT_S = 3.0
Gone = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess)


class Orphans(Background):
    """Ends from time to time what stages that have died meanwhile left on this machine."""

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            if ended := await asyncio.to_thread(orphans_end):
                logger.warning("Ended %d browser processes that a stage had left behind.", ended)


def mark_make(browser: int) -> str:
    """The mark of a browser of this process."""
    own = os.getpid()
    return f"{_namespace()}:{own}:{_started(own)}/{browser}"


def marked(processes: Any) -> Iterator[tuple[psutil.Process, str]]:
    """The processes that carry a mark; those whose environment cannot be read carry none."""
    for process in processes:
        try:
            mark = process.environ().get(MARK)
        except (*Gone, OSError):
            continue
        if mark and _MARK.fullmatch(mark):
            yield process, mark


def orphans_end() -> int:
    """End the browsers of stages that have died, and nothing else; returns how many processes that were."""
    orphans = [process for process, mark in marked(psutil.process_iter()) if _is_orphan(mark)]
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
    if namespace != _namespace():
        return False  # numbers of another container's processes say nothing here
    return _started(int(pid)) != int(begun)


def _started(pid: int) -> int | None:
    """When a process started; None if there is none.

    In ticks since the machine started: the time of day that psutil gives moves whenever the clock is set, and
    a stage that lives would then look like another one.
    """
    try:
        if not psutil.LINUX:
            return int(psutil.Process(pid).create_time())
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
        return None
    return int(stat.rpartition(b")")[2].split()[_START_FIELD])


def _namespace() -> str:
    """The number of the process namespace: in containers, process numbers repeat."""
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"
