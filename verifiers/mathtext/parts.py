"""Names of the parts of a list: ``Alice 3, Bob 5``, ``3 (Alice)``, ``5 apples and 3 pears``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifiers.mathtext.normalization import extract_words
from verifiers.mathtext.vocabulary import CONSTANTS, FUNCTIONS, GREEK, HEDGES, NOT_UNITS, UNITS

VALUE = r"(?P<value>-?(?:\d|\\frac|\\sqrt|\\\$).*?)"
NAME = r"(?:\\text\s*\{\s*)?(?P<name>[A-Za-z][A-Za-z' ]{2,})\s*\}?"
PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]*| \d{{1,2}})?)\s*:?\s+{VALUE}$",
        rf"^(?:the )?(?P<name>[a-z]{{4,}}(?: [a-z]{{3,}}){{0,2}})\s*:?\s+{VALUE}$",
        rf"^(?P<name>[A-Z])\s*:\s*{VALUE}$",
        rf"^\\text\s*\{{\s*(?P<name>[A-Za-z][A-Za-z ]{{2,}})\s*:?\s*\}}\s*:?\s*{VALUE}$",
        rf"^{VALUE}\s*\(\s*{NAME}\s*\)$",
        rf"^{VALUE}\s+(?:for|to|by)\s+(?:the )?{NAME}$",
        rf"^(?P<value>-?\d[\d.,/]*|\\frac\s*\{{\d+\}}\s*\{{\d+\}})\s*{NAME}$",
    )
)
NO_NAMES = (FUNCTIONS | GREEK | CONSTANTS.keys() | HEDGES | NOT_UNITS | UNITS.keys()) - {"second"}
COUNTED = re.compile(
    r"(?:sequence|case|solution|root|answer|possibility|option|pair|triple|set) \d{1,2}|[xrtz]_?\d"
)
"""Words that only number the answers, so that their order does not matter."""


def named_parts(parts: Sequence[str]) -> list[tuple[str, str]]:
    """Split each part into name and value; all names are empty unless every part has a different name."""
    named = [_split_name(part.strip()) for part in parts]
    names = [name for name, _ in named]
    return named if all(names) and len(set(names)) == len(names) else [("", part) for part in parts]


def _split_name(part: str) -> tuple[str, str]:
    for pattern in PATTERNS:
        if match := pattern.match(part):
            name = extract_words(match["name"]) if len(match["name"]) > 1 else match["name"]
            if not NO_NAMES.intersection(name.split()):
                return name, match["value"]
    return "", part


def names_agree(left: str, right: str) -> bool:
    """Return whether two labels name the same thing: they are equal, or one has all the other's words."""
    if left == right:
        return True
    first, second = _words(left), _words(right)
    return bool(first and second) and (first <= second or second <= first)


def only_counts(labels: Sequence[str]) -> bool:
    return all(COUNTED.fullmatch(label) for label in labels)


def _words(label: str) -> frozenset[str]:
    """Return the label's words in the singular; none if it contains anything else, such as a variable."""
    words = extract_words(label).split()
    is_name = all(len(word) > 2 or word.isdigit() for word in words) and any(map(str.isalpha, words))
    return frozenset(word.rstrip("s") for word in words) if is_name else frozenset()
