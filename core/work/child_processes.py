"""Pools of child processes, and children that end with their parent."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import parent_process
from types import ModuleType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def start_executor() -> Iterator[Executor]:
    """Provide an executor with one child process per available processor; calls must be picklable.

    It is meant for work that takes seconds, because starting a child takes half a second. If the block
    raises, running calls and the few prefetched ones are awaited; Ctrl-C in a terminal ends the children.
    """
    context = multiprocessing.get_context("forkserver")
    pool = ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=context, initializer=_begin)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def hide_main() -> Iterator[None]:
    """Keep children started in the block from importing the main module, as they otherwise would.

    A worker's main module imports Django and more, which takes a third of a second and 30 MB per child. The
    children must not need it, and only one thread at a time may start them.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class InlineExecutor(Executor):
    """Executor that runs each call immediately in this process, for work that is not worth a child."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - the caller gets it from the future
            future.set_exception(error)
        return future


def end_with_parent() -> None:
    """Have the kernel end this process when its parent ends. Raises ``RuntimeError`` outside a child process.

    Only the parent holds the write end of the pipe behind ``sentinel``. When that closes, the kernel sends
    SIGIO, whose default action ends a process even inside a long C loop, where no thread gets a turn.
    """
    parent = parent_process()
    if parent is None:
        raise RuntimeError("end_with_parent is for child processes of multiprocessing")
    sentinel = parent.sentinel
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(sentinel, fcntl.F_SETFL, fcntl.fcntl(sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([sentinel], [], [], 0)[0]:
        os._exit(0)


def _begin() -> None:
    """Let Ctrl-C end a child silently, because the parent reports it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent()
