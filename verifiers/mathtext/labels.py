"""Labels that name a value: ``x``, ``AB``, ``f(x)``, ``P(X \\ge 4)``, ``(x, y)``."""

from __future__ import annotations

import re

from verifiers.mathtext.top_level import closes_at_end

GREEK_OR_LETTER = r"(?:\\[A-Za-z]+\s*|[A-Za-z])"
NAME = rf"(?:{GREEK_OR_LETTER}(?:_\s*(?:\{{[^{{}}]*\}}|\w))?'*(?:\^\s*\{{-1\}})?)"
CALL = re.compile(rf"^({NAME})\s*\(\s*({NAME})\s*\)$")
CALL_AT_VALUE = re.compile(
    r"^(?:[fghPE](?:_\s*\{?\w\}?)?'*(?:\^\s*\{-1\})?\s*(?=\()|" + NAME + r"\s*(?=\(\s*\d+\s*\)$))"
)
"""A function of a value or of an event; after any other letter, a bracket may be a factor."""
LABEL = re.compile(
    rf"^(?:{NAME}|[A-Z]{{2,4}}|[a-z]{{4,}}|\\text\s*\{{[^{{}}]*\}}|m?\s*\\angle\s*[A-Z]{{1,3}}"
    rf"|\\overline\s*\{{[A-Z]{{2}}\}}|\|[A-Z]{{2}}\|)$"
)


def parse_label(text: str) -> tuple[str, str] | None:
    """Split a text that only names something into label and bound variable; None for any other text."""
    plain = re.sub(r"\s+", " ", text).strip()
    if (call := CALL.match(plain)) and not call[2].isupper():
        return call[1].replace(" ", "") + "()", call[2].replace(" ", "")
    called = CALL_AT_VALUE.match(plain)
    if LABEL.match(plain) or (called and closes_at_end(plain[called.end() :])):
        return _squeeze(plain), ""
    inner = plain[1:-1] if closes_at_end(plain) and plain[0] == "(" else plain
    names = re.split(r"[,:]", inner)
    if len(names) > 1 and all(LABEL.match(name.strip()) for name in names):
        return "(" + ",".join(map(_squeeze, names)) + ")", ""
    return None


def _squeeze(name: str) -> str:
    return re.sub(r"[\s{}]", "", name)
