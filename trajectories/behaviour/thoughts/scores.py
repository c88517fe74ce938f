"""Accuracy of the rules, measured on held-out labelled sentences (``scores.toml``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct


class Score(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts for one class, over the sentences on whose class both labellers agree.

    ``true``: sentences of the class; ``given``: sentences that the rules put into it; ``hits``: both.
    ``python -m tests.behaviour.thoughts.measure`` writes them.

    ``true``: how many have the class; ``rules``: how many the rules gave it; ``hits``: both. ``python -m
    tests.behaviour.thoughts.measure`` writes them.
    """

    hits: int
    given: int
    true: int

    @property
    def precision(self) -> float | None:
        return self.hits / self.given if self.given else None

    @property
    def recall(self) -> float | None:
        return self.hits / self.true if self.true else None


@cache
def scores() -> dict[str, Score]:
    """The scores by class; classes without a labelled sentence are missing."""
    text = Path(__file__).with_name("scores.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Score])
