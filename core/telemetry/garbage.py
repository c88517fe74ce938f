"""Garbage collection in long-running processes."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

SELDOM = 1_000
"""Collections of the young generations per full one; Python's default is 10."""


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Suspend collection while code is loaded: code stays, and scanning it takes a seventh of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def code_freeze() -> None:
    """Exclude everything loaded so far from later collections; call it once all code is loaded.

    Full collections are then cheap: a process without caches has a few thousand objects besides its code.
    """
    gc.collect()
    gc.freeze()


def collect_seldom() -> None:
    """Freeze the code and make full collections rare: for processes that cache worlds.

    A world is thousands of objects without a cycle, and hundreds of worlds are cached: with Python's default
    threshold a full collection came every few hundred pages and delayed each page by 0.5 to 2 s. Where pages
    leave cycles behind, as the lab's forms do, memory would grow for half an hour: 55% in a soak.
    """
    code_freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
