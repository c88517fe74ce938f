"""Where in an episode a text occurs: in thoughts, actions, raw output, observations and addresses.

Pages mask the tokens of episodes, and only masked text is searched: otherwise a token could be read off
letter by letter from the matches.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from core.tokens import MASKED, TOKEN_IN_PATH, TOKEN_LENGTH

FIND_CHARS = 200
MATCHES_MAX = 1000

# Plain, case-insensitive substrings. Lowering and pattern matching are slow: texts are lowered once
# (``OFFSET 0``), and nearly every token in a text is the episode's own, known from an address. Only texts
# that hold the query, or may hold a piece of the mask, are masked.
_OWN = """
SELECT lower(substring(url FROM %(token)s)) FROM trajectories_step
WHERE episode_id = %(episode)s AND url ~ %(token)s ORDER BY index LIMIT 1"""
_OWN_TOKEN = TOKEN_IN_PATH.pattern.replace("{8,}", f"{{{TOKEN_LENGTH}}}")
_HOLDS = """
(%(may_be_mask)s OR strpos({text}, lower(%(find)s)) > 0) AND strpos(
    CASE WHEN strpos(replace({text}, %(own)s, ''), '/e/') > 0
        THEN regexp_replace({text}, %(token)s, %(masked)s, 'g') ELSE replace({text}, %(own)s, %(masked)s) END,
    lower(%(find)s)) > 0"""
_MATCHES = f"""
SELECT m.index, m.in_thought, m.in_action, m.in_raw, m.in_tree, m.in_url
FROM trajectories_step s CROSS JOIN LATERAL (
    SELECT small.index,
        {_HOLDS.format(text="thought")} AS in_thought,
        {_HOLDS.format(text="action")} AS in_action,
        {_HOLDS.format(text="raw")} AS in_raw,
        {_HOLDS.format(text="tree")} AS in_tree,
        {_HOLDS.format(text="url")} AS in_url
    FROM (SELECT s.index, lower(s.thought) AS thought, lower(s.action::text) AS action, lower(s.raw) AS raw,
        lower(s.observation_text) AS tree, lower(s.url) AS url OFFSET 0) small
    OFFSET 0
) m
WHERE s.episode_id = %(episode)s AND (m.in_thought OR m.in_action OR m.in_raw OR m.in_tree OR m.in_url)
ORDER BY s.index LIMIT %(limit)s"""  # noqa: S608 (only names of columns are put in)
# Places of a step, with their labels.
PLACES = {"thought": "thought", "action": "action", "raw": "raw output", "tree": "tree", "url": "address"}
# Parsed from the raw output, which therefore holds the same text.
PARSED_FROM_RAW = {"thought", "action"}


@dataclass(frozen=True, kw_only=True)
class Match:
    """A step that holds the text, and in which of ``PLACES``; ``raw`` only if nothing parsed from it does."""

    index: int
    places: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MatchPosition:
    """A step among ``number`` matching steps: the matches ``before`` and ``after`` it.

    ``place`` counts from 1 and is None if the step itself does not match; ``where`` names the matching texts.
    ``is_cut`` if there are more matches than were read.
    """

    number: int
    is_cut: bool
    before: int | None = None
    after: int | None = None
    place: int | None = None
    where: str = ""


@dataclass(frozen=True, kw_only=True)
class Matches:
    """Matching steps in order; ``is_cut`` if there are more of them."""

    matches: list[Match] = field(default_factory=list)
    is_cut: bool = False

    def position_of(self, index: int) -> MatchPosition:
        numbers = [match.index for match in self.matches]
        place = bisect_left(numbers, index)
        is_match = numbers[place : place + 1] == [index]
        after = place + is_match
        return MatchPosition(
            number=len(numbers),
            is_cut=self.is_cut,
            before=numbers[place - 1] if place else None,
            after=numbers[after] if after < len(numbers) else None,
            place=place + 1 if is_match else None,
            where=", ".join(PLACES[name] for name in self.matches[place].places) if is_match else "",
        )


def find_query(text: str | None) -> str:
    """What the reader searches for, without characters that no stored text can hold."""
    return (text or "").replace("\0", "").strip()[:FIND_CHARS]


def steps_matching(*, episode_id: int, find: str) -> Matches:
    """The first ``MATCHES_MAX`` steps of an episode that hold a text; none for an empty one."""
    if not find:
        return Matches()
    parameters: dict[str, Any] = {
        "episode": episode_id,
        "find": find,
        "may_be_mask": "*" in find,
        "token": TOKEN_IN_PATH.pattern,
        "masked": MASKED,
        "limit": MATCHES_MAX + 1,
    }
    with connection.cursor() as cursor:
        cursor.execute(_OWN, {"episode": episode_id, "token": _OWN_TOKEN})
        (own,) = cursor.fetchone() or (MASKED,)
        cursor.execute(_MATCHES, {**parameters, "own": own})
        rows = cursor.fetchall()
    matches = [
        Match(index=index, places=_places(dict(zip(PLACES, flags, strict=True))))
        for index, *flags in rows[:MATCHES_MAX]
    ]
    return Matches(matches=matches, is_cut=len(rows) > MATCHES_MAX)


def _places(flags: dict[str, bool]) -> tuple[str, ...]:
    is_parsed = any(flags[name] for name in PARSED_FROM_RAW)
    return tuple(name for name, is_match in flags.items() if is_match and not (name == "raw" and is_parsed))
