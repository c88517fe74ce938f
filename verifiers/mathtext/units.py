"""Units after a number, which may be missing on one side but must not differ if both sides have one."""

from __future__ import annotations

import re

from verifiers.mathtext.normalization import text_blocks
from verifiers.mathtext.vocabulary import CONSTANTS, FUNCTIONS, GREEK, NOT_UNITS, UNITS
from verifiers.numbers.statement import HEDGES_ABROAD, MAGNITUDES

SHORT_NAMES = frozenset(name for name in UNITS if 1 < len(name) <= 3) | {"sq", "cu"}
NO_UNITS = NOT_UNITS | HEDGES_ABROAD | MAGNITUDES.keys()
QUALIFIERS = frozenset(["square", "cubic", "sq", "cu", "per", "unit", "units"])
POWER = re.compile(r"^\s*\^\s*\{?\s*([23])\s*\}?\s*$")
# Words are separated by spaces, so that there is only one way to match them: trying every split of a run of
# letters would take too long.
PLAIN = re.compile(
    r"(?<=[\d})\u00b0\s])([A-Za-z]+(?:/[A-Za-z]+)?(?:[\s.]+[A-Za-z]+(?:/[A-Za-z]+)?)*)[\s.]*"
    r"(\^\s*\{?[23]\}?)?$"
)
POWER_WORDS = {"square": "^2", "sq": "^2", "cubic": "^3", "cu": "^3"}
UNIT_CHARACTERS = re.compile(r"[A-Za-z\s./\-^23]*")
MAX_WORDS = 4


def split_unit(text: str) -> tuple[str, str]:
    """Split off the unit at the end and return the rest and the unit's canonical name, "" without a unit."""
    if blocks := text_blocks(text):
        start, end, content = blocks[-1]
        power = text[end:]
        is_unit = (not power or POWER.match(power) is not None) and content.strip() not in ("i", "e")
        is_unit = is_unit and UNIT_CHARACTERS.fullmatch(content) is not None
    elif match := PLAIN.search(text):
        start, content, power = match.start(), match[1], match[2] or ""
        *describing, last = content.lower().split()
        is_unit = _is_unit(last) and all(_is_unit(word) or _is_word(word) for word in describing)
    else:
        return text, ""
    words = content.lower().split()
    if not is_unit or not _ends_value(text[:start]) or len(words) > MAX_WORDS or NO_UNITS.intersection(words):
        return text, ""
    return text[:start].rstrip(" \\" if blocks else None), _canonical(content, power=power)


def units_agree(left: str, right: str) -> bool:
    """Return whether two units are compatible: the same, or at least one of them empty."""
    return not left or not right or left == right


def _ends_value(before: str) -> bool:
    value = before.rstrip(" \\~")
    return value[-1:].isdigit() or value.endswith(("}", ")", "]", "\u00b0", "!", "\\pi"))


def _is_unit(word: str) -> bool:
    """Return whether a word is a known short unit, or too long to be a product of variables."""
    parts = word.strip(".").split("/")
    if len(parts) == 2:
        return all(part in UNITS for part in parts)
    return word in SHORT_NAMES or word in QUALIFIERS or (len(parts[0]) > 3 and _is_word(parts[0]))


def _is_word(word: str) -> bool:
    """Return whether letters are a word; three are enough before a longer word, as in ``red marbles``."""
    return len(word) > 2 and word not in FUNCTIONS | GREEK | CONSTANTS.keys()


def _canonical(content: str, *, power: str) -> str:
    """Return the unit's canonical name, such as ``foot`` or ``foot^2``; "" for an unknown unit."""
    words = re.findall(r"[a-z]+", content.lower())
    name = next((UNITS[word] for word in words if word not in QUALIFIERS and word in UNITS), "")
    exponent = next((POWER_WORDS[word] for word in words if word in POWER_WORDS), "")
    if not exponent and (written := re.search(r"[23]", power or content)):
        exponent = f"^{written[0]}"
    return name and name + exponent
