"""Main loop of a verifier's child process, which receives lists of jobs and returns replies, both as JSON."""

from __future__ import annotations

import importlib
import logging
import os
import resource
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection

import msgspec

from core.work import child_processes
from verifiers import registry, wire
from verifiers.limits import CHILD_GROWTH_BYTES, CHILD_MEMORY_BYTES

CRASH_CHARS = 500


def serve(connection: Connection, modules: Sequence[str] = ()) -> None:
    """Answer requests until the parent closes the connection. ``modules`` register further verifiers."""
    child_processes.end_with_parent()
    _shut_in()
    registry.discover()
    for module in modules:
        importlib.import_module(module)
    most_bytes = _most_bytes() + CHILD_GROWTH_BYTES
    connection.send_bytes(wire.READY)
    while True:
        try:
            jobs = wire.jobs_decode(connection.recv_bytes())
        except EOFError:
            return
        connection.send_bytes(wire.replies_encode(_replies(jobs, most_bytes=most_bytes)))


def _replies(jobs: list[wire.Job], *, most_bytes: int) -> list[wire.Reply]:
    """Judge jobs in turn; jobs that follow one that exhausted the child's memory get no reply."""
    replies: list[wire.Reply] = []
    for job in jobs:
        replies.append(_reply(job))
        if replies[-1].is_spent:
            return replies
    if _most_bytes() > most_bytes:
        replies[-1] = msgspec.structs.replace(replies[-1], is_spent=True)
    return replies


def _reply(job: wire.Job) -> wire.Reply:
    try:
        return wire.Reply(registry.run(job.verifier, gold=job.gold, evidence=job.evidence))
    except MemoryError:
        return wire.Reply(crash="MemoryError", is_spent=True)
    except Exception as error:  # noqa: BLE001 - anything that a verifier raises counts as a crash
        return wire.Reply(crash=f"{type(error).__name__}: {error}"[:CRASH_CHARS])


def _most_bytes() -> int:
    """Return the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _shut_in() -> None:
    """Limit memory, drop the worker's secrets from the environment, and ignore Ctrl-C and discard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (CHILD_MEMORY_BYTES, CHILD_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.clear()
    logging.disable(logging.CRITICAL)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.close(silence)
