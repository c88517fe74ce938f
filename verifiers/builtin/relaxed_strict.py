"""Relaxed accuracy for training: numbers as people write them, with exact years and small counts.

ChartQA's official rule (``relaxed-v1``) does not understand thousands separators, currencies or words such as
"million", and its five percent accept any year of a century and any neighbour of a count of twenty or more.
Here ``verifiers/numbers`` reads the numbers, and integers under 100 and years must be exact, in percent too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from verifiers.answer_text import readable
from verifiers.builtin import relaxed
from verifiers.mathtext.number_words import written_in_words
from verifiers.numbers.notation import Written, written_number
from verifiers.numbers.statement import MAGNITUDES, stated_number
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, Verdict

EXACT_BELOW = 100
YEARS = range(1000, 2200)
MOST_RELATIVE_CHANGE = Fraction(str(relaxed.MOST_RELATIVE_CHANGE))
ROUGHLY = re.compile(r"^(?:~|\u2248|\u2243|\u2245|\u223c)\s*(?=[-\d.$])")
SUFFIXES = {"k": "thousand", "m": "million", "b": "billion"}
# A lower-case "m" means metres ("5.2m") unless the number is an amount of money.
SUFFIX = re.compile(r"(?<=\d)\s?([kKMB])(?![\w/\u00b2\u00b3^'])")
MONEY = re.compile(r"(?<=[$\u20ac\u00a3\u00a5])(\s?[\d.,]*\d)\s?(m|b)(?!\w)")
MINUS = re.compile(r"^minus (?=[\d.])", re.IGNORECASE)
SEPARATOR = re.compile(r"\s*(?:[,;]|,?\s+and\s)\s*")
OF_A_HUNDRED = re.compile(r"percent|per cent|\bpct\b|%|\b(?:share|proportion|rate)s?\b", re.IGNORECASE)


@verifier("relaxed_strict-v1", title="Relaxed accuracy, years and small integers exact")
def relaxed_strict(gold: Gold, evidence: Evidence) -> Verdict:
    """Allow numbers a deviation of five percent, years and integers under 100 none; texts must be equal.

    ``extra["question"]`` decides between readings. "68%" always means 0.68; it also matches a gold of 68 if
    the question asks for a percentage. "5.2 million" and "5,200,000" match a gold of 5.2 if the question
    names millions. Without a question, "68%" and "5.2 million" match either way.
    """
    question = gold.extra.get("question")
    return relaxed.judge(gold, evidence, lambda target, text: _is_right(target, text, question))


def _is_right(gold: str, text: str, question: object) -> bool:
    target, number = written_number(readable(gold) or ""), _number(readable(text) or "")
    if target is None or number is None or "/" in gold:
        return _same_text(gold, text) or _same_items(gold, text, question)
    is_exact = _is_exact(target)
    return any(
        value == expected if is_exact else abs(value - expected) <= MOST_RELATIVE_CHANGE * abs(expected)
        for expected, value in _pairs(target, number, question)
    )


def _same_text(gold: str, text: str) -> bool:
    left, right = gold.strip().lower(), text.strip().lower()
    return right == left or right.removesuffix(".") == left


def _same_items(gold: str, text: str, question: object) -> bool:
    """Compare with a gold that lists several values, such as ``[2010, 2011]``, in the gold's order."""
    if not (gold.startswith("[") and gold.endswith("]")):
        return False
    sides = [SEPARATOR.split(side.strip().strip("[]")) for side in (gold, text.strip().removesuffix("."))]
    return len(sides[0]) == len(sides[1]) > 1 and all(
        _is_right(target.strip(), item.strip(), question) for target, item in zip(*sides, strict=True)
    )


def _number(text: str) -> Written | None:
    """Parse the number that an answer states: "about" signs, words and suffixes such as ``k`` are allowed."""
    if number := written_in_words(text):
        return number
    text = MONEY.sub(lambda match: f"{match[1]}{match[2].upper()}", ROUGHLY.sub("", text))
    text = SUFFIX.sub(lambda match: f" {SUFFIXES[match[1].lower()]}", MINUS.sub("-", text))
    return stated_number(text)


def _pairs(target: Written, number: Written, question: object) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the gold's value and the answer's value for each reading that the question allows."""
    hundredths = [
        written.value / 100 if written.is_percent else written.value for written in (target, number)
    ]
    yield hundredths[0], hundredths[1]
    if target.is_percent != number.is_percent and (question is None or OF_A_HUNDRED.search(str(question))):
        yield target.value, number.value
    named = {value for value in MAGNITUDES.values() if question and _names(str(question), value)}
    if len(named) == 1 and number.magnitude == 1 and not number.is_percent:
        yield target.value * named.pop(), number.value
    if number.magnitude > 1 and (question is None or _names(str(question), number.magnitude)):
        yield target.value, number.value / number.magnitude


def _names(question: str, magnitude: int) -> bool:
    words = "|".join(word for word, value in MAGNITUDES.items() if value == magnitude)
    return re.search(rf"\b(?:{words})s?\b", question, re.IGNORECASE) is not None


def _is_exact(gold: Written) -> bool:
    if gold.value.denominator != 1:
        return False
    return abs(gold.value) < EXACT_BELOW or int(gold.value) in YEARS
