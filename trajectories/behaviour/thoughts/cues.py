"""The compiled patterns of ``cues.toml``, which the rules use to classify sentences."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from trajectories.behaviour.thoughts.words import NUMBERS

_LISTS = tomllib.loads(Path(__file__).with_name("cues.toml").read_text(encoding="utf-8"))
_VERBS = "|".join(_LISTS["verbs"].split())


def _any(name: str) -> str:
    return "|".join(_LISTS[name]).replace("{verbs}", _VERBS)


def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_any(name)})(?![\w-])", re.IGNORECASE)


TAKES_BACK = _words("takes_back")
FAILED = _words("failed")
CHANGES_COURSE = _words("changes_course")
CHECKS = _words("checks")
CHECK = _words("check")
CHECKED_FOR = _words("checked_for")
RESULTS = _words("results")
COUNTS = _words("counts")
REASONS = _words("reasons")
CONCLUDES = _words("concludes")
JUDGES = _words("judges")
NEEDS = _words("needs")
ACTS = _words("acts")
ACTS_AT_ONCE = re.compile(rf"\W*(?:{_any('acts_at_once')})(?![\w-])", re.IGNORECASE)
AIMS = re.compile(rf"\W*(?:{_any('aims')})\b", re.IGNORECASE)
TURNS = re.compile(rf"\W*(?:{_any('turns')})[,:]?\s", re.IGNORECASE)
NEXT = re.compile(r"\bnext\W*\Z", re.IGNORECASE)
ANSWERS = re.compile(rf"(?<!\w)(?:{_any('answers')})|\\boxed", re.IGNORECASE)
DESCRIBES = _words("describes")
OF_PAGE = _words("of_page")
EMPTY = re.compile(
    rf"\W*(?:(?:okay|ok|alright|right|well|so|now|hmm+)\b\W{{1,3}})?(?:{_any('empty')})\W*", re.IGNORECASE
)
# A list followed by the number of its members, or one with several numbers in brackets.
COUNTED = re.compile(r"(?:,.*){2}(?:[:=]\s?|\s[—–-]\s)\d+\W*\Z|(?:\(\d+\).*){2}|\bcounts?: \d", re.DOTALL)
_NUMBER = rf"(?:\d[\d.,]*|{'|'.join(list(NUMBERS)[2:])})"
SO_MANY = re.compile(rf"\b(?:so|thus|hence|therefore|that makes),?\s(?:\w+\s)?{_NUMBER}(?!\w)", re.IGNORECASE)
SUPPOSES_OF = _words("supposes_of")
SORTED = re.compile(_any("sorted"), re.IGNORECASE)
TOTALS = re.compile(rf"\b(?:{_any('totals')})", re.IGNORECASE)
LABELLED = re.compile(r"\W*(?:[A-Z]|\d{1,2})[.):]\s")
# The value that a sentence names, after words such as "Oldest: " or "So the newest mention is ".
VALUE = re.compile(r"(?::\s|\b(?:is|are|was|were|be)\s)([^,;(\n]{1,80})")
QUOTED = re.compile(r"[\"“][^\"“”]*[\"”]")
COUNTED_UP = re.compile(r"\W*(?:\d{1,9}\W{1,3}){5,}\d{0,9}\W*")
HEADING = re.compile(r"\W*[\w\s'-]{1,40}:\W*")
OPERAND = r"(?:[$€£]?\d[\d.,]*%?|\b[a-z][²³]?(?![^\W²³])|\\frac|\\sqrt|[()\]\[{}]|\\[a-z]+)"
# A minus sign needs space around it, because R-17 is a name and 7-9 is a range.
ARITHMETIC = re.compile(
    rf"{OPERAND}(?:\s{{0,2}}(?:[+*/×·÷^]|\\times|\\cdot|\\div|\bx\b|\*\*)\s{{0,2}}|\s[-−–]\s){OPERAND}"
    rf"|\d[-−]\d[\d.,]*\s{{0,2}}=|\d%? of [$€£]?\d",
    re.IGNORECASE,
)
# Signs in these names and dates are not arithmetic, and their numbers are not results.
NAMES = re.compile(
    r"\b[A-Za-z]{1,9}-\d+\b|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b|\b\d+-(?:star|night|day|minute|hour|year)\w*\b"
)
EQUATION = re.compile(r"[\w)}\]%$.]\s{0,2}(?:=|≈|\\approx|→)\s{0,2}[-\\({$]?\s?[\w\\]")
PROGRAM = re.compile(
    r"\s*(?:(?:def|return|for|while|if|elif|else|import|from|print|class|try|except|with)\b.*[:()\[\]]"
    r"|\w+(?:\.\w+|\[.{0,40}\])?\s*[-+*/]?=\s*\S.*[\[(]|return\b(?!.*\b(?:and|then|there|the)\b))"
)
