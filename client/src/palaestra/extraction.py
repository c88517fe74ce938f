"""The one published rule by which an answer is taken from free text in arms without a page."""

from __future__ import annotations

_LEADING_MARKS = " \t>#"
_EMPHASIS = "*_"


def answer_extract(completion: str) -> str | None:
    """The answer of a completion, or None when it gives none.

    The last line that begins with ``Answer:`` (any case; Markdown heading, quote or emphasis marks around the
    word allowed) carries the answer: everything after the colon, stripped. Emphasis that was opened before
    the word and closes after the colon or at the end of the line is not part of the answer. An empty answer
    is none.
    """
    for line in reversed(completion.split("\n")):
        head, colon, rest = line.partition(":")
        word = head.strip(_LEADING_MARKS + _EMPHASIS + "\r")
        if colon and word.lower() == "answer":
            return _without_emphasis(head.strip(_LEADING_MARKS), rest.strip()) or None
    return None


def _without_emphasis(head: str, answer: str) -> str:
    opened = head[: len(head) - len(head.lstrip(_EMPHASIS))]
    if not opened or head.endswith(opened[0]):
        return answer
    if answer.startswith(opened):
        return answer[len(opened) :].strip()
    return answer.removesuffix(opened).strip()
