"""Supervisor that starts child processes, restarts those that die, and stops them all, in a single thread.

Each child has a log file, rotated by size.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gymsite.services import parent_death

FIRST_DELAY_S = 0.2
LONGEST_DELAY_S = 30.0
# If a child lived at least this long, its failure counts as an accident, and the back-off starts again.
HEALTHY_S = 60.0
TICK_S = 5.0
POLL_S = 0.02
LOG_MAX_BYTES = 20 * 1024 * 1024


class Stop(BaseException):
    """Request to stop. It is not an ``Exception``, so that no error handler swallows it."""


@dataclass
class Backoff:
    """Delays between restarts, which double each time."""

    next_s: float = FIRST_DELAY_S

    def delay(self, *, lived_s: float) -> float:
        """Return the seconds to wait before restarting a child that lived for ``lived_s`` seconds."""
        if lived_s >= HEALTHY_S:
            self.next_s = FIRST_DELAY_S
        delay, self.next_s = self.next_s, min(LONGEST_DELAY_S, self.next_s * 2)
        return delay


@dataclass
class Child:
    """A program to keep running. ``start`` gets the log's file descriptor and returns the new process."""

    name: str
    start: Callable[[int], subprocess.Popen[bytes]]
    stop_signal: int = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    due_at: float | None = None
    backoff: Backoff = field(default_factory=Backoff)


class Supervisor:
    """Supervisor of children. It keeps them running, and stops them in stages, last started first."""

    def __init__(
        self,
        *,
        logs_dir: Path,
        say: Callable[[str], None],
        note: Callable[[Mapping[str, int]], object] = lambda _: None,
    ) -> None:
        """Set up a supervisor that passes the restarts of each child to ``note`` whenever they change."""
        self.logs_dir = logs_dir
        self.say = say
        self.note = note
        self.restarts: Counter[str] = Counter()
        self.stages: list[list[Child]] = []

    def start(self, *children: Child) -> None:
        """Start children in parallel, as one stage. Call it from the main thread, which must outlive them."""
        self.stages.append([])
        self.start_more(*children)

    def start_more(self, *children: Child) -> None:
        """Start further children of the last stage."""
        for child in children:
            self.stages[-1].append(child)
            self.restarts[child.name] = 0
            self._spawn(child)
        self.note(self.restarts)

    def run(self) -> None:
        """Keep the children running until ``Stop`` is raised."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # the child is awaited below
        while True:
            self.watch_once()
            logs_rotate(self.logs_dir)
            signal.sigtimedwait({signal.SIGCHLD}, self._sleep_s())

    def watch_once(self) -> None:
        """Run one round of the loop, for callers that are themselves waiting for something."""
        self._reap()
        self._restart_due()

    def stop(self, *, grace_s: float) -> None:
        """Stop all children, stage by stage; survivors are killed after ``grace_s``."""
        for stage in reversed(self.stages):
            running = [child for child in stage if child.process and child.process.returncode is None]
            for child in running:
                _signal(child, child.stop_signal)
            deadline = time.monotonic() + grace_s
            while any(_poll(child) is None for child in running) and time.monotonic() < deadline:
                time.sleep(POLL_S)
            for child in running:
                _kill_group(child)
        self.stages.clear()

    def _spawn(self, child: Child) -> None:
        # Stop signals are delayed until the child is registered.
        with parent_death.hold_stops(), log_open(self.logs_dir, child.name) as log:
            child.process = child.start(log.fileno())
        child.started_at = time.monotonic()
        child.due_at = None

    def _reap(self) -> None:
        ended = [child for child in self._children() if child.due_at is None and _poll(child) is not None]
        for child in ended:
            self._schedule(child)
        self._reap_orphans()

    def _schedule(self, child: Child) -> None:
        _kill_group(child)
        delay = child.backoff.delay(lived_s=time.monotonic() - child.started_at)
        child.due_at = time.monotonic() + delay
        how = _ending(child.process.returncode if child.process else 0)
        log = log_path(self.logs_dir, child.name)
        self.say(f"{child.name} {how}; restarting it in {delay:.1f} s (see {log})")

    def _restart_due(self) -> None:
        for child in self._children():
            if child.due_at is not None and child.due_at <= time.monotonic():
                self._spawn(child)
                self.restarts[child.name] += 1
                self.note(self.restarts)

    def _sleep_s(self) -> float:
        due = [child.due_at for child in self._children() if child.due_at is not None]
        return max(0.0, min([TICK_S, *(at - time.monotonic() for at in due)]))

    def _children(self) -> list[Child]:
        return [child for stage in self.stages for child in stage]

    def _reap_orphans(self) -> None:
        """Reap grandchildren whose parent died. They have become our children, and would remain zombies."""
        ours = {child.process.pid for child in self._children() if child.process}
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None or ended.si_pid in ours:
                return
            os.waitpid(ended.si_pid, os.WNOHANG)


def log_path(logs_dir: Path, name: str) -> Path:
    return logs_dir / f"{name}.log"


def log_open(logs_dir: Path, name: str) -> IO[bytes]:
    """Open a log for appending. Children write to it directly, so nothing is lost if the supervisor dies."""
    return log_path(logs_dir, name).open("ab", buffering=0)


def logs_rotate(logs_dir: Path, *, max_bytes: int = LOG_MAX_BYTES) -> None:
    """Move the content of each oversized log to ``<name>.log.1``.

    The log is copied and truncated rather than renamed, because its writer keeps it open and appends to it.
    """
    for path in logs_dir.glob("*.log"):
        if path.stat().st_size > max_bytes:
            shutil.copyfile(path, path.with_suffix(".log.1"))
            with path.open("r+b") as log:
                log.truncate(0)


@contextlib.contextmanager
def handle_stops() -> Iterator[None]:
    """Raise ``Stop`` at the first of ``parent_death.STOP_SIGNALS`` in the block, and ignore later ones."""

    def stop(_signum: int, _frame: object) -> None:
        for signum in parent_death.STOP_SIGNALS:
            signal.signal(signum, signal.SIG_IGN)
        raise Stop

    before = [(signum, signal.signal(signum, stop)) for signum in parent_death.STOP_SIGNALS]
    try:
        yield
    finally:
        for signum, handler in before:
            signal.signal(signum, handler)


def _poll(child: Child) -> int | None:
    return child.process.poll() if child.process else 0


def _signal(child: Child, signum: int) -> None:
    """Signal only the child, which stops its own children."""
    if child.process:
        child.process.send_signal(signum)


def _kill_group(child: Child) -> None:
    """Kill all processes left in the child's session, including the child."""
    if not child.process:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.process.pid, signal.SIGKILL)
    child.process.wait()


def _ending(returncode: int) -> str:
    if returncode >= 0:
        return f"ended with status {returncode}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-returncode).name}"
    return f"was ended by signal {-returncode}"
