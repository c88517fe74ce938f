"""Words around values: those that name a value in a short sentence, and those that follow a gold's value."""

from __future__ import annotations

import re
from typing import NamedTuple

from verifiers.mathtext.normalization import extract_words
from verifiers.mathtext.vocabulary import CONSTANTS, FUNCTIONS, GREEK, HEDGES, NAMELESS, NOT_UNITS, VERBS

VERB = re.compile(rf"\s+(?:{'|'.join(sorted(VERBS))})\s+", re.IGNORECASE)
SIGN = re.compile(r"\s*[:=]\s*")
SUBJECT = re.compile(r"[^\d=<>+*/^_|&]{1,120}")
NUMBERED = re.compile(r"(?<=[A-Za-z]{3}) \d{1,2}$")
"""A numbered name, as in ``Case 1: 5``; before any sign but a colon, the number would belong to a formula."""
WORD = re.compile(r"(?<!\\)\b[A-Za-z]{3,}\b")
TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
BEFORE_VALUE = re.compile(
    r"^(?:at |in )?(?:exactly |only |just )?(?:the )?(?:point|number|interval|set|vector|value)?\s+"
    r"(?=[\d\\({\[$-])"
)
AFTER_VALUE = re.compile(r"(?<=[\d)}\]])\s*(?:\\text\s*\{([^{}\d]*)\}|([A-Za-z][A-Za-z\s]*))$")
HARMLESS = frozenset(["is", "are", "all", "any", "in", "to"])
NUMBER_OF_THINGS = re.compile(r"^(?:is|are) the (?:only )?[a-z]+ ")
FUNCTION_OF_ANSWER = re.compile(
    r"^(?!.*\b(?:value|number)\b of).+ of (?:the|this|its) (?:final )?(?:answer|result|value|solution)$"
    r"|^(?:.*\b(?:answer|result|value|solution) )?(?:squared|cubed|doubled|tripled|halved)$"
)
ENDLESS = re.compile(
    r"(?:there (?:is|are) )?(?:an? )?infinit(?:e|y|ely many)(?: number of)?((?: [a-z]{3,}){0,2})"
)


NOT_PLAIN = "|".join([*sorted(VERBS), "before", "after", "opposite", "previous", "next"])
PLAIN_SUBJECT = re.compile(
    rf"(?:(?:so|thus|therefore|hence),? )?the (?!.* (?:{NOT_PLAIN})\b)[a-z' ]+", re.IGNORECASE
)
KINDS = "real|integer|rational|positive|valid|possible"
NONE = re.compile(
    r"(?:(?:the )?(?:equation|system|inequality|it) )?(?:(?:there (?:is|are|exists?)|has|have|we have) )?"
    rf"(?:no|none)(?: such)?(?: (?:{KINDS}))*(?: solutions?| roots?| values?(?: of [a-z])?| [a-z])?"
    r"(?: exists?| at all)?|(?:the )?(?:empty|null) set"
    r"|keine l\u00f6sung(?:en)?|aucune solution|pas de solutions?|(?:no hay|sin) soluci(?:\u00f3n|ones)"
    r"|nessuna soluzione|(?:nenhuma|sem) solu\u00e7\u00e3o|geen oplossing(?:en)?|brak rozwi\u0105za\u0144"
    r"|(?:\u043d\u0435\u0442 )?\u0440\u0435\u0448\u0435\u043d\u0438\u0439(?: \u043d\u0435\u0442)?"
    r"|\u65e0\u89e3|\u7121\u89e3|\u89e3\u306a\u3057|\ud574\uac00 \uc5c6\ub2e4"
)


class Named(NamedTuple):
    """A value as text, and the normalised words that name it; "" for "the answer" and the like."""

    label: str
    value: str
    is_plain: bool
    """True if the sentence only says “the ... is ...”, so that even a word can be the value."""


def named_value(text: str) -> Named | None:
    """Split ``The area is 12`` or ``Alice: 4``; None if no words name the value, or some hedge or deny it."""
    plain = TEXT.sub(r" \1 ", text).strip()
    for match in (*reversed([*VERB.finditer(plain)]), *reversed([*SIGN.finditer(plain)])):
        subject, value = plain[: match.start()], plain[match.end() :]
        bare = NUMBERED.sub("", subject) if match[0].strip() == ":" else subject
        if SUBJECT.fullmatch(bare) and _is_name(subject, is_sign=match[0].strip() in (":", "=")):
            words = [word for word in extract_words(subject).split() if word not in NAMELESS]
            is_plain = match[0].strip() == "is" and PLAIN_SUBJECT.fullmatch(subject) is not None
            return Named(" ".join(words), BEFORE_VALUE.sub("", value), is_plain)
    return None


def _is_name(subject: str, *, is_sign: bool) -> bool:
    """Return whether the subject is words. Before a sign, up to three letters count only if capitalised."""
    words = subject.lower().replace("'", " ").split()
    letters = WORD.findall(subject)
    if HEDGES.intersection(words) or FUNCTIONS.intersection(words) or re.search(r"n't\b", subject):
        return False
    if FUNCTION_OF_ANSWER.match(" ".join(words)):
        return False
    return any(len(word) > 3 or not is_sign or word.istitle() for word in letters)


def without_trailing_words(text: str) -> str | None:
    """Reduce ``12 is the largest`` to ``12``; None if no such words follow or they change the value."""
    match = AFTER_VALUE.search(text)
    if not match:
        return None
    words = (match[1] or match[2] or "").lower().split()
    telling = NUMBER_OF_THINGS.sub(
        "", " ".join(words)
    ).split()  # a count, as in "are the two numbers", is harmless
    is_changed = (
        (NOT_UNITS - HARMLESS).intersection(telling) or "power" in words or FUNCTIONS.intersection(words)
    )
    is_named = any(len(word) > 2 for word in words) and not (GREEK | CONSTANTS.keys()).intersection(words)
    return text[: match.start()] if is_named and not is_changed else None


def is_endless(text: str) -> bool:
    """Return whether the text says "infinitely many", with or without a noun."""
    match = ENDLESS.fullmatch(extract_words(text))
    return match is not None and not (NOT_UNITS | HEDGES).intersection(match[1].split())


def is_none(text: str) -> bool:
    """Return whether the text says in words that there is no solution."""
    words = extract_words(text)
    return words != "no" and NONE.fullmatch(words) is not None
