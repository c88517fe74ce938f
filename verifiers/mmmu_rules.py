"""MMMU's official rules for reading a response.

Source: MMMU-Benchmark/MMMU, ``mmmu/utils/eval_utils.py`` and, for the line ``Answer: X``, MMMU-Pro's
``mmmu-pro/evaluate.py``. Where the official code finds no choice and picks one at random, this code returns
None.
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
    """Return the letter that a response to a multiple-choice question gives, or None.

    The rules are tried in this order: the single letter after the last ``Answer:``; the last ``(A)``; the
    last `` A ``; in a response of more than five words, the last option quoted by its text; the last ``A.``
    (MMMU-Pro).
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
    """Return the letter with the largest position; None if every position is -1."""
    places = {letter: position(letter) for letter in letters}
    best = max(places, key=lambda letter: places[letter], default="")
    return best if places.get(best, -1) >= 0 else None


def list_tails(response: str) -> list[str]:
    """List each line's text after its last announcement of an answer ("is", "so"; "=" in the last line)."""
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
    """List the normalised forms of a tail and of every number in it."""
    numbers = [number for pattern in NUMBERS for number in pattern.findall(tail)]
    return [form for text in (tail, *numbers) for form in normalise(text)]


def normalise(text: str) -> list[Form]:
    """Round a number to two decimals, or lower-case a text; a single letter gets a space on either side."""
    plain = text.strip()
    try:
        return [round(float(plain.replace(",", "")), 2)]
    except ValueError:
        lowered = plain.lower()
    return [f" {lowered}", f"{lowered} "] if len(lowered) == 1 else [lowered]


def is_open_match(golds: Sequence[str], forms: Sequence[Form]) -> bool:
    """Return whether the forms include a gold number, or one of them contains a gold text."""
    gold_forms = [form for gold in golds for form in normalise(gold)]
    return any(
        any(isinstance(gold, str) and gold in form for gold in gold_forms)
        if isinstance(form, str)
        else form in gold_forms
        for form in forms
    )
