"""How often a process that remembers worlds looks for garbage among them."""

from __future__ import annotations

import gc

SELDOM = 1_000
"""Looks at young objects for one at all of them; Python's own is 10."""


def collect_seldom() -> None:
    """For processes that have loaded all their code and now draw worlds.

    A world is thousands of objects without a cycle, and hundreds of them are remembered: with Python's
    own measure a look at all of them came every few hundred pages and held every page up for 0.5 to 2 s.
    """
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, SELDOM)
