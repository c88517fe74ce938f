"""MMMU's official reading of a response.

Source: MMMU-Benchmark/MMMU, ``mmmu/utils/eval_utils.py`` and, for the line ``Answer: X``, MMMU-Pro's
``mmmu-pro/evaluate.py``. Where the official code finds no choice and picks at random, this one returns none.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Sequence

LETTERS = string.ascii_uppercase
LETTERS_WITHOUT_OPTIONS = LETTERS[:10]
EDGES = ",.!?;:'"
ANNOUNCED = "Answer:"
WORDS_OF_A_SENTENCE = 5
INDICATORS = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
NUMBERS = (
    re.compile(r"-?\b\d{1,3}(?:,\d{3})+\b"),
    re.compile(r"-?\d+(?:\.\d+)?[eE][+-]?\d+"),
    re.compile(r"-?(?:\d+\.\d+|\.\d+|\d+\b)(?![eE][+-]?\d+)(?![,\d])"),
)
SENTENCES = re.compile(r"\.\s(?=[A-Z])|\n")

Form = str | float


def find_letter(response: str, options: Sequence[str]) -> str | None:
    """Find the letter that a response to a multiple-choice question gives; None when it gives none.

    The one letter after the last ``Answer:``; else the last ``(A)``, else the last `` A ``, else, in more
    than five words, the last option named by its text; else the last ``A.`` (MMMU-Pro).
    """
    letters = LETTERS[: len(options)] if options else LETTERS_WITHOUT_OPTIONS
    announced = _find_announced(response, letters)
    if announced:
        return announced
    text = response
    for edge in EDGES:
        text = text.strip(edge)
    text = f" {text} "
    is_sentence = len(text.split()) > WORDS_OF_A_SENTENCE and bool(options)
    texts = dict(zip(letters, (option.lower() for option in options if is_sentence), strict=False))
    return (
        _last(letters, lambda letter: text.rfind(f"({letter})"))
        or _last(letters, lambda letter: text.rfind(f" {letter} "))
        or _last(texts, lambda letter: text.lower().rfind(texts[letter]))
        or _last(letters, lambda letter: text.rfind(f" {letter}."))
    )


def _find_announced(response: str, letters: str) -> str | None:
    _, marker, rest = response.rpartition(ANNOUNCED)
    named = [letter for letter in letters if letter in rest] if marker else []
    return named[0] if len(named) == 1 else None


def _last(letters: Iterable[str], position: Callable[[str], int]) -> str | None:
    """Return the letter at the last position; None if none has one (-1)."""
    places = {letter: position(letter) for letter in letters}
    best = max(places, key=lambda letter: places[letter], default="")
    return best if places.get(best, -1) >= 0 else None


def list_tails(response: str) -> list[str]:
    """List the text after the last sign of an answer ("is", "so", in the last line "=", ...) in each line."""
    text = response.strip().strip(".").lower()
    lines = SENTENCES.split(text)
    tails = []
    for index, line in enumerate(lines):
        signs = (*INDICATORS, "=") if index == len(lines) - 1 else INDICATORS
        candidates = [line.split(sign)[-1].strip() for sign in signs if sign in line]
        tail = min(filter(None, candidates), key=len, default="")
        if tail and tail not in EDGES:
            tails.append(tail)
    return tails or [text]


def list_forms(tail: str) -> list[Form]:
    """Normalise the tail and every number in it."""
    numbers = [number for pattern in NUMBERS for number in pattern.findall(tail)]
    return [form for text in (tail, *numbers) for form in normalise(text)]


def normalise(text: str) -> list[Form]:
    """Round a number to two decimals, or lower a text's case; one character alone must stand apart."""
    plain = text.strip()
    try:
        return [round(float(plain.replace(",", "")), 2)]
    except ValueError:
        lowered = plain.lower()
    return [f" {lowered}", f"{lowered} "] if len(lowered) == 1 else [lowered]


def is_open_match(golds: Sequence[str], forms: Sequence[Form]) -> bool:
    """Return whether a gold number is among the forms, or a gold text is contained in one."""
    gold_forms = [form for gold in golds for form in normalise(gold)]
    return any(
        any(isinstance(gold, str) and gold in form for gold in gold_forms)
        if isinstance(form, str)
        else form in gold_forms
        for form in forms
    )
