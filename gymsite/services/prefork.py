"""Worker processes of one server: forked from a parent that has loaded the application, and replaced."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable

from gymsite.services import parent_death

logger = logging.getLogger(__name__)

RESPAWN_S = 0.5  # between replacements, so that workers that fail at once do not keep the machine busy
SIGNALS = {*parent_death.STOP_SIGNALS, signal.SIGCHLD}


def workers_run(serve: Callable[[], None], *, count: int, kill_after_s: float) -> None:
    """Run ``serve`` in ``count`` processes until a stop signal; those that end before are replaced."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    workers = {_fork(serve) for _ in range(count)}
    while signal.sigwait(SIGNALS) == signal.SIGCHLD:
        for pid in _ended(workers):
            logger.error("worker %d ended; starting another", pid)
            workers.discard(pid)
            time.sleep(RESPAWN_S)
            workers.add(_fork(serve))
    for pid in parent_death.end(workers, signum=signal.SIGTERM, wait_s=kill_after_s):
        os.kill(pid, signal.SIGKILL)


def _fork(serve: Callable[[], None]) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    parent_death.die_with_parent(parent)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    status = 1
    try:
        serve()
        status = 0
    except BaseException:
        logger.exception("a worker failed")
    finally:
        logging.shutdown()
        os._exit(status)


def _ended(workers: set[int]) -> list[int]:
    """Reap those of the workers that have ended."""
    return [pid for pid in workers if os.waitpid(pid, os.WNOHANG)[0]]
