"""Distance between a question and the agent's copy of it, for the reading probe.

It is the Levenshtein distance divided by the length of the longer text: 0 for equal texts, 1 for texts that
share nothing. Both are brought into a canonical form first, so layout does not matter.
"""

from __future__ import annotations

import re
import unicodedata

from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

# JavaScript treats the byte order mark as white space, so it counts as white space here too.
SPACE = re.compile(r"[\s\ufeff]+")
DOLLARS = re.compile(r" ?(?:\$ ?)+")
BARS = re.compile(r" ?\| ?")


@verifier("transcript-v1", title="Distance of a copied question")
def transcript(gold: Gold, evidence: Evidence) -> Verdict:
    """Accept a copy without differences; ``score`` is 1 minus the distance, and ``metrics`` contains it."""
    from rapidfuzz.distance import Levenshtein

    answer = evidence.answer if isinstance(evidence.answer, str) else "\n".join(evidence.answer)
    original, copied = canonical(gold.answer), canonical(answer)
    distance = Levenshtein.normalized_distance(original, copied)
    return Verdict(
        correct=original == copied,
        reason="answer" if copied else "unparsable_answer",
        score=1 - distance,
        metrics={"distance": distance},
        parsed_gold=original,
        parsed_answer=copied,
    )


def canonical(text: str) -> str:
    """Normalise to NFC, collapse white space, remove it around ``$`` and ``|``, and write ``$$`` as ``$``."""
    folded = SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()
    return BARS.sub("|", DOLLARS.sub("$", folded))
