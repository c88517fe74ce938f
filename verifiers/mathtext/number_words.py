"""Whole numbers written in English words."""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.mathtext.vocabulary import SMALL_NUMBERS, THOUSANDS
from verifiers.numbers.notation import Written

# Between letters a hyphen joins number words ("twenty-one"); elsewhere it is a minus sign or a dash.
HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")


def written_in_words(text: str) -> Written | None:
    """Parse a text that consists of a whole number in words, with or without ``minus``."""
    words = HYPHEN.sub(" ", text.strip().lower().removesuffix("."))
    bare = words.removeprefix("minus ")
    whole = number_in_words(bare)
    return None if whole is None else Written(Fraction(whole if bare == words else -whole))


def number_in_words(text: str) -> int | None:
    """Parse ``one hundred and five`` as 105; None if the words are not exactly one number."""
    total, part, limit, before = 0, 0, None, ""
    for word in text.split():
        value = SMALL_NUMBERS.get(word)
        if word == "and":
            if before != "hundred" and before not in THOUSANDS:
                return None
        elif word == "hundred":
            if not 0 < part < 10:
                return None
            part *= 100
        elif word in THOUSANDS:
            if not part or (limit is not None and THOUSANDS[word] >= limit):
                return None
            total, part, limit = total + part * THOUSANDS[word], 0, THOUSANDS[word]
        elif value is None or not _fits(part, value, before):
            return None
        else:
            part += value
        before = word
    return total + part if before and before != "and" else None


def _fits(part: int, value: int, before: str) -> bool:
    """Return whether a number below 100 can follow: ``five`` can follow ``twenty``, but not ``twelve``."""
    if not before:
        return True
    is_after_tens = part % 100 >= 20 and part % 10 == 0 and 0 < value < 10
    return before != "zero" and value > 0 and (part % 100 == 0 or is_after_tens)
