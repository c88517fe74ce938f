r"""Parts of a text that could each be an answer: numbers, formulas and their terms, phrases, labels.

``$x = 2\sqrt{3} + 1$`` yields the formula, its sides and their terms; ``twelve`` is tried as ``12``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verifiers.answer_text import list_boxes
from verifiers.limits import SHORT_ANSWER_CHARS
from verifiers.mathtext.number_words import number_in_words
from verifiers.mathtext.top_level import split_top
from verifiers.mathtext.vocabulary import SMALL_NUMBERS, THOUSANDS

# Possessive quantifiers read a long row of digits only once.
_PLAIN = r"(?<!\d)(?:\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?"
_SIGNED = rf"(?:(?<![\w)\]}}])[-\u2212])?(?:{_PLAIN}|(?<!\d)\.\d++)"
_MAGNITUDE = r"(?:\s?(?:hundred|thousand|million|billion|trillion|dozen)\b)"
_FULL = rf"{_SIGNED}(?:\s?/\s?\d++|\s\d++/\d++)?(?:\s?\\?%|{_MAGNITUDE})?"
_JOINT = r"\s*(?:[,;]\s*(?:and|or)\b|[,;]|\band\b|\bor\b)\s*"
NUMBERS = (
    re.compile(_PLAIN, re.ASCII),
    re.compile(_SIGNED, re.ASCII),
    re.compile(_FULL, re.ASCII | re.IGNORECASE),
    re.compile(rf"{_FULL}(?:{_JOINT}{_FULL})+", re.ASCII | re.IGNORECASE),
)
_NUMBER_WORD = "|".join(sorted((*SMALL_NUMBERS, *THOUSANDS, "hundred"), key=len, reverse=True))
NUMBER_WORDS = re.compile(
    rf"\b(?:{_NUMBER_WORD})(?:(?:[\s-]+|\s+and\s+)(?:{_NUMBER_WORD}))*\b", re.IGNORECASE
)
FORMULA = re.compile(
    r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|(?<!\\)\$(.+?)(?<!\\)\$"
    r"|\\begin\{(?:equation|align|gather)\*?\}(.+?)\\end\{(?:equation|align|gather)\*?\}",
    re.DOTALL,
)
# A run of commands, signs, digits and single letters, as in formulas, but no words.
FORMULA_RUN = re.compile(r"(?:\\[A-Za-z]+|\\.|(?<![A-Za-z])[A-Za-z](?![A-Za-z])|[^A-Za-z\\\n])+")
FORMULA_SIGNS = re.compile(r"[\\^_+*/=<>(\[{|-]")
RELATIONS = (
    *("=", "\\neq", "\\ne", "\\leq", "\\le", "\\geq", "\\ge", "<", ">", "\\approx", "\\equiv"),
    *("\\implies", "\\Rightarrow", "\\to", "\\rightarrow", "\\quad", "&", "\\\\", ":"),
)
LISTED = (",", ";", "\\text{ and }", "\\text{ or }")
TERMS = ("+", "-", "\\pm")
EDGES = "([{\"'.,;:!?)]}*"
_CALLED = r"(?:answers?|options?|choices?|letters?|alternatives?|choose|pick|select|mark)"
_NAMED = rf"\b(?i:{_CALLED}(?:\s+(?:is|are|must\s+be|would\s+be))?)\s*[:=]?[\s(\[*_\"'$]*"
LABELS = (
    re.compile(rf"{_NAMED}(?P<label>[A-Za-z]|\d{{1,2}})(?!\w|\s+[a-z]|')"),
    re.compile(rf"{_NAMED}(?P<label>[B-HJ-Z])(?!\w|')"),
    re.compile(r"[(\[]\s*(?P<label>[A-Za-z]|\d{1,2})\s*[)\]]"),
    re.compile(
        r"(?<!\w)(?P<label>[A-Z])(?!\w)[)*_\"'.]*\s+is\s+(?:the\s+)?(?:correct|right|best|true|answer)\b"
    ),
    re.compile(r"(?m:^)[ \t*_#>]*(?P<label>[A-Za-z]|\d{1,2})\s*(?:[.):*_]+(?=\s)|(?=[.)*_]*\s*(?:\n|$)))"),
    re.compile(
        r"(?:\*\*|__|\\(?:boxed|fbox|text|textbf|mathrm)\{)\s*(?P<label>[A-Za-z]|\d{1,2})\s*(?:\*\*|__|\})"
    ),
)
_CHOICE_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, order=True)
class Phrase:
    """A part of a text and the answer that it would be.

    If ``may_repeat``, the question may contain it too.
    """

    start: int
    end: int
    answer: str
    may_repeat: bool = False


def numbers(text: str) -> Iterator[Phrase]:
    """Yield the numbers in a text, with and without sign, fraction and unit, and lists of numbers."""
    for pattern in NUMBERS:
        for match in pattern.finditer(text):
            yield Phrase(match.start(), match.end(), match[0].strip(), may_repeat=True)
    for match in NUMBER_WORDS.finditer(text):
        value = number_in_words(" ".join(match[0].lower().replace("-", " ").split()))
        if value is not None:
            yield Phrase(match.start(), match.end(), str(value), may_repeat=True)


def formulas(text: str) -> Iterator[Phrase]:
    """Yield formulas, with or without delimiters, and their sides, items and terms."""
    for start, end in _formula_spans(text):
        yield from _parts(text, start, end, (RELATIONS, LISTED, TERMS))


def words(text: str, *, most: int) -> Iterator[Phrase]:
    """Yield the phrases of one to ``most`` words, without surrounding punctuation."""
    spans = [span for match in re.finditer(r"\S+", text) if (span := _bare(match))]
    for first, (start, _) in enumerate(spans):
        for _, end in spans[first : first + most]:
            yield Phrase(start, end, text[start:end])


def lines(text: str, *, count: int) -> Iterator[Phrase]:
    """Yield every run of ``count`` lines and every single line."""
    spans = [match.span() for match in re.finditer(r"[^\n]+", text)]
    for run in {1, count}:
        for first in range(len(spans) - run + 1):
            start, end = spans[first][0], spans[first + run - 1][1]
            yield Phrase(start, end, text[start:end])


def labels(text: str) -> Iterator[Phrase]:
    """Yield the labels that a text names as choices: ``option A``, ``(A)``, ``the answer is A``.

    The article in "A cat", the pronoun "I" and letters that stand for something else do not count.
    """
    for pattern in LABELS:
        for match in pattern.finditer(text):
            yield Phrase(match.start(), match.end(), match["label"])


def repeats(text: str, words_of: str) -> Iterator[Phrase]:
    """Yield the places where a text repeats the words of another, ignoring case, spaces and punctuation."""
    tokens = re.findall(r"\w+", words_of) or _CHOICE_TOKEN.findall(words_of)
    if not tokens:
        return
    between = r"[\W_]+" if re.search(r"\w", words_of) else r"\s*"
    pattern = r"(?<!\w)" + between.join(map(re.escape, tokens)) + r"(?!\w)"
    for match in re.finditer(pattern, text, re.IGNORECASE):
        yield Phrase(match.start(), match.end(), words_of)


def short(phrases: Iterable[Phrase], *, most_chars: int = SHORT_ANSWER_CHARS) -> list[Phrase]:
    """Return the phrases that are short enough to be answers, without duplicates, in the text's order."""
    return sorted({phrase for phrase in phrases if 0 < len(phrase.answer) <= most_chars})


