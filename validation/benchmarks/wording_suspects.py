"""Search of the loaded tasks for questions that may need rewording, for a person to read.

An erratum (``wording_errata.py``) corrects an item, which is then no longer listed.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Payload = Mapping[str, Any]
Rule = Callable[[str, Payload], str]

FIGURE_PARTS = ("pictures", "passage", "table", "columns")
_FIGURE = re.compile(
    r"\bas (?:shown|pictured|indicated|depicted|illustrated)\b(?! that| by| in the)"
    r"|\b(?:figure|diagram|graph|map|picture|photo\w*|reaction|equation|table|chart)"
    r" (?:shown |given )?(?:above|below)\b"
    r"|\b(?:in|see|to) the (?:\w+ )?(?:figure|diagram|picture|illustration)\b"
    r"|\bthis (?:thermometer|map|photo\w*|picture|diagram|figure shows)\b"
    r"|\bthe \w+ shown\?",
    re.IGNORECASE,
)
_HAS_FIGURE = re.compile(r"\[asy\]|!\[|\\begin\{|->|→")
_FILE = re.compile(r"\b[\w ]*\.(?:png|jpe?g|gif|svg)\b", re.IGNORECASE)
# Words that ask a question or give an instruction, and gaps to fill in.
_ASKS = re.compile(
    r"\?|__|\b(?:which|what|who|whom|whose|how|why|when|where|find|calculate|compute|determine|evaluate|solve"
    r"|simplify|express|select|choose|identify|estimate|round|convert|state|give|predict|arrange|divide|write"
    r"|best|except|following|true|false)\b",
    re.IGNORECASE,
)
_COUNTRY = re.compile(r"\b(?:country|countries|nations?|nationalit(?:y|ies)|flags?)\b", re.IGNORECASE)
_COUNTRY_COLUMN = re.compile(r"countr|nation|\bnat\b|flag|team|state|place|origin", re.IGNORECASE)
LAST_WORDS = 6
_COLOUR = re.compile(r"\b(?:which|what) colou?red \w+", re.IGNORECASE)


def missing_figure(text: str, payload: Payload) -> str:
    """Return the words that refer to a figure, reaction or map that the question does not contain."""
    match = _FIGURE.search(text)
    return (
        match[0] if match and not any(map(payload.get, FIGURE_PARTS)) and not _HAS_FIGURE.search(text) else ""
    )


def file_name(text: str, payload: Payload) -> str:
    """Return the name of an image file that was left in the text."""
    match = _FILE.search(text)
    return match[0].strip() if match else ""


def missing_question(text: str, payload: Payload) -> str:
    """Return the last words of a text that ends as a statement and asks nothing, although choices follow."""
    is_statement = text.rstrip().endswith(".") and not text.rstrip().endswith("..")
    asks = _ASKS.search(text) or not payload.get("choices")
    return "" if asks or not is_statement else " ".join(text.split()[-LAST_WORDS:])


def lost_country(text: str, payload: Payload) -> str:
    """Return the word for a country if the table lacks such a column, since flags leave no text in a file."""
    match = _COUNTRY.search(text)
    heads = " ".join(payload["table"]["header"]) if payload.get("table") else ""
    return match[0] if match and heads and not _COUNTRY_COLUMN.search(heads) else ""


def color_or_name(text: str, payload: Payload) -> str:
    """Return the words of a question about a colored thing, which may ask for its color or its name."""
    match = _COLOUR.search(text)
    return match[0] if match else ""


def undefined_name(text: str, payload: Payload) -> str:
    """Return the names that the shown asserts need but neither the signature nor the text mentions."""
    known = {*dir(builtins), *re.findall(r"\w+", f"{text} {payload.get('signature', '')}")}
    asserts = [ast.parse(source) for source in payload.get("asserts", ())]
    nodes = [node for tree in asserts for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    return ", ".join(sorted({node.id for node in nodes} - known - bound))


def equal_choices(text: str, payload: Payload) -> str:
    """Return the texts that more than one choice has."""
    counts = Counter(choice["text"] for choice in payload.get("choices", ()))
    return ", ".join(choice for choice, count in counts.items() if count > 1)


RULES: Mapping[str, Rule] = {
    rule.__name__: rule
    for rule in (
        missing_figure,
        missing_question,
        lost_country,
        file_name,
        color_or_name,
        undefined_name,
        equal_choices,
    )
}


def suspicions(payload: Payload) -> Iterator[tuple[str, str]]:
    """Yield each rule that a question matches, with the words that match it."""
    text = str(payload.get("text", ""))
    for name, rule in RULES.items():
        if words := rule(text, payload):
            yield name, words
