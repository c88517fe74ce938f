"""How thoughts and queries are cut into words for full text search: the same way, so that all is found.

Postgres's own parser reads ``1/11`` as a file, ``-5`` as another word than ``5`` and ``k+1`` as ``k`` and
``+1``. So whatever is neither letter nor digit separates words beforehand, but for a point inside a number;
``1,000`` is ``1000``. A formula is a sequence of words, and found as a phrase.
"""

from __future__ import annotations

import re
import unicodedata

# Of the configuration ``simple``: thoughts come in any language, and whoever looks for "let me check" or
# "not" means these words; ``english`` leaves out stop words and folds endings.
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
    """What is given to ``to_tsvector``: words between spaces."""
    joined = " ".join(words_of(text[:INDEXED_BYTES]))
    if len(joined) <= INDEXED_BYTES // 4:
        return joined
    return joined.encode()[:INDEXED_BYTES].decode("utf-8", "ignore")


def query_terms(query: str) -> list[tuple[str, list[str]]]:
    """The parts of a query in websearch syntax: ``("", words)``, ``("-", words)`` for what must not be there,
    ``("or", [])``. Several words of one part are a phrase."""
    terms: list[tuple[str, list[str]]] = []
    for found in re.finditer(r'(-?)"([^"]*)"?|(\S+)', query):
        sign, quoted, bare = found.group(1) or "", found.group(2), found.group(3)
        if bare is not None and bare.casefold() == "or":
            terms.append(("or", []))
            continue
        if bare is not None and re.match(r"-[^\W\d_]", bare):
            sign, bare = "-", bare[1:]
        words = words_of(quoted if bare is None else bare)
        if words:
            terms.append((sign, words))
        if sum(len(held) for _, held in terms) > QUERY_WORDS_MAX:
            break
    return terms


def web_query(query: str) -> str:
    """The query for ``websearch_to_tsquery``, its parts cut into words as thoughts are; empty when it has no
    word that has to be there."""
    terms = query_terms(query)
    if not any(words and sign != "-" for sign, words in terms):
        return ""
    return " ".join("or" if sign == "or" else f'{sign}"{" ".join(words)}"' for sign, words in terms)
