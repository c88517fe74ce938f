"""The single number that a short text states; currency, units and plain words around it are skipped.

The text must contain exactly one number; with unfinished arithmetic, alternatives, denials or bounds it
states none.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from pathlib import Path
from typing import Any

from core.text.toml import toml_load
from verifiers.answer_text import list_boxes
from verifiers.numbers.notation import CURRENCY, NUMBER, Written, evaluate_match, plain_number, prepare

_TABLES = toml_load(Path(__file__).with_name("words.toml"), dict[str, Any])
MAGNITUDES: dict[str, int] = _TABLES["magnitudes"]
HEDGES = frozenset(" ".join(_TABLES["hedges"].values()).split()) - MAGNITUDES.keys()
HEDGES_ABROAD = HEDGES - set(_TABLES["hedges"]["en"].split())
FUNCTION_OF = re.compile(r"\b(?:square|cube|multiple|factor|power|function) of\b", re.IGNORECASE)
UNIT_SIGNS = frozenset("\u00b5\u03bc\u2126\u03a9\u212a\u212b")  # micro, ohm, kelvin, angstrom
SCRIPTS = ("LATIN", "CYRILLIC", "CJK", "HIRAGANA", "KATAKANA", "HANGUL")
"""Scripts of the languages in the table; in other scripts, any word could be a denial."""
HEDGING_SIGNS = tuple(_TABLES["hedges"]["signs"].split())
WORDS = re.compile(r"[^\W\d_]+")
ONE_LETTER_UNITS = frozenset("mgshl")
EMPHASIS = re.compile(r"(?<!\S)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?=[\s.,:]|$)")
PERCENT = re.compile(r"\\?%|\bper ?cent(?:age)?\b", re.IGNORECASE)
PUNCTUATION = frozenset(" .,:=(){}'\"\u00b0\uff1a\u3002\uff0c$")
POWER_OF_UNIT = re.compile(r"(?<=[A-Za-z])\s*\^\s*\{?[23]\}?(?!\w)")


def stated_number(text: str) -> Written | None:
    """Find the single number that a text states, and whether it is a percentage; None if there is none."""
    if number := plain_number(text):
        return number
    contents = {content for _, _, content in list_boxes(text)} or {text}
    if len(contents) > 1:
        return None
    (text,) = contents
    plain = POWER_OF_UNIT.sub("", CURRENCY.sub(" $ ", prepare(EMPHASIS.sub(" ", text))))
    without_percent = PERCENT.sub("", plain)
    match = next((match for match in NUMBER.finditer(without_percent) if match[0].strip(" +-")), None)
    if match is None:
        return None
    factor = _factor_of_words(without_percent[: match.start()], without_percent[match.end() :])
    number = evaluate_match(match)
    if factor is None or number is None:
        return None
    places = number.places if factor == 1 else 0
    return Written(number.value * factor, places, is_percent=without_percent != plain, magnitude=factor)


def _factor_of_words(before: str, after: str) -> int | None:
    """Return the factor given by words around a number ("million"); None if they change it in another way."""
    if not all(char.isalpha() or char in PUNCTUATION for char in before + after):
        return None
    if "=" in after or before.count("=") > 1 or re.search(r"\w\($|(?<![A-Za-z])[A-Za-z]$", before):
        return None
    around = before + " " + after
    words = [word.lower() for word in WORDS.findall(around.replace("'", ""))]
    if _is_hedged(around, words):
        return None
    unit = WORDS.match(after.strip())
    if unit and len(unit[0]) == 1 and unit[0].isascii() and unit[0] not in ONE_LETTER_UNITS:
        return None
    magnitudes = [MAGNITUDES[word] for word in words if word in MAGNITUDES]
    if not magnitudes:
        return 1
    is_plain = len(magnitudes) == 1 and unit is not None and unit[0].lower() in MAGNITUDES
    return magnitudes[0] if is_plain else None


def _is_hedged(text: str, words: list[str]) -> bool:
    """Return whether words deny, bound or change a number, or are in a script that the table lacks."""
    elided = [word.lower() for word in WORDS.findall(text) if len(word) > 1]  # "d'environ"
    if HEDGES.intersection(words + elided) or FUNCTION_OF.search(text):
        return True
    if text.isascii():
        return False
    letters = {char for char in text if char.isalpha() and not char.isascii()} - UNIT_SIGNS
    is_foreign = any(not unicodedata.name(char, "").startswith(SCRIPTS) for char in letters)
    return is_foreign or any(sign in text for sign in HEDGING_SIGNS)


def possible_values(number: Written) -> set[Fraction]:
    """Return the values that a number may mean; a percentage means itself or a hundredth of it."""
    return {number.value, number.value / 100} if number.is_percent else {number.value}
