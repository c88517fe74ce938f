r"""Declarations of letters that an answer introduces: ``k \in \mathbb{Z}``, ``where c is any constant``."""

from __future__ import annotations

import re

LETTER = r"[A-Za-z](?:_\{?\d\}?)?"
LETTERS = rf"(?<![A-Za-z\\]){LETTER}(?:\s*(?:,|\band\b)\s*{LETTER})*(?![A-Za-z])"
ARTICLES = r"(?:(?:is|are|being|an?|any|all|every|each|some|arbitrary|the|for|real|positive|non-?zero)\s+)*"
INTEGERS = r"integers?|whole numbers?"
NUMBERS = (
    rf"(?:{INTEGERS}|constants?(?: of integration)?|reals?|(?:real|natural|rational|complex) numbers?"
    r"|parameters?)"
)
SET = r"(?:\\mathbb\s*\{?\s*[ZNQRC]\s*\}?|[ZNQRC](?![A-Za-z])|[\u2124\u2115\u211d\u211a])"
IN_SET = re.compile(rf"({LETTERS})\s*\\in\s*({SET})")
AFTER_LETTER = re.compile(rf"({LETTERS})\s*,?\s*{ARTICLES}({NUMBERS})\b")
BEFORE_LETTER = re.compile(rf"\b({NUMBERS})\s+({LETTERS})")
BLACKBOARD = str.maketrans("\u2124\u2115\u211d\u211a", "ZNRQ")
DECLARED = re.compile(r"\\in\b|\u2208|integer|whole|constant|real|natural|rational|complex|parameter")
"""A quick test that matches wherever one of the patterns above could match."""
TEXT = r"(?:\\text\s*\{)?\s*"
LEAD = (
    rf"\s*(?:[,;(]\s*{TEXT}(?:(?:where|with|for|when|and)\b)?|{TEXT},?\s*(?:where|with|for|when)\b)\s*\}}?\s*"
)
AT_END = re.compile(
    rf"(?<=\S){LEAD}(?:{LETTERS}\s*\\in\s*{SET}|{LETTERS}\s*{TEXT},?\s*{ARTICLES}{NUMBERS}"
    rf"|{ARTICLES}{NUMBERS}\s*\}}?\s*{LETTERS})\s*\}}?\s*\)?\s*\.?\s*$"
)

FAMILY = re.compile(rf"^\s*\\?\{{(.+?)(?:\||:|\\mid)\s*{LETTERS}\s*\\in\s*{SET}\s*\\?\}}\s*$")
"""A family in set notation: ``\\{2k \\mid k \\in \\mathbb{Z}\\}``"""


def free_letters(text: str) -> dict[str, str]:
    """Find the letters that a text declares as free, each with its set (``Z``, ``N``, ``Q`` or ``R``)."""
    if not DECLARED.search(text):
        return {}
    plain = re.sub(r"\\text\s*\{([^{}]*)\}|[$()]|\\[,;:! ]", lambda match: f" {match[1] or ''} ", text)
    free: dict[str, str] = {}
    for match in IN_SET.finditer(plain):
        free |= dict.fromkeys(_letters(match[1]), _set_of(match[2]))
    for pattern, letters in ((AFTER_LETTER, 1), (BEFORE_LETTER, 2)):
        for match in pattern.finditer(plain):
            free |= dict.fromkeys(_letters(match[letters]), _set_of(match[0]))
    return free


def _set_of(words: str) -> str:
    if "positive" in words or "natural" in words:
        return "N"
    if re.search(INTEGERS, words):
        return "Z"
    named = re.search(r"[ZNQRC](?=\W*$)", words.translate(BLACKBOARD))
    return named[0] if named else "R"


def are_of_other_sets(gold: dict[str, str], answer: dict[str, str]) -> bool:
    """Return whether gold and answer both declare the sets of their letters and have no set in common."""
    return bool(gold and answer) and not set(gold.values()) & set(answer.values())


def without_declarations(text: str) -> str:
    """Return the text without the declarations that follow its value."""
    if not DECLARED.search(text):
        return text
    family = FAMILY.match(text)
    return AT_END.sub("", family[1] if family else text)


def _letters(text: str) -> list[str]:
    return re.findall(r"[A-Za-z](?:_\{?\d\}?)?", re.sub(r"\band\b", ",", text))
