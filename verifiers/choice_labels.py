r"""The choice that a short answer names, in the forms that published scorers recognise and no others.

lm-evaluation-harness (``MultiChoiceRegexFilter``), simple-evals (``normalize_response``) and HELM recognise a
label in brackets, formulas, boxes and emphasis, after words such as "The correct answer is", and before the
text of its choice.

In any of these forms, this module accepts the label alone, or with the text of the same choice (``C. 12``,
``12 (C)``). If the choices are not known, any text after a punctuated label counts (``C. 12``, not ``C 12``)
unless it expresses doubt or names another label. Two labels, a label with another choice's text, a hedge and
a denial name no choice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from verifiers.answer_text import DOUBTS, readable
from verifiers.limits import SHORT_ANSWER_CHARS

_LABEL = r"(?:[A-Za-z]|[1-9][0-9]?)"
_MARKED = (
    rf"(?:\(\s*(?P<round>{_LABEL})\s*\)|\[\s*(?P<square>{_LABEL})\s*\]|(?P<bare>{_LABEL})(?P<closed>\))?)"
)
_ALONE = re.compile(_MARKED, re.ASCII)
_FIRST = re.compile(
    rf"{_MARKED}(?P<mark>\s*(?::|\.(?=[\s\\])|(?<=[A-Za-z])\.(?=\d)|[-=](?=\s)|[-=]>|\u2192))?\s*(?P<text>.+)",
    re.ASCII | re.DOTALL,
)
_LAST = re.compile(
    rf"(?P<text>.+?)(?:\s*(?:\((?P<round>{_LABEL})\)|\[(?P<square>{_LABEL})\])"
    rf"|(?<!^[A-Za-z])(?<!^[A-Za-z]\.)\s*[-,:;]\s+(?P<bare>[A-Za-z]))",
    re.ASCII | re.DOTALL,
)
# The word "answer" in the languages that simple-evals covers (MULTILINGUAL_ANSWER_REGEXES).
_ANSWER_ABROAD = (
    r"antwort|respuesta|r\u00e9ponse|resposta|risposta|odpowied\u017a|odpov\u011b\u010f|jawaban|cevap"
    r"|\u043e\u0442\u0432\u0435\u0442|\u0627\u0644\u0625\u062c\u0627\u0628\u0629|\u0909\u0924\u094d\u0924\u0930"
)
_ANSWER_UNSPACED = (
    "\u7b54\u6848|\u9009\u9879|\u9078\u9805|\u7b54\u3048|\u56de\u7b54|\u89e3\u7b54|\u6b63\u89e3"
    "|\uc815\ub2f5|\ub2f5\ubcc0|\ub2f5|\u9009|\u9078"
)
_ANNOUNCED = re.compile(
    r"(?:so|thus|hence|therefore|finally)\b[,:]?\s+"
    r"|(?:(?:the|my)\s+)?"
    r"(?:(?:final|correct|right|best|single|most\s+(?:likely|appropriate|accurate))\s+)*"
    r"(?:answer|option|choice|letter|solution)(?:\s+choice)?(?:\s+(?:is|would\s+be|should\s+be))?"
    r"(?:\s*[:=]\s*|(?=[\s(\[])\s*)"
    r"|correct\s*:\s*"
    r"|(?:(?:i|we)(?:'d|'ll|\s+would|\s+will)?\s+)?(?:choose|pick|select|go\s+with)\s+"
    rf"|(?:(?:die|la|a|o)\s+)?(?:{_ANSWER_ABROAD})(?:\s+(?:ist|es|est|\u00e9|\u00e8))?(?:\s*:\s*|(?=[\s(\[])\s*)"
    rf"|(?:{_ANSWER_UNSPACED})\s*(?:[:\u662f\u4e3a\u70ba\u306f\uc740]\s*)?",
    re.IGNORECASE,
)
_CALLED_CORRECT = re.compile(
    r"\s+is\s+(?:the\s+)?(?:(?:correct|right|best|final)(?:\s+(?:answer|option|choice|one))?|answer)\Z",
    re.IGNORECASE,
)
# Answers to Minerva's prompt end with this sentence.
_HOPE = re.compile(r"\.\s*I hope (?:it|this) is correct\.?\s*\Z", re.IGNORECASE)
_COMMAND = re.compile(r"\\(?:boxed|fbox|mbox|text(?:bf|it|rm)?|math(?:rm|bf|sf|it))\s*\{([^{}]*)\}")
_EMPHASIS = re.compile(r"(?<![\w*)])(\*{1,3}|_{1,2})(?=\S)(.*?\S)\1(?![\w*(])", re.DOTALL)
_HEADING = re.compile(r"\A\s*(?:[#>]+\s+)+")
_TAGS = re.compile(r"<([A-Za-z]{1,10})>([^<>]*)</\1>")
_MARKUP = re.compile(r"\$+|`+|\\[()\[\]]|\\(?:left|right)\b|\"")
_ANOTHER = re.compile(r"(?<![A-Za-z0-9'])(?!A\s[a-z]|I['\s])[A-Z](?![A-Za-z0-9'])|[(\[][A-Za-z0-9][)\]]")
_LOOSE = re.compile(r"[\s\\{}]|(?<=\\)[dt](?=frac)")
_ANNOUNCEMENTS_MAX = 3
_EDGES = " \t\n.,;:!*_'"
# Chinese and Japanese input may be full-width, which simple-evals reads as well: \uff08\uff22\uff09 is (B).
_WIDE: Mapping[int, int | str] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    0x3002: ".",
    0x3000: " ",
    **dict.fromkeys(map(ord, "\u300c\u300d\u3010\u3011\u00ab\u00bb"), ""),
    # letters in circles, and bracketed letters that are one character
    **{first + place: chr(65 + place) for first in (0x24B6, 0x24D0, 0x249C) for place in range(26)},
}


def find_choice(answer: str, choices: Mapping[str, str]) -> str | None:
    """Return the label of the one choice that an answer names, a capital letter or a numeral, or None.

    ``choices`` maps each label to its choice's text as shown; it is empty if the texts are not known.
    """
    longest = max(map(len, choices.values()), default=0)
    plain = readable(answer) if len(answer) <= SHORT_ANSWER_CHARS + longest else None
    stated = _strip_announcement(_strip_decoration(plain)) if plain else ""
    alone = _ALONE.fullmatch(stated)
    if alone is not None:
        return _label(alone)
    texts = {label: _form(text) for label, text in choices.items()}
    for pattern in (_FIRST, _LAST):
        named = pattern.fullmatch(stated)
        if named is not None and _is_named(named, stated, texts):
            return _label(named)
    return None


def _is_named(named: re.Match[str], stated: str, texts: Mapping[str, str]) -> bool:
    """Return whether the text next to the label belongs to that choice, and both together to no other."""
    label, text = _label(named), named["text"].strip(_EDGES)
    if texts:
        text = _form(text)
        others = {other for own, other in texts.items() if own != label}
        return bool(text) and texts.get(label) in (text, _unbracket(text)) and _form(stated) not in others
    groups = named.groupdict()
    is_marked = bool(groups.get("mark") or groups.get("closed") or named["round"] or named["square"])
    second = _ALONE.fullmatch(text)
    is_label = second is not None and _label(second).isdigit() == label.isdigit()
    return is_marked and not (is_label or DOUBTS.search(text) or _ANOTHER.search(text))


def _label(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next(str(groups[name]) for name in ("round", "square", "bare") if groups.get(name)).upper()


def _strip_announcement(text: str) -> str:
    """Return the text without the words that announce an answer or call it correct."""
    stated = _HOPE.sub("", text).strip(_EDGES)
    for _ in range(_ANNOUNCEMENTS_MAX):
        announced = _ANNOUNCED.match(stated)
        stated = stated[announced.end() :].strip(_EDGES) if announced else stated
    return _CALLED_CORRECT.sub("", stated).strip(_EDGES)


def _strip_decoration(text: str) -> str:
    """Return the text in half-width characters, without emphasis, quotation marks or formula delimiters."""
    text = _MARKUP.sub("", _HEADING.sub("", text.translate(_WIDE)))
    while (simpler := _EMPHASIS.sub(r"\2", _TAGS.sub(r"\2", _COMMAND.sub(r"\1", text)))) != text:
        text = simpler
    return " ".join(text.split())


def _form(text: str) -> str:
    """Normalise a choice's text for comparison: models change its spaces and write ``cos`` for ``\\cos``."""
    return _LOOSE.sub("", _strip_decoration(readable(text) or "").strip(_EDGES)).casefold()


def _unbracket(text: str) -> str:
    return text[1:-1].strip(_EDGES) if text[:1] == "(" and text[-1:] == ")" else text
