"""What a page must say, from the task's source, and what it did say, from the observation.

Both become one line without white space, in which a formula stands between dollars, and dollars that meet
are one. Nothing else is dropped: the stretches that the source is cut into are joined again and compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tasks_app.questions import questions

SPACE = re.compile(r"\s+")
DOLLARS = re.compile(r"\$+")
HEADING = re.compile(r'heading 1 "')
FIELD = re.compile(r"\[e\d+\] textbox ")
SAID = re.compile(r"text: |\|(?: |$)|preformatted:$")
EXCERPT_CHARS = 40


def expected_text(kind: str, payload: Mapping[str, Any]) -> str:
    """What a page of this question kind must say. May raise ``GymError`` ``text_lost``."""
    return _packed(questions.get(kind).said(payload))


def observed_text(observation: str) -> str:
    """What the lines between the heading and the answer field of an axtree-v1 observation say.

    A line that the question should not have, a button among them, stays whole and so differs from the source.
    """
    said: list[str] = []
    is_question = False
    for raw in observation.splitlines():
        line = raw.strip()
        if HEADING.match(line):
            is_question = True
        elif FIELD.match(line):
            return _packed("".join(said))
        elif is_question:
            mark = SAID.match(line)
            said.append(line[mark.end() :] if mark else line)
    return "(the page has no heading with an answer field after it)"


def difference(*, expected: str, observed: str) -> str | None:
    """Where two texts part, for people to read; None when they are the same."""
    if observed == expected:
        return None
    pairs = enumerate(zip(expected, observed, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(expected), len(observed)))
    start = max(place - EXCERPT_CHARS // 2, 0)
    ours, theirs = (text[start : start + EXCERPT_CHARS] for text in (expected, observed))
    return f"the source has {ours!r} where the observation has {theirs!r}"


def _packed(text: str) -> str:
    return DOLLARS.sub("$", SPACE.sub("", text))
