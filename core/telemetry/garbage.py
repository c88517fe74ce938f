"""Garbage collection in long-running processes."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

SELDOM = 1_000
"""Collections of the middle generation for each full collection; Python's default is 10."""


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Suspend collection while code is loaded: scanning code, which stays, takes a seventh of that time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def code_freeze() -> None:
    """Exclude everything loaded so far from later collections; call it once all code is loaded.

    Full collections are then cheap, because a process without caches has only a few thousand other objects.
    """
    gc.collect()
    gc.freeze()


def collect_seldom() -> None:
    """Freeze the code and make full collections rare: for processes that cache worlds.

    A world consists of thousands of objects without cycles, and hundreds of worlds are cached. With Python's
    default threshold, a full collection ran every few hundred pages and delayed a page by 0.5 to 2 s. Do not
    use this where pages leave cycles behind, as the lab's forms do: memory grew by 55% in half an hour.
    """
    code_freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
