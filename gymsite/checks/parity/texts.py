"""What a page must say, from the task's source, and what it did say, from the observation.

Both become one line without white space, in which a formula stands between dollars, and dollars that meet
are one. What belongs to the form and not to the question is left out by its own words, and so are the boxes
around it (``surroundings``). Nothing else is dropped: the stretches that the source is cut into are joined
again and compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.errors import GymError
from core.presentation import Look
from gymsite.arena.wording import WORDINGS, Wording
from gymsite.checks.parity import surroundings
from tasks_app.questions import questions

# JavaScript counts the byte order mark among white space.
SPACE = re.compile(r"[\s\ufeff]+")
DOLLARS = re.compile(r"\$+")
HEADING = re.compile(r'heading 1 "')
# What an observation says before the heading.
HEAD = re.compile(r'page ".*" https://gym/\S*$|main$')
CUT = "(cut: the page is longer)"
# How a line begins that says words of the question, and how a choice or a picture says them.
WORDS = re.compile(r"text: |\|(?: |$)|preformatted:$")
NAMED = re.compile(r'(?:image "(.*)"|\[e\d+\] radio "(.*)" unchecked(?: focused)?)$')
# What is not the question's: frames of its parts, the field's keys and the button that adds a field.
FRAME = re.compile(
    r'region "Passage"$|figure "Figure \d+"$|\[e\d+\] button "Add another answer"$'
    r"|text: Tab indents and Shift\+Tab takes an indentation back\. To leave the field [\w ,]+ first\.$"
)
EXCERPT_CHARS = 40


def expected_text(kind: str, payload: Mapping[str, Any]) -> str:
    """What a page of this question kind must say. May raise ``GymError`` ``text_lost``."""
    return _packed(questions.get(kind).said(payload))


def observed_text(observation: str, *, look: Look, payload: Mapping[str, Any]) -> str:
    """What an axtree-v1 observation says of the question, in the order of its source.

    A line that the question should not have, a tool's button or a chosen radio among them, stays whole and so
    differs from the source; so does one before the heading or after the button that hands in. Raises
    ``GymError`` ``page_cut``, ``no_question``.
    """
    known = surroundings.question_lines(observation.split("\n"), payload, look)
    lines = [line.lstrip() for line in known]
    if CUT in lines:
        raise GymError(
            "page_cut", "The page is longer than an observation may be; what it ends with is lost."
        )
    wording = WORDINGS[look.wording]
    start = next((place for place, line in enumerate(lines) if HEADING.match(line)), None)
    button = re.compile(rf'\[e\d+\] button "{re.escape(wording.button)}"$')
    end = next((place for place, line in enumerate(lines) if button.match(line)), None)
    if start is None or end is None:
        raise GymError("no_question", "The page has no heading with a button to hand in after it.")
    parts = [lines[start + 1 : end], lines[end + 1 :]]
    if look.form == "above":
        # The choices stand in the form, and the source names them last.
        parts.reverse()
    head = [line for line in lines[:start] if not HEAD.match(line)]
    form = _form_of(wording, is_dialog=look.form == "dialog")
    kept = [line for line in (*head, *parts[0], *parts[1]) if not form.match(line)]
    return _packed("".join(map(_words, kept)))


def difference(*, expected: str, observed: str) -> str | None:
    """Where two texts part, for people to read; None when they are the same."""
    if observed == expected:
        return None
    pairs = enumerate(zip(expected, observed, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(expected), len(observed)))
    start = max(place - EXCERPT_CHARS // 2, 0)
    ours, theirs = (text[start : start + EXCERPT_CHARS] for text in (expected, observed))
    return f"the source has {ours!r} where the observation has {theirs!r}"


def _form_of(wording: Wording, *, is_dialog: bool) -> re.Pattern[str]:
    """The lines of a form in which nothing was typed yet, and of the dialog it may stand in."""
    label = re.escape(wording.label)
    field = rf'\[e\d+\] textbox "{label}(?: 1)?" value=""(?: focused)?$'
    lines = rf'radiogroup "{label}"$|{field}|{FRAME.pattern}'
    if not is_dialog:
        return re.compile(lines)
    buttons = rf'\[e\d+\] button "(?:{re.escape(wording.opener)}|{re.escape(wording.closer)})"$'
    return re.compile(rf'{lines}|(?:dialog|heading 2) "{re.escape(wording.opener)}"$|{buttons}')


def _words(line: str) -> str:
    """The words of the question that a line says; a line of another kind is said whole."""
    if named := NAMED.match(line):
        return str(named[1] or named[2])
    mark = WORDS.match(line)
    return line[mark.end() :] if mark else line


def _packed(text: str) -> str:
    return DOLLARS.sub("$", SPACE.sub("", text))
