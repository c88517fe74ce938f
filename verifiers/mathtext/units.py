"""Units after a number: read past, and never equal when both sides name different ones."""

from __future__ import annotations

import re

from verifiers.mathtext.normalization import text_blocks

FAMILIES = (
    "inch inches in",
    "foot feet ft",
    "yard yards yd yds",
    "mile miles mi",
    "millimeter millimeters millimetre millimetres mm",
    "centimeter centimeters centimetre centimetres cm",
    "meter meters metre metres m",
    "kilometer kilometers kilometre kilometres km",
    "second seconds sec secs s",
    "minute minutes min mins",
    "hour hours hr hrs h",
    "day days",
    "week weeks",
    "month months",
    "year years yr yrs",
    "cent cents",
    "dollar dollars usd",
    "gram grams g",
    "kilogram kilograms kg",
    "pound pounds lb lbs",
    "ounce ounces oz",
    "liter liters litre litres l",
    "milliliter milliliters ml",
    "mph",
    "radian radians rad",
    "euro euros eur",
)
CANONICAL = {name: family.split()[0] for family in FAMILIES for name in family.split()}
SHORT_NAMES = frozenset(name for name in CANONICAL if 1 < len(name) <= 3) | {"sq", "cu"}
QUALIFIERS = frozenset(["square", "cubic", "sq", "cu", "per", "unit", "units"])
NOT_UNITS = frozenset(
    re.findall(
        r"\S+",
        "and or not no nor but to than more less least most either if is are for times over plus minus half "
        "dozen hundred thousand million billion undefined infinity all any wrong maybe except factorial "
        "squared cubed sqrt false negative unknown versus instead others dozens hundreds thousands millions "
        "billions trillion trillions tens thirds fourths fifths sixths sevenths eighths ninths tenth tenths "
        "hundredth hundredths thousandth thousandths millionth millionths zero one two three four five six "
        "seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
        "twenty thirty forty fifty sixty seventy eighty ninety",
    )
)
POWER = re.compile(r"^\s*\^\s*\{?\s*([23])\s*\}?\s*$")
# Words stand apart, so that there is one way only to find them: a run of letters must not be tried in parts.
PLAIN = re.compile(
    r"(?<=[\d})\u00b0\s])([A-Za-z]+(?:/[A-Za-z]+)?(?:[\s.]+[A-Za-z]+(?:/[A-Za-z]+)?)*)[\s.]*"
    r"(\^\s*\{?[23]\}?)?$"
)
POWER_WORDS = {"square": "^2", "sq": "^2", "cubic": "^3", "cu": "^3"}
MAX_WORDS = 4


def split_unit(text: str) -> tuple[str, str]:
    """The text without the unit at its end, and the unit's canonical name ("" when there is none)."""
    blocks = text_blocks(text)
    if blocks:
        start, end, content = blocks[-1]
        if (
            (end == len(text) or POWER.match(text[end:]))
            and _ends_value(text[:start])
            and _are_words(content)
        ):
            return text[:start].rstrip(" \\"), _canonical(content, power=text[end:])
        return text, ""
    match = PLAIN.search(text)
    if not match or not _ends_value(text[: match.start()]):
        return text, ""
    words = match[1].lower().split()
    if len(words) > MAX_WORDS or any(word in NOT_UNITS for word in words) or not all(map(_is_unit, words)):
        return text, ""
    return text[: match.start()].rstrip(), _canonical(match[1], power=match[2] or "")


def units_agree(left: str, right: str) -> bool:
    """False when both are known units and not the same one."""
    return not left or not right or left == right


def _ends_value(before: str) -> bool:
    stripped = before.rstrip(" \\~")
    return bool(stripped) and (stripped[-1].isdigit() or stripped[-1] in "})]\u00b0!")


def _are_words(content: str) -> bool:
    words = content.lower().split()
    return (
        len(words) <= MAX_WORDS
        and not any(word in NOT_UNITS for word in words)
        and content.strip() not in ("i", "e")
        and bool(re.fullmatch(r"[A-Za-z\s./\-^23]*", content))
    )


def _is_unit(word: str) -> bool:
    """A plain word that cannot be a product of variables: a known short unit, or a long word."""
    parts = word.strip(".").split("/")
    if len(parts) == 2:
        return all(part in CANONICAL for part in parts)
    return word in SHORT_NAMES or word in QUALIFIERS or len(parts[0]) > 3


def _canonical(content: str, *, power: str) -> str:
    """``foot`` or ``foot^2``; "" for a unit that is not known."""
    words = re.findall(r"[a-z]+", content.lower())
    names = [CANONICAL[word] for word in words if word not in QUALIFIERS and word in CANONICAL][:1]
    in_words = [POWER_WORDS[word] for word in words if word in POWER_WORDS]
    written = re.search(r"[23]", power or content)
    return "".join(names + (in_words or ([f"^{written[0]}"] if written else []))[:1]) if names else ""
