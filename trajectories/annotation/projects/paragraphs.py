"""Long thoughts are labelled by paragraph."""

from __future__ import annotations

import re

WORDS_MAX = 150
BREAK = re.compile(r"\n[^\S\n]*\n\s*")


def paragraphs(thought: str) -> list[tuple[int, int]]:
    """Where the units of a thought begin and end: its paragraphs if it is long, else one unit, all of it."""
    if len(thought.split()) <= WORDS_MAX:
        return [(0, len(thought))]
    places, begin = [], 0
    for gap in [*BREAK.finditer(thought), None]:
        end = gap.start() if gap else len(thought)
        if thought[begin:end].strip():
            places.append((begin, end))
        begin = gap.end() if gap else end
    return places
