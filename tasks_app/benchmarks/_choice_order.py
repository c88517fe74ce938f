"""Rules for whether the choices of a question may be permuted.

They may be if no choice refers to the others or to its own position. "All of the above" is wrong at the top,
"both A and C" becomes wrong as soon as a text moves, and "neither" belongs at the end. "I and II only" may
move because Roman numerals count statements in the question. So may "when A and B are true", because capital
letters inside a longer sentence are names. Fixing a choice needlessly costs a little training signal, but
moving one wrongly spoils the item, so the order is fixed when in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

Order = Literal["free", "fixed"]

_ALL = r"(?:all|both|any|none|nei?ther|either|each|everything|more than one|only one)"
_SOME = rf"(?:{_ALL}|one|two|three|some|most)"
_THE = r"(?:(?:of|the|these|those|other|given|listed|two|three|four|first|last) )"
_THEM = r"(?:these|those|them|the others?|the (?:two|three|four)|the following)"
_NOUN = r"(?:answer )?(?:options?|choices?|alternatives?|answers?)"
_STATED = r"(?:listed|given|mentioned|named|stated)"
_NTH = r"(?:first|second|third|fourth|last|previous|preceding|other|next)"
_LETTER = r"\(?[a-h]\)?\.?"
_DIGIT = r"\(?[1-9]\)?\.?"
_AND = r"(?:\s*[,&+/]\s*(?:and |or )?|\s+(?:and|or|nor|but not|and/or|plus)\.? )"
_TO = r"(?:\s*[-\u2013]\s*|\s+(?:to|through)\s+)"
_TRUE = r"(?:(?:both|all|equally) )*(?:true|correct|right|false|incorrect|wrong|possible|valid|acceptable)"
_ARE = r"(?:are|is|were|both|can|could|do|does|will|would|may|might|apply|combined|together)"
_BUT = r"(?:but|except|save|besides|bar|other than|apart from|excluding)(?: for)?"

_ANYWHERE = (
    # "None of the above", "all the above", "both above"; not "0.5 above the mean"
    r"\bof (?:the )?(?:\w+ )?(?:above|foregoing|preceding|aforementioned)\b(?!-)",
    rf"\b(?:{_SOME}|of|the|as|see) (?:the )?above\W*$",
    # "Everything listed above", "the answers above are wrong", "1 and 2 above"
    rf"\b(?:{_NOUN}|{_STATED}|statements?) above\b|\b{_DIGIT} above\W*$",
    rf"\bno (?:correct|right) {_NOUN}\b|\bno {_NOUN} (?:is|are) {_TRUE}\b",
    # "The second and third choices"
    rf"\bthe (?:{_NTH}(?:{_AND}(?:the )?{_NTH})+|{_NTH}) (?:(?:two|three) )?{_NOUN}\b",
    # "Same as A", "all except A", "everything but B and C"
    rf"\b(?:same|identical|equal|similar|opposite) (?:as|to|of) (?:in )?(?:{_NOUN} )?{_LETTER}\W*$",
    rf"\b(?:{_SOME}|them|these) {_BUT} (?:{_NOUN} )?{_LETTER}(?:{_AND}{_LETTER})*\W*$",
)
_FROM_THE_START = (
    # "All above are true"
    rf"(?:{_ALL} )?(?:the )?above(?:\W*$| (?:are|is)\b)",
    # "Neither of these", "both of them are true", "two of the following", "none of these four options"
    rf"{_SOME} (?:of )?{_THEM}(?: (?:two|three|four))?(?:\W*$| (?:{_NOUN}|(?:is|are) {_TRUE})\b)",
    # "The other three are all true", "all three of the others", "the previous two"
    rf"(?:{_SOME} )?(?:of )?the {_NTH} (?:one|two|three|four)(?:\W*$| (?:is|are) {_TRUE}\b)",
    rf"{_ALL} (?:one|two|three|four) (?:of )?{_THEM}\W*$",
    rf"the others(?:\W*$| are {_TRUE}\b)",
    # "All options given are correct", "all of the statements", "none of the listed"
    rf"{_SOME} {_THE}*{_NOUN}\b|{_SOME} {_THE}+(?:statements|responses)\b",
    rf"{_SOME} (?:of )?(?:the|those) {_STATED}\b|{_SOME} (?:are |is )?{_STATED}\W*$",
    # "All but the last"
    rf"{_SOME} {_BUT} the (?:first|last)\W*$",
    # "Both A and B are true", "neither a nor. b", "both 1 and 2"
    rf"{_ALL} (?:of )?(?:{_LETTER}{_AND}{_LETTER}|{_DIGIT}{_AND}{_DIGIT})(?!\w)",
    # "A and C only", "a, b, and c", "A and B, but not C", "A to C", "only B", "1 and 2 only"
    rf"(?:only )?(?:{_NOUN} )?{_LETTER}(?:{_AND}{_LETTER})+(?: only| above|,? but not {_LETTER})?\W*$",
    rf"{_LETTER}{_TO}{_LETTER}\W*$",
    rf"(?:(?:only|not) {_LETTER}|{_LETTER} only)\W*$",
    rf"(?:{_DIGIT}(?:{_AND}{_DIGIT})+ only|only {_DIGIT}(?:{_AND}{_DIGIT})+)\W*$",
    # "C and D are both correct", "A and B together", "A is wrong", "1 and 2 are correct"
    rf"{_LETTER}(?:{_AND}{_LETTER})+,? {_ARE}\b|{_LETTER} is {_TRUE}\b",
    rf"{_DIGIT}(?:{_AND}{_DIGIT})+ (?:are|is) {_TRUE}\b",
    # "Both", "neither; they are the same", "all are correct", "all can", "all three"
    r"(?:all|both|nei?ther|none|either|any)(?: one| two| three| four)?(?:\W*$|\s*[;:,(\u2013\u2014])",
    rf"{_ALL} (?:(?:is|are) {_TRUE}|can|could|do|does|will|would|may|might|apply|applies)\W*$",
)
SPEAKS_OF_OTHERS = re.compile("|".join(_ANYWHERE), re.IGNORECASE)
BEGINS_WITH_OTHERS = re.compile("|".join(_FROM_THE_START), re.IGNORECASE)
NAMES_A_LABEL = re.compile(r"\b(?:[Oo]ptions?|[Cc]hoices?|[Aa]nswers?|[Aa]lternatives?) [A-E1-5]\b")
IN_BRACKETS = re.compile(r"(?:(?P<word>[A-Za-z]{4,}) )?(?<![\w)\]])\((?P<letter>[A-Ea-e])\)(?!\w)")
OWN_LABEL = re.compile(r"\(?([A-Ha-h])[).]\s")
LONE_LETTER = re.compile(r"[A-Ha-h]")


def decide_order(texts: Sequence[str]) -> Order:
    """Return ``fixed`` if a choice refers to others or if the choices carry their own letters."""
    is_fixed = any(speaks_of_others(text) for text in texts) or _have_own_letters(texts)
    return "fixed" if is_fixed else "free"


def speaks_of_others(text: str) -> bool:
    plain = " ".join(text.split())
    if BEGINS_WITH_OTHERS.match(plain) or SPEAKS_OF_OTHERS.search(plain) or NAMES_A_LABEL.search(plain):
        return True
    return "(" in plain and _points_at_letter(plain)


def _points_at_letter(text: str) -> bool:
    """Return whether a text refers to a letter: ``As (a) but warmer`` does, ``adenine (A)`` does not."""
    return any(
        match["word"] is None or match["word"][0].casefold() != match["letter"].casefold()
        for match in IN_BRACKETS.finditer(text)
    )


def _have_own_letters(texts: Sequence[str]) -> bool:
    """Return whether texts begin with letters of their own (``A. mass``) or are single letters."""
    marks = [OWN_LABEL.match(text) for text in texts]
    own = [place for place, mark in enumerate(marks) if mark and mark[1].upper() == chr(ord("A") + place)]
    return len(own) > 1 or all(LONE_LETTER.fullmatch(text) for text in texts)
