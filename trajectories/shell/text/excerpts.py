"""Excerpts of thoughts around the matches of a query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from core.episodes.tokens import mask_tokens
from trajectories.behaviour.facts.types import query_terms, words_of
from trajectories.shell.text.untrusted import visible_html

REACH_CHARS = 120
SEARCHED_CHARS = 200_000
TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+")


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a text; ``is_hit`` if it matches the query."""

    text: str
    is_hit: bool = False


def excerpt(thought: str, *, query: str, before: int = REACH_CHARS) -> list[Part]:
    """Return the text around the first hit, cut with ellipses, or the thought's beginning if there is no hit.

    The excerpt begins ``before`` characters before the hit.
    """
    # Tokens are masked first, because a hit or a cut could split a token that must be masked.
    text = mask_tokens(thought[:SEARCHED_CHARS])
    phrases = [words for sign, words in query_terms(query) if not sign]
    hits = _hits(text, phrases)
    start = max(0, (hits[0][0] if hits else 0) - before)
    end = min(len(text), max(hits[0][1] if hits else 0, start + REACH_CHARS) + REACH_CHARS)
    parts = [Part(text="…")] if start else []
    place = start
    for first, last in hits:
        if first < place or last > end:
            continue
        parts += [Part(text=text[place:first]), Part(text=text[first:last], is_hit=True)]
        place = last
    parts.append(
        Part(text=text[place:end] + ("…" if end < len(text) or len(thought) > SEARCHED_CHARS else ""))
    )
    return [part for part in parts if part.text]


def excerpt_html(parts: Iterable[Part]) -> SafeString:
    """Escape the parts, with tokens masked, invisible characters shown as codes, and hits in ``<mark>``."""
    return mark_safe("".join(map(_part_html, parts)))  # noqa: S308 (each part is escaped)


def _part_html(part: Part) -> str:
    text = visible_html(part.text)
    return f"<mark>{text}</mark>" if part.is_hit else text


def _hits(text: str, phrases: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return the start and end of each occurrence of a phrase, in order and without overlaps."""
    words = [
        (word, match.start(), match.end())
        for match in TOKEN.finditer(text)
        for word in words_of(match.group())
    ]
    texts = [word for word, _, _ in words]
    hits: list[tuple[int, int]] = []
    by_first: dict[str, list[Sequence[str]]] = {}
    for phrase in phrases:
        by_first.setdefault(phrase[0], []).append(phrase)
    for place, word in enumerate(texts):
        if hits and words[place][1] < hits[-1][1]:
            continue
        fitting = [p for p in by_first.get(word, ()) if texts[place : place + len(p)] == list(p)]
        if fitting:
            longest = max(len(phrase) for phrase in fitting)
            hits.append((words[place][1], words[place + longest - 1][2]))
    return hits
