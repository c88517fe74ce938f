"""How often the rules are right, as measured on labelled sentences that were kept apart (``scores.toml``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct


class Score(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one class: among sentences on whose class both labellers agree, how many have it (``true``), were
    given it by the rules, and both (``hits``). ``python -m tests.behaviour.thoughts.measure`` writes them."""

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
