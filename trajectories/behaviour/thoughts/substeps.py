"""The numbered substeps of a model's text, which are its blocks between blank lines."""

from __future__ import annotations

import re

BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


def substep_spans(text: str) -> list[tuple[int, int]]:
    """Return the beginning and end of each substep in characters; the first substep is number 1.

    No sentence (``sentence_spans``) crosses from one substep into the next. The text is cut as in InT
    (https://arxiv.org/abs/2601.14209). Stored interventions and labels refer to the resulting numbers and
    places, so the cut must not change.
    """
    spans, begin = [], 0
    for gap in [*BLANK_LINE.finditer(text), None]:
        end = gap.start() if gap else len(text)
        if text[begin:end].strip():
            spans.append((begin, end))
        begin = gap.end() if gap else end
    return spans
