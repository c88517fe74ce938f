"""Same number, however it is written.

The official GSM8K check (openai/grade-school-math, ``dataset.py``) compares the digits after ``####`` without
commas. Here the answer is a field that an agent filled, so currency signs, units, percent signs and plain
words are ignored, but there must be exactly one number: unfinished arithmetic, alternatives and hedges do not
count.
"""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.answer_text import boxes, gold_answers, judged, short_answer, unparsable
from verifiers.registry import verifier
from verifiers.types import Evidence, Gold, UnparsableGold, Verdict

MAX_EXPONENT = 60
NUMBER = re.compile(
    r"""
    (?P<sign>(?<![\w)}\]])[-+]\s*)?
    (?P<whole>\d{1,3}(?:,\d{3})+(?![\d,]*,?\d)|\d+)?(?P<decimals>\.\d+)?
    (?:(?:e|\s?(?:[x*\u00d7]|\\times|\\cdot)\s?10\s?\^)\s?\{?\(?(?P<exponent>[-+]?\d{1,3})\)?\}?(?!\w))?
    (?:(?P<gap>\s*)(?:\\frac\{(?P<top>\d+)\}\{(?P<bottom>\d+)\}|(?P<top2>(?<!\d)\d+)\s?/\s?(?P<bottom2>\d+))
      |\s?/\s?(?P<divisor>\d+))?
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
MAGNITUDES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
WORDS = re.compile(r"[^\W\d_]+")
HEDGES = frozenset(
    WORDS.findall(
        "not no nor never neither isnt dont cant or either maybe perhaps but except wrong incorrect between "
        "from to than least most minus negative plus times half quarter third double twice triple dozen "
        "dozens score point over per squared cubed root under below above tens hundreds thousands millions "
        "billions trillions thirds fourths fifths sixths eighths tenth tenths hundredth hundredths "
        "thousandth thousandths millionth millionths billionths zero one two three four five six seven eight "
        "nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty "
        "forty fifty sixty seventy eighty ninety inf infinity nan"
    )
)
ONE_LETTER_UNITS = frozenset("mgshl")
SIGNS = re.compile(r"\\[$%!,;: ()\[\]]|[$%\u20ac\u00a3\u00a5\u20b9*_`]|\\(?:text|mathrm|mbox)\b")
PUNCTUATION = frozenset(" .,:=(){}'\"\u00b0")
POWER_OF_UNIT = re.compile(r"(?<=[A-Za-z])[\u00b2\u00b3]")


@verifier("numeric-v1", title="Equal numbers")
def numeric(gold: Gold, evidence: Evidence) -> Verdict:
    """Exact equality of rational numbers; a percentage counts as its number or as its hundredth."""
    golds = [_gold_value(answer) for answer in gold_answers(gold)]
    text = short_answer(evidence)
    reading = read_number(text) if text else None
    if reading is None:
        return unparsable(gold=str(golds[0]), answer=text or "")
    value, is_percent = reading
    readings = {value, value / 100} if is_percent else {value}
    correct = any(number in readings for number in golds)
    return judged(correct, gold=str(golds[0]), answer=f"{value}%" if is_percent else str(value))


def _gold_value(text: str) -> Fraction:
    reading = read_number(text.strip())
    if reading is None:
        raise UnparsableGold(f"The gold {text[:80]!r} is not one number.")
    return reading[0]


def read_number(text: str) -> tuple[Fraction, bool] | None:
    """The one number that the text states and whether it is a percentage; None when it does not state one."""
    contents = {content for _, _, content in boxes(text)} or {text}
    if len(contents) > 1:
        return None
    (text,) = contents
    is_percent = "%" in text or re.search(r"\bper ?cent\b", text, re.IGNORECASE) is not None
    plain = re.sub(r"\\[dt]frac", r"\\frac", text.replace("{,}", ",").replace(",\\!", ","))
    plain = POWER_OF_UNIT.sub("", SIGNS.sub(" ", plain))
    plain = re.sub(r"\bper ?cent(?:age)?\b", "", plain, flags=re.IGNORECASE)
    match = next((match for match in NUMBER.finditer(plain) if match.group().strip(" +-")), None)
    factor = match and _factor_of_words(plain[: match.start()], plain[match.end() :])
    value = match and _value(match)
    return None if factor is None or value is None else (value * factor, is_percent)


def _factor_of_words(before: str, after: str) -> int | None:
    """The factor that the words around a number state; None when they change its meaning otherwise, or when
    there are more than words: another number, an operator.
    """
    if not all(char.isalpha() or char in PUNCTUATION for char in before + after):
        return None
    if "=" in after or before.count("=") > 1 or re.search(r"\w\($|(?<![A-Za-z])[A-Za-z]$", before):
        return None
    words = [word.lower() for word in WORDS.findall((before + " " + after).replace("'", ""))]
    if HEDGES.intersection(words):
        return None
    unit = WORDS.match(after.strip())
    if unit and len(unit.group()) == 1 and unit.group() not in ONE_LETTER_UNITS:
        return None
    magnitudes = [MAGNITUDES[word] for word in words if word in MAGNITUDES]
    if not magnitudes:
        return 1
    is_plain = len(magnitudes) == 1 and unit is not None and unit.group().lower() in MAGNITUDES
    return magnitudes[0] if is_plain else None


def _value(match: re.Match[str]) -> Fraction | None:
    whole, decimals = match["whole"], match["decimals"]
    top, bottom = match["top"] or match["top2"], match["bottom"] or match["bottom2"]
    exponent = int(match["exponent"] or 0)
    if abs(exponent) > MAX_EXPONENT:
        return None
    value = Fraction((whole or "0").replace(",", "") + (decimals or "")) * Fraction(10) ** exponent
    if match["divisor"] or top:
        part = _fraction(top or (whole or ""), bottom or match["divisor"])
        if part is None or decimals or match["exponent"]:
            return None
        if match["divisor"]:
            value = part
        elif whole and (part >= 1 or (match["top2"] and not match["gap"])):
            return None
        else:
            value += part
    return -value if (match["sign"] or "").strip() == "-" else value


def _fraction(top: str, bottom: str) -> Fraction | None:
    """Top over bottom; None for an unfinished division (``84/2``) or one by zero."""
    if not top or not int(bottom.replace(",", "")):
        return None
    value = Fraction(int(top.replace(",", "")), int(bottom))
    return None if value.denominator == 1 else value
