"""Garbage collection in processes that cache worlds."""

from __future__ import annotations

import gc

SELDOM = 1_000
"""Collections of the young generations before a full one; Python's default is 10."""


def collect_seldom() -> None:
    """Make full collections rare; call it once all code is loaded.

    A world is thousands of objects without a cycle, and hundreds of worlds are cached: with Python's default
    threshold a full collection came every few hundred pages and delayed each page by 0.5 to 2 s.
    """
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
