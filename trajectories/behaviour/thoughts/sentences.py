"""Splitting of thoughts into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

END = re.compile(r"(?<=[.!?])[\"'”’)\]*_]{0,8}(?=\s)|(?<=[。！？])|\n\s*")
# A dot after these ends no sentence, nor does one after a single capital or a number at the beginning of a
# line: they are initials, labels of choices and numbers of list items.
ABBREVIATIONS = "approx|cf|dr|eq|e\\.g|etc|fig|i\\.e|incl|mr|mrs|ms|prof|resp|st|vs"
NO_END = re.compile(rf"(?:\b(?i:{ABBREVIATIONS})|(?:^|[\s(\"'“‘])[A-Z])\.\Z")
NUMBER = re.compile(r"\W{0,8}\d{1,8}\.")
# After these words a capital is a choice, which may end a sentence: "The answer is B. I select it."
CHOICE = re.compile(r"\b(?i:and|answer|are|choice|choose|is|not|option|or|pick|select)\s[A-Z]\.\Z")
CAPITAL_FOLLOWS = re.compile(r"[\"'”’)\]*_\s]{0,9}[A-Z]")
# All that is read before a dot, so that a long text without an end costs no more than others.
BEFORE_CHARS = 24
LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def sentence_spans(thought: str) -> list[tuple[int, int]]:
    """Return begin and end of each sentence, in order, without surrounding space.

    A sentence ends with a full stop, a question mark or an exclamation mark before white space, or with its
    line. What has neither letter nor digit is no sentence.
    """
    return [span for span in _parts(thought) if LETTER_OR_DIGIT.search(thought, *span)]


def sentences(thought: str) -> list[str]:
    """The sentences of a thought."""
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
    """Return whether the dot before ``end`` lies inside a sentence that began at ``begin``."""
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
