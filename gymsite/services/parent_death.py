"""Parent-death watchdog (Linux): children end with their parent, and any survivors can be found."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import psutil

from core.errors import GymError
from gymsite.services.account import Account

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLL_S = 0.02
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a program to stop."""
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int, signum: int = signal.SIGKILL) -> None:
    """Have the kernel signal this process when its parent dies; ``parent`` is the parent's pid.

    The kernel watches the *thread* that started this process, so start children from a thread that outlives
    them.
    """
    _libc.prctl(PR_SET_PDEATHSIG, signum)
    if os.getppid() != parent:
        os._exit(1)  # the parent had died before the previous call


def become_subreaper() -> None:
    """Make orphaned grandchildren become children of this process instead of init's."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)


def spawn(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    log: IO[bytes] | int = subprocess.DEVNULL,
    stdin: int = subprocess.DEVNULL,
    account: Account | None = None,
    on_parent_death: int = signal.SIGKILL,
) -> subprocess.Popen[bytes]:
    """Start a program in its own session, with output to ``log``; it ends when this process does."""
    with hold_stops():
        return subprocess.Popen(  # noqa: S603 - our own programs, no shell
            command,
            env=dict(env),
            cwd=cwd,
            stdin=stdin,
            stdout=log,
            stderr=log if log != subprocess.DEVNULL else subprocess.DEVNULL,
            start_new_session=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            # This runs after the change of user, which would otherwise clear the parent-death signal.
            preexec_fn=_watchdog(os.getpid(), on_parent_death),
        )


@contextlib.contextmanager
def hold_stops() -> Iterator[None]:
    """Delay stop signals until the end of the block.

    Forking runs hooks (logging has one), and an exception that a signal handler raises in a hook would be
    lost.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _watchdog(parent: int, signum: int) -> Callable[[], None]:
    def start() -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*STOP_SIGNALS, signal.SIGCHLD))
        die_with_parent(parent, signum)

    return start


def pids_inside(folder: Path, *, program: str) -> list[int]:
    """List the pids of ``program`` running in the folder, that is, servers that outlived their supervisor."""
    return [
        process.pid
        for process in psutil.process_iter(["cwd", "exe"])
        if process.info["cwd"] == str(folder) and os.path.basename(process.info["exe"] or "") == program
    ]


def pids_with_environment(name: str, value: str) -> list[int]:
    """List the pids of other processes that were started with ``name=value`` in their environment."""
    return [
        process.pid
        for process in psutil.process_iter(["environ"])
        if process.pid != os.getpid() and (process.info["environ"] or {}).get(name) == value
    ]


def end(pids: Iterable[int], *, signum: int = signal.SIGKILL, wait_s: float = 5.0) -> list[int]:
    """Signal the processes, wait until they are gone, and return any that are left after ``wait_s``."""
    left = list(pids)
    for pid in left:
        with contextlib.suppress(OSError):
            os.kill(pid, signum)
    deadline = time.monotonic() + wait_s
    while (left := [pid for pid in left if is_alive(pid)]) and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return left


def end_servers(folder: Path, program: str, *signals: int) -> None:
    """Signal a folder's servers that outlived their supervisor to end. Errors: ``server_left_over``."""
    left = pids_inside(folder.resolve(), program=program)
    for signum in signals:
        left = end(left, signum=signum)
    if left:
        message = f"Processes {left} still use {folder}: end them, then start again."
        raise GymError("server_left_over", message)


def is_alive(pid: int) -> bool:
    """Return whether the process is running; a zombie counts as dead."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False
