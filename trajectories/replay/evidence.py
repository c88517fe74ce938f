"""What a verdict was reached from, as far as its reader may know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How one verifier read answer and gold; ``gold`` is None for those who may not see it."""

    verifier: str
    outcome: str
    answer: str
    gold: str | None


def readings_of(evidence: Mapping[str, Any], *, golds: bool) -> list[Reading]:
    """One reading for each verifier that was asked, in the order of their ids."""
    opinions = evidence.get("verifiers")
    if not isinstance(opinions, Mapping):
        return []
    return [
        Reading(
            verifier=verifier,
            outcome="correct" if opinion.get("correct") else "incorrect",
            answer=str(opinion.get("parsed_answer", "")),
            gold=str(opinion.get("parsed_gold", "")) if golds else None,
        )
        for verifier, opinion in sorted(opinions.items())
        if isinstance(opinion, Mapping)
    ]
