"""Words around values: what a short sentence names, and what follows the value of a gold."""

from __future__ import annotations

import re
from typing import NamedTuple

from verifiers.mathtext.normalization import words_of
from verifiers.mathtext.vocabulary import CONSTANTS, FUNCTIONS, GREEK, HEDGES, NAMELESS, NOT_UNITS, VERBS

VERB = re.compile(rf"\s+(?:{'|'.join(sorted(VERBS))})\s+", re.IGNORECASE)
SIGN = re.compile(r"\s*[:=]\s*")
SUBJECT = re.compile(r"[^\d=<>+*/^_|&]{1,120}")
WORD = re.compile(r"(?<!\\)\b[A-Za-z]{3,}\b")
TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
BEFORE_VALUE = re.compile(
    r"^(?:at |in )?(?:exactly |only |just )?(?:the )?(?:point|number|interval|set|vector|value)?\s+"
    r"(?=[\d\\({\[$-])"
)
AFTER_VALUE = re.compile(r"(?<=[\d)}\]])\s*(?:\\text\s*\{([^{}\d]*)\}|([A-Za-z][A-Za-z\s]*))$")
HARMLESS = frozenset(["is", "are", "all", "any", "in"])
ENDLESS = re.compile(
    r"(?:there (?:is|are) )?(?:an? )?infinit(?:e|y|ely)(?: many)?(?: number of)?((?: [a-z]{3,}){0,2})"
)


class Named(NamedTuple):
    """A value as text, and the words that name it in one spelling ("" when they say nothing)."""

    label: str
    value: str


def named_value(text: str) -> Named | None:
    """``The area is 12``, ``Alice: 4``; None without a name in words, and where the words hedge or negate."""
    plain = TEXT.sub(r" \1 ", text).strip()
    for match in (*reversed([*VERB.finditer(plain)]), *reversed([*SIGN.finditer(plain)])):
        subject, value = plain[: match.start()], plain[match.end() :]
        if SUBJECT.fullmatch(subject) and _is_name(subject, is_sign=match[0].strip() in (":", "=")):
            words = [word for word in words_of(subject).split() if word not in NAMELESS]
            return Named(" ".join(words), BEFORE_VALUE.sub("", value))
    return None


def _is_name(subject: str, *, is_sign: bool) -> bool:
    """Words of a language; before a sign three letters may be three variables, but for a capitalised name."""
    words = subject.lower().replace("'", " ").split()
    letters = WORD.findall(subject)
    if HEDGES.intersection(words) or FUNCTIONS.intersection(words) or re.search(r"n't\b", subject):
        return False
    return any(len(word) > 3 or not is_sign or word.istitle() for word in letters)


def without_trailing_words(text: str) -> str | None:
    """``12 is the largest`` as ``12``; None without such words, and where they change the value."""
    match = AFTER_VALUE.search(text)
    if not match:
        return None
    words = (match[1] or match[2] or "").lower().split()
    is_changed = (NOT_UNITS - HARMLESS).intersection(words) or FUNCTIONS.intersection(words)
    is_named = any(len(word) > 2 for word in words) and not (GREEK | CONSTANTS.keys()).intersection(words)
    return text[: match.start()] if is_named and not is_changed else None


def is_endless(text: str) -> bool:
    """Whether words say "infinitely many", of whatever."""
    match = ENDLESS.fullmatch(words_of(text))
    return match is not None and not (NOT_UNITS | HEDGES).intersection(match[1].split())
