"""Where in an episode a text occurs: in what was thought, done, seen and opened, as pages show it.

They mask the tokens of episodes, and what is sought is found in the masked text alone: else a token could be
read off, letter by letter, from what is found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from core.tokens import MASKED, TOKEN_IN_PATH, TOKEN_LENGTH

FIND_CHARS = 200
MATCHES_SHOWN = 1000

# Plain substrings: what is sought is no pattern, and capital letters do not count. To make letters small and
# to match patterns takes long: the one is done once (``OFFSET 0``), and the token that a text holds is mostly
# the episode's own, known from an address. Only texts are masked that hold what is sought, or may hold a
# piece of the mask.
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
# Names of places, and their words.
PLACES = {
    "thought": "thought",
    "action": "action",
    "raw": "raw output",
    "tree": "tree",
    "url": "address",
}
# What was read out of the raw output: where one of them holds the text, the output does so too.
READ_FROM_RAW = {"thought", "action"}


@dataclass(frozen=True, kw_only=True)
class Match:
    """A step that holds the text, and in which of ``PLACES``; ``raw`` only if nothing read from it does."""

    index: int
    places: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Matches:
    """``is_cut`` when there are more steps than were asked for."""

    find: str
    matches: list[Match] = field(default_factory=list)
    is_cut: bool = False

    def before(self, index: int) -> int | None:
        return next((one.index for one in reversed(self.matches) if one.index < index), None)

    def after(self, index: int) -> int | None:
        return next((one.index for one in self.matches if one.index > index), None)

    def place_of(self, index: int) -> int | None:
        """Which match a step is, from 1."""
        return next((place for place, one in enumerate(self.matches, 1) if one.index == index), None)

    def said_of(self, index: int) -> str:
        """Where in a step the text is, in words."""
        places = next((one.places for one in self.matches if one.index == index), ())
        return ", ".join(PLACES[place] for place in places)


def find_asked(given: str | None) -> str:
    """What a reader asked for, without what no stored text can hold."""
    return (given or "").replace("\0", "").strip()[:FIND_CHARS]


def steps_matching(*, episode_id: int, find: str) -> Matches:
    """The first ``MATCHES_SHOWN`` steps of an episode that hold a text; none for an empty one."""
    if not find:
        return Matches(find=find)
    with connection.cursor() as cursor:
        cursor.execute(_OWN, {"episode": episode_id, "token": _OWN_TOKEN})
        (own,) = cursor.fetchone() or (MASKED,)
        cursor.execute(_MATCHES, {**_values(find, own=own), "episode": episode_id})
        rows = cursor.fetchall()
    found = [
        Match(index=index, places=_places(dict(zip(PLACES, flags, strict=True))))
        for index, *flags in rows[:MATCHES_SHOWN]
    ]
    return Matches(find=find, matches=found, is_cut=len(rows) > MATCHES_SHOWN)


def _values(find: str, *, own: str) -> dict[str, Any]:
    return {
        "find": find,
        "may_be_mask": "*" in find,
        "own": own,
        "token": TOKEN_IN_PATH.pattern,
        "masked": MASKED,
        "limit": MATCHES_SHOWN + 1,
    }


def _places(flags: dict[str, bool]) -> tuple[str, ...]:
    is_read = any(flags[name] for name in READ_FROM_RAW)
    return tuple(name for name, is_in in flags.items() if is_in and not (name == "raw" and is_read))
