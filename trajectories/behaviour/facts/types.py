"""Value types for the facts of steps and episodes, and the normalized words for the search in thoughts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.actions.checks import CheckId

# PostgreSQL's text search configuration. Thoughts may be in any language, and a search for "let me check" or
# "not" means exactly these words, whereas ``english`` would drop stop words and fold endings.
CONFIGURATION = "simple"
# A tsvector holds at most 1 MB.
INDEXED_BYTES = 200_000
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
TOKEN = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
QUERY_WORDS_MAX = 32


@dataclass(frozen=True, kw_only=True)
class ActionCheck:
    """The outcome of checking a step's action, with a reason of at most ``DETAIL_CHARS`` characters."""

    kind: CheckId
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class UnexplainedEvent:
    """An event that no action explains; ``step`` is None if the event belongs to no recorded step."""

    step: int | None
    kind: str
    what: str


@dataclass(frozen=True, kw_only=True)
class EpisodeCheck:
    """The action checks of an episode, by step number, and its unexplained events."""

    checks: Mapping[int, ActionCheck]
    unexplained: Sequence[UnexplainedEvent] = ()


@dataclass(frozen=True, kw_only=True)
class CheckContext:
    """The facts about an episode that its action check depends on.

    ``has_page``: the arm has a page; ``is_recorded``: the recorder is on; ``answer``: the answer submitted
    through the API, else None; ``answered_in``: the step in which a page's answer was recorded.
    """

    has_page: bool = True
    is_recorded: bool = True
    answer: object = None
    answered_in: int | None = None


@dataclass(frozen=True, kw_only=True)
class ActFact:
    """The facts of a step's action.

    ``check`` is the outcome of its action check, ``repeats`` the earlier step that it repeats (or None), and
    ``place`` a hash of what the page showed.
    """

    check: CheckId
    repeats: int | None
    place: str


@dataclass(frozen=True, kw_only=True)
class StepFact:
    """All facts of one step.

    ``target`` is the element that the step's action names, ``measures`` has the values by column, and
    ``sentences`` has one letter per sentence of the thought, which gives the sentence's class.
    """

    index: int
    action_type: str
    target: str
    check: ActionCheck
    measures: Mapping[str, Any]
    sentences: str | None
    words: str

    def row(self) -> dict[str, Any]:
        """Return the step's column values, with the thought's words as text for ``to_tsvector``."""
        return {
            "index": self.index,
            "action_type": self.action_type,
            "target": self.target,
            "action_check": self.check.kind,
            "action_check_detail": self.check.detail,
            **self.measures,
            "sentences": self.sentences,
            "words": self.words,
        }


@dataclass(frozen=True, kw_only=True)
class Facts:
    """All facts of one episode. ``summary`` has the computed columns of ``EpisodeFacts``."""

    steps: Sequence[StepFact]
    unexplained: Sequence[UnexplainedEvent]
    summary: Mapping[str, Any]


def words_of(text: str) -> list[str]:
    """Return the case-folded words of a text, in order."""
    plain = THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return TOKEN.findall(plain)


def indexed(text: str) -> str:
    """Return the words of a text, separated by spaces, as input for ``to_tsvector``."""
    joined = " ".join(words_of(text[:INDEXED_BYTES]))
    if len(joined) <= INDEXED_BYTES // 4:
        return joined
    return joined.encode()[:INDEXED_BYTES].decode("utf-8", "ignore")


def query_terms(query: str) -> list[tuple[str, list[str]]]:
    """Return the parts of a query in websearch syntax.

    A part is ``("", words)``, ``("-", words)`` for an exclusion, or ``("or", [])``. Several words in one part
    form a phrase.
    """
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
    """Return a query for ``websearch_to_tsquery``.

    Its parts are split into words in the same way as thoughts. It is empty if the query does not require any
    word.
    """
    terms = query_terms(query)
    if not any(words and sign != "-" for sign, words in terms):
        return ""
    return " ".join("or" if sign == "or" else f'{sign}"{" ".join(words)}"' for sign, words in terms)