def _bare(match: re.Match[str]) -> tuple[int, int] | None:
    """Return the span of a word without surrounding punctuation, or None if there is only punctuation."""
    word = match[0].strip(EDGES)
    start = match.start() + match[0].find(word)
    return (start, start + len(word)) if word else None


def _formula_spans(text: str) -> set[tuple[int, int]]:
    spans = {match.span(group) for match in FORMULA.finditer(text) for group in range(1, 6)}
    spans |= {_inner(text, start, end, content) for start, end, content in list_boxes(text)}
    spans |= {run.span() for run in FORMULA_RUN.finditer(text) if FORMULA_SIGNS.search(run[0])}
    return {span for span in spans if span[0] >= 0}


def _inner(text: str, start: int, end: int, content: str) -> tuple[int, int]:
    inner = text.find(content, start, end)
    return inner, inner + len(content)


def _parts(text: str, start: int, end: int, levels: tuple[tuple[str, ...], ...]) -> Iterator[Phrase]:
    """Yield a formula and the parts between its separators outside brackets, level by level."""
    whole = text[start:end]
    stripped = whole.strip(" \t\n$.,;:&~")
    if stripped:
        begin = start + whole.find(stripped)
        yield Phrase(begin, begin + len(stripped), stripped, may_repeat=len(stripped) == 1)
    if not levels:
        return
    position = start
    parts = split_top(whole, levels[0], keep=True)
    for number, part in enumerate(parts):
        # Every second part is a separator. A minus sign belongs to its term.
        if number % 2 == 0 and (len(parts) > 1 or levels[1:]):
            is_negative = number > 0 and parts[number - 1] == "-"
            yield from _parts(text, position - is_negative, position + len(part), levels[1:])
            yield from _parts(text, position, position + len(part), levels[1:]) if is_negative else ()
        position += len(part)
