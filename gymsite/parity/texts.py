"""What a page must say, from the task's source, and what it did say, from the observation.

Both become one line without white space, in which a formula stands between dollars, and dollars that meet
are one. Nothing else is dropped: the stretches that the source is cut into are joined again and compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from gymsite.core import latex
from gymsite.core.errors import GymError

SPACE = re.compile(r"\s+")
DOLLARS = re.compile(r"\$+")
ESCAPED = re.compile(r"\\(?:([$%&#_{}])|.)", re.DOTALL)
DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
HEADING = re.compile(r'heading 1 "')
FIELD = re.compile(r"\[e\d+\] textbox ")
SAID = re.compile(r"text: |\| |preformatted:$")
EXCERPT_CHARS = 40

Expected = Callable[[Mapping[str, object]], str]


def expected_text(kind: str, payload: Mapping[str, object]) -> str:
    """What a page of this question kind must say.

    Raises ``GymError`` ``no_parity_rule`` for a kind without a rule, and ``text_lost``.
    """
    rule = RULES.get(kind)
    if rule is None:
        raise GymError("no_parity_rule", f"There is no parity rule for the question kind {kind!r}.")
    return rule(payload)


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


def _free_answer(payload: Mapping[str, object]) -> str:
    text = str(payload["text"])
    return _packed(_latex_said(text) if payload.get("format") == "latex" else text)


def _latex_said(text: str) -> str:
    segments = list(latex.segments_split(text))
    if "".join(segment.raw for segment in segments) != text:
        raise GymError("text_lost", "Cutting the text into words and formulas lost some of it.")
    return "".join(_segment_said(segment) for segment in segments)


def _segment_said(segment: latex.Segment) -> str:
    if segment.is_formula:
        return f"${_formula_body(segment.raw)}$"
    if segment.kind == "source":
        return segment.raw
    return ESCAPED.sub(lambda found: found[1] or found[0], segment.raw)


def _formula_body(raw: str) -> str:
    """A formula without its delimiters; an environment is its own."""
    for opener, closer in DELIMITERS:
        if raw.startswith(opener) and raw.endswith(closer):
            return raw[len(opener) : -len(closer)]
    return raw


def _packed(text: str) -> str:
    return DOLLARS.sub("$", SPACE.sub("", text))


RULES: Mapping[str, Expected] = {"free_answer": _free_answer}
