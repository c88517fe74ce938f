"""The splitting of thoughts into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

END = re.compile(r"(?<=[.!?])[\"'”’)\]*_]{0,8}(?=\s)|(?<=[。！？])|\n\s*")
# A dot after one of these does not end a sentence. Neither does a dot after a single capital, or after a
# number at the beginning of a line, because these are initials, choice labels and list numbers.
ABBREVIATIONS = "approx|cf|dr|eq|e\\.g|etc|fig|i\\.e|incl|mr|mrs|ms|prof|resp|st|vs"
NO_END = re.compile(rf"(?:\b(?i:{ABBREVIATIONS})|(?:^|[\s(\"'“‘])[A-Z])\.\Z")
NUMBER = re.compile(r"\W{0,8}\d{1,8}\.")
# After these words a single capital is a choice, which may end a sentence: "The answer is B. I select it."
CHOICE = re.compile(r"\b(?i:and|answer|are|choice|choose|is|not|option|or|pick|select)\s[A-Z]\.\Z")
CAPITAL_FOLLOWS = re.compile(r"[\"'”’)\]*_\s]{0,9}[A-Z]")
# The number of characters read before a dot, so that a long text without a sentence end stays cheap.
BEFORE_CHARS = 24
LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def sentence_spans(thought: str) -> list[tuple[int, int]]:
    """Return the beginning and end of each sentence, in order, without surrounding whitespace.

    A sentence ends with a full stop, a question mark or an exclamation mark before whitespace, or with its
    line. A part without any letter or digit is not a sentence.
    """
    return [span for span in _parts(thought) if LETTER_OR_DIGIT.search(thought, *span)]


def sentences(thought: str) -> list[str]:
    """Return the sentences of a thought, in order."""
    return [thought[begin:end] for begin, end in sentence_spans(thought)]


def _parts(thought: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for mark in END.finditer(thought):
        is_line_end = "\n" in mark.group()
        if not is_line_end and _goes_on(thought, begin, mark.start()):
            continue
        yield _stripped(thought, begin, mark.start() if is_line_end else mark.end())
        begin = mark.end()
    yield _stripped(thought, begin, len(thought))


def _goes_on(thought: str, begin: int, end: int) -> bool:
    """Return whether the sentence that begins at ``begin`` continues after the dot that ends at ``end``."""
    before = thought[max(begin, end - BEFORE_CHARS) : end]
    if not before.endswith("."):
        return False
    if CHOICE.search(before) and CAPITAL_FOLLOWS.match(thought, end):
        return False
    return bool(NO_END.search(before) or NUMBER.fullmatch(thought, begin, end))


def _stripped(text: str, begin: int, end: int) -> tuple[int, int]:
    while begin < end and text[begin].isspace():
        begin += 1
    while begin < end and text[end - 1].isspace():
        end -= 1
    return begin, end
