"""Verifiers that fail in every possible way, as the answer demands. Imported only in child processes."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable

from verifiers.limits import CHILD_GROWTH_BYTES
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


def sleep() -> None:
    time.sleep(600)


def long_c_loop() -> None:
    pow(9, 9**9)


def loop_in_fork() -> None:
    """Loop in three processes, which together get enough of a busy machine."""
    forks = []
    for _ in range(3):
        if not (fork := os.fork()):
            resource.setrlimit(resource.RLIMIT_CPU, (3, 3))
            long_c_loop()
        forks.append(fork)
    for fork in forks:
        os.waitpid(fork, 0)


def eat_memory() -> None:
    hoard = bytearray()
    while True:
        hoard += bytes(64 * 1024 * 1024)


def run_out_of_memory() -> None:
    raise MemoryError


def grow() -> None:
    hoard = bytearray(2 * CHILD_GROWTH_BYTES)
    hoard[:: resource.getpagesize()] = b"x" * len(hoard[:: resource.getpagesize()])


def die() -> None:
    os._exit(3)


def fail() -> None:
    raise RuntimeError("a bug")


WAYS: dict[str, Callable[[], None]] = {
    "sleep": sleep,
    "long_c_loop": long_c_loop,
    "loop_in_fork": loop_in_fork,
    "eat_memory": eat_memory,
    "run_out_of_memory": run_out_of_memory,
    "grow": grow,
    "die": die,
    "fail": fail,
}


@verifier("misbehaving-v1", title="Fails on demand")
def misbehaving(gold: Gold, evidence: Evidence) -> Verdict:
    if str(evidence.answer).startswith("say "):
        raise RuntimeError(f"no {str(evidence.answer)[4:]!s}")
    WAYS.get(str(evidence.answer), lambda: None)()
    return Verdict(
        correct=evidence.answer == gold.answer,
        parsed_answer=f"{os.getpid()} {threading.active_count()} {len(os.environ)}",
    )
