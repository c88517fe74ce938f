"""Verifiers that fail in every way a verifier can, when the answer says so. Imported in children only."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict


def sleep() -> None:
    time.sleep(600)


def long_c_loop() -> None:
    pow(9, 9**9)


def eat_memory() -> None:
    hoard = bytearray()
    while True:
        hoard += bytes(64 * 1024 * 1024)


def die() -> None:
    os._exit(3)


def fail() -> None:
    raise RuntimeError("a bug")


WAYS: dict[str, Callable[[], None]] = {
    "sleep": sleep,
    "long_c_loop": long_c_loop,
    "eat_memory": eat_memory,
    "die": die,
    "fail": fail,
}


@verifier("misbehaving-v1", title="Fails on demand", examples=[])
def misbehaving(gold: Gold, evidence: Evidence) -> Verdict:
    WAYS.get(str(evidence.answer), lambda: None)()
    return Verdict(
        correct=evidence.answer == gold.answer,
        parsed_answer=f"{os.getpid()} {threading.active_count()} {len(os.environ)}",
    )
