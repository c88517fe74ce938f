"""The numbered substeps of a text that a model wrote: its blocks between blank lines."""

from __future__ import annotations

import re

BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


def substep_spans(text: str) -> list[tuple[int, int]]:
    """Begin and end of each substep in characters; the first is number 1.

    No sentence (``sentence_spans``) goes over from one to the next. The cut is that of InT
    (https://arxiv.org/abs/2601.14209). Numbers of stored interventions and places of labels rest on it.
    """
    spans, begin = [], 0
    for gap in [*BLANK_LINE.finditer(text), None]:
        end = gap.start() if gap else len(text)
        if text[begin:end].strip():
            spans.append((begin, end))
        begin = gap.end() if gap else end
    return spans
