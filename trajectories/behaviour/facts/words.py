"""Splits thoughts and queries into words for full-text search, both in the same way.

Postgres's own parser reads ``1/11`` as a file, ``-5`` as a different word from ``5`` and ``k+1`` as ``k`` and
``+1``. So everything except letters and digits separates words beforehand, apart from a point in a number;
``1,000`` is ``1000``. A formula is a sequence of words, which a search matches as a phrase.
"""

from __future__ import annotations

import re
import unicodedata

# Thoughts may be in any language, and a search for "let me check" or "not" means exactly these words;
# ``english`` would drop stop words and fold endings.
CONFIGURATION = "simple"
# A tsvector holds at most 1 MB.
INDEXED_BYTES = 200_000

THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
TOKEN = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
QUERY_WORDS_MAX = 32


def words_of(text: str) -> list[str]:
    """The words of a text in order, folded."""
    plain = THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return TOKEN.findall(plain)


def indexed(text: str) -> str:
    """The text for ``to_tsvector``: words separated by spaces."""
    joined = " ".join(words_of(text[:INDEXED_BYTES]))
    if len(joined) <= INDEXED_BYTES // 4:
        return joined
    return joined.encode()[:INDEXED_BYTES].decode("utf-8", "ignore")


def query_terms(query: str) -> list[tuple[str, list[str]]]:
    """The parts of a query in websearch syntax: ``("", words)``, ``("-", words)`` for exclusions,
    ``("or", [])``. Several words of one part are a phrase."""
    terms: list[tuple[str, list[str]]] = []
    for match in re.finditer(r'(-?)"([^"]*)"?|(\S+)', query):
        sign, quoted, bare = match.group(1) or "", match.group(2), match.group(3)
        if bare is not None and bare.casefold() == "or":
            terms.append(("or", []))
            continue
        if bare is not None and re.match(r"-[^\W\d_]", bare):
            sign, bare = "-", bare[1:]
        words = words_of(quoted if bare is None else bare)
        if words:
            terms.append((sign, words))
        if sum(len(parts) for _, parts in terms) > QUERY_WORDS_MAX:
            break
    return terms


def web_query(query: str) -> str:
    """The query for ``websearch_to_tsquery``, its parts split into words as thoughts are; empty without
    a word that must occur."""
    terms = query_terms(query)
    if not any(words and sign != "-" for sign, words in terms):
        return ""
    return " ".join("or" if sign == "or" else f'{sign}"{" ".join(words)}"' for sign, words in terms)
