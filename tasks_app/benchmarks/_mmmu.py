"""MMMU's notation: lists as Python literals, pictures as ``<image k>``, formulas among prices."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from core import latex

LITERAL_MAX_CHARS = 20_000
PLACE = re.compile(r"<image ?(\d{1,2})>")

# A command, an exponent or an index; not a row of underscores to be filled in.
COMMAND_OR_SCRIPT = re.compile(r"\\[A-Za-z]+|[A-Za-z0-9)\]}|']\s?[\^_]\s?[A-Za-z0-9{(\\*+-]")
WORDS_OF_FORMULA = re.compile(r"\\(?:text|mathrm|mbox)\w*\s*\{[^{}]*\}|\\[A-Za-z]+")
# "10 or", "10-", "10 and the owner": what stands between two prices.
BETWEEN_PRICES = re.compile(
    r"[\d.,]+\s*(?:[-\u2013/+(]\s*$|[A-Za-z]{2,})|.*[A-Za-z]{3,} [A-Za-z]{3,}", re.DOTALL
)


def list_read(text: str) -> list[str]:
    """Parse a literal such as ``['$6', '<image 2>']``; numbers in it as text. Raises ``ValueError``."""
    if len(text) > LITERAL_MAX_CHARS:
        raise ValueError(f"a list has {len(text):,} characters; {LITERAL_MAX_CHARS:,} are read")
    try:
        items = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        items = None
    if not isinstance(items, list) or not all(type(item) in (str, int, float) for item in items):
        raise ValueError(f"{text[:80]!r} is not a list of texts")
    return [str(item) for item in items]


def places_in(texts: Sequence[str]) -> set[int]:
    return {int(number) for text in texts for number in PLACE.findall(text)}


def renumber(text: str, numbers: Mapping[int, int]) -> str:
    """Renumber the picture places of a text; a place without a new number stays as it is."""
    return PLACE.sub(
        lambda place: f"<image {numbers[int(place[1])]}>" if int(place[1]) in numbers else place[0], text
    )


def is_latex(texts: Sequence[str]) -> bool:
    """Return whether a formula has a command, an exponent or an index, and no two dollars are prices.

    In most subjects dollars are money. A text that has both is better shown as written.
    """
    formulas = [
        segment.text for text in texts for segment in latex.segments_split(text) if segment.is_formula
    ]
    if any(BETWEEN_PRICES.match(WORDS_OF_FORMULA.sub("", formula)) for formula in formulas):
        return False
    return any(COMMAND_OR_SCRIPT.search(formula) for formula in formulas)
