"""How far a copy of a question is from the question, for the reading probe.

The distance is Levenshtein's divided by the length of the longer text: 0 for equal texts, 1 for texts that
share nothing. Both are compared in one canonical form, so that layout counts for nothing.
"""

from __future__ import annotations

import re
import unicodedata

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

# JavaScript counts the byte order mark among white space.
SPACE = re.compile(r"[\s\ufeff]+")
DOLLARS = re.compile(r" ?(?:\$ ?)+")
BARS = re.compile(r" ?\| ?")


@verifier("transcript-v1", title="Distance of a copied question")
def transcript(gold: Gold, evidence: Evidence) -> Verdict:
    """Correct if nothing differs; ``score`` is 1 less the distance, which is in ``metrics``."""
    from rapidfuzz.distance import Levenshtein

    answer = evidence.answer if isinstance(evidence.answer, str) else "\n".join(evidence.answer)
    shown, copied = canonical(gold.answer), canonical(answer)
    distance = Levenshtein.normalized_distance(shown, copied)
    return Verdict(
        correct=shown == copied,
        reason="answer" if copied else "unparsable_answer",
        score=1 - distance,
        metrics={"distance": distance},
        parsed_gold=shown,
        parsed_answer=copied,
    )


def canonical(text: str) -> str:
    """Composed (Unicode NFC), with single spaces, none around formulas and cells, and one dollar for two."""
    folded = SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()
    return BARS.sub("|", DOLLARS.sub("$", folded))
