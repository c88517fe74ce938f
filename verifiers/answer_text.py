"""The single short answer in an agent's evidence, made safe to parse."""

from __future__ import annotations

import re
import unicodedata

from verifiers.limits import PARSED_CHARS, SHORT_ANSWER_CHARS
from verifiers.types import Evidence, Gold, Verdict

EDGES = re.compile(r"^[\s\u200b\u200c\u200d\u200e\u2060\ufeff]+|[\s\u200b\u200c\u200d\u200e\u2060\ufeff]+\Z")
"""White space and zero-width characters around a text."""
UNREADABLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
BLANKS = "\t\n\r\f"
CHARACTERS = str.maketrans(
    {
        **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
        **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2008\u2009\u200a\u202f\u205f\u3000" + BLANKS, " "),
        **dict.fromkeys("\u2018\u2019\u02bc\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u2033", '"'),
        "\u066a": "%",
        "\uff05": "%",
        "\uff0c": ",",
        "\uff1d": "=",
    }
)
BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
DOUBTS = re.compile(
    r"\b(?:or|not|never|neither|nor|either|maybe|perhaps|wrong|incorrect|\w+n'?t"
    r"|nicht|kein\w*|niemals|falsch|oder|vielleicht|pas|jamais|faux|no es|nunca|falso|n\u00e3o|niet|geen"
    r"|inte|ikke|\u043d\u0435|\u043d\u0435\u0442|\u0438\u043b\u0438|\u043d\u0435\u0432\u0435\u0440\u043d\u043e|de\u011fil)\b"
    r"|\u4e0d\u662f|\u5e76\u975e|\u4e0d\u5bf9|\u9519|\u6216|\u306a\u3044|\uc544\ub2c8|\ub610\ub294",
    re.IGNORECASE,
)
JOINED_BEFORE = re.compile(r"[-+*/^\d]\s*$")
JOINED_AFTER = re.compile(
    r"\s*[-+*/^_]|.*\b(?:hundred|thousand|[mb]illion|trillion|dozen)\b"
    r"|\s*(?:mil\b|mille\b|mila\b|tausend|mill?i[oó]n|milliard|milh|\u0442\u044b\u0441|\u043c\u043b\u043d|\u043c\u0438\u043b\u043b\u0438"
    r"|[\u5343\u4e07\u842c\u4ebf\u5104\ucc9c\ub9cc\uc5b5])",
    re.IGNORECASE | re.DOTALL,
)
POWER_OF_LETTER = re.compile(r"(?<=[A-Za-z}])\s*\^\s*\{?[23]\}?")


def short_answer(evidence: Evidence) -> str | None:
    """Return the single answer; None if there is none or more than one, if it is too long or contains
    invisible characters, or if the text around a box casts doubt on it.

    Invisible characters are rejected, not dropped, because dropping them could join words that a reader sees
    as separate.
    """
    answers = (evidence.answer,) if isinstance(evidence.answer, str) else evidence.answer
    if len(answers) != 1 or len(answers[0]) > SHORT_ANSWER_CHARS:
        return None
    text = readable(answers[0])
    return None if text is None or is_hedged_box(text) else text


def readable(text: str) -> str | None:
    """Normalise look-alike characters; return None if the text is blank or contains invisible characters.

    Zero-width characters around the text are dropped, as spaces are. Inside the text they make it unreadable,
    because dropping them could join words that a reader sees as separate. So do characters that could reverse
    the reading order.
    """
    plain = EDGES.sub("", text.translate(CHARACTERS))
    if not plain:
        return None
    if not plain.isprintable() and any(unicodedata.category(char) in UNREADABLE_CATEGORIES for char in plain):
        return None
    return plain


def gold_answers(gold: Gold) -> tuple[str, ...]:
    """List every accepted answer, the reference first."""
    return (gold.answer, *gold.accepted)


def closing_brace(text: str, start: int) -> int:
    """Return the index of the brace that closes the one at ``start``, or the text's length if none does."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] in "{}" and (index == 0 or text[index - 1] != "\\"):
            depth += 1 if text[index] == "{" else -1
            if depth == 0:
                return index
    return len(text)


def list_boxes(text: str) -> list[tuple[int, int, str]]:
    """List the start, end and content of every outermost ``\\boxed{...}`` or ``\\fbox{...}``, in order."""
    spans = []
    position = 0
    while match := BOX.search(text, position):
        end = closing_brace(text, match.end() - 1)
        spans.append((match.start(), min(end + 1, len(text)), text[match.end() : end].strip()))
        position = end
    return spans


def is_hedged_box(text: str) -> bool:
    """Return whether the text around the boxes doubts them, computes with them, or names another number.

    A derivation before the box does not count as any of these.
    """
    spans = list_boxes(text)
    if not spans:
        return False
    before, after = text[: spans[0][0]], text[spans[-1][1] :]
    return (
        DOUBTS.search(before + " . " + after) is not None
        or JOINED_BEFORE.search(before) is not None
        or JOINED_AFTER.match(after) is not None
        or any(char.isdigit() for char in POWER_OF_LETTER.sub("", after))
    )


def unparsable(*, gold: str = "", answer: str = "") -> Verdict:
    """Build the verdict on an answer that cannot be read."""
    return Verdict(
        correct=False,
        reason="unparsable_answer",
        parsed_gold=gold[:PARSED_CHARS],
        parsed_answer=answer[:PARSED_CHARS],
    )


def make_verdict(correct: bool, *, gold: str, answer: str) -> Verdict:
    """Build the verdict on an answer that could be read; the score is 1 if it is correct, else 0."""
    return Verdict(
        correct=correct,
        score=1.0 if correct else 0.0,
        parsed_gold=gold[:PARSED_CHARS],
        parsed_answer=answer[:PARSED_CHARS],
    )
