"""The accuracy of the rules, measured on held-out labelled sentences (``scores.toml``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct


class Score(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The counts of one class, over the sentences on whose class both labellers agree.

    ``true`` counts the sentences of the class, ``given`` the sentences that the rules put into it, and
    ``hits`` those in both. ``python -m tests.behaviour.thoughts.measure --write`` writes them.
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
    """Return the scores by class; classes without a labelled sentence are missing."""
    text = Path(__file__).with_name("scores.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, Score])
