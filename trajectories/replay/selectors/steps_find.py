"""Where in an episode a text occurs: in what was thought, done, seen and opened."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import connection

FIND_CHARS = 200
MATCHES_SHOWN = 1000

# Plain substrings: what is sought is no pattern, and capital letters do not count.
_MATCHES = """
WITH sought AS (SELECT lower(%(find)s) AS text)
SELECT m.index, m.in_thought, m.in_action, m.in_raw, m.in_tree, m.in_url FROM (
    SELECT s.index,
        strpos(lower(s.thought), sought.text) > 0 AS in_thought,
        strpos(lower(s.action::text), sought.text) > 0 AS in_action,
        strpos(lower(s.raw), sought.text) > 0 AS in_raw,
        strpos(lower(s.observation_text), sought.text) > 0 AS in_tree,
        strpos(lower(s.url), sought.text) > 0 AS in_url
    FROM trajectories_step s, sought WHERE s.episode_id = %(episode)s
) m
WHERE m.in_thought OR m.in_action OR m.in_raw OR m.in_tree OR m.in_url
ORDER BY m.index LIMIT %(limit)s"""
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
        cursor.execute(_MATCHES, {"episode": episode_id, "find": find, "limit": MATCHES_SHOWN + 1})
        rows = cursor.fetchall()
    found = [
        Match(index=index, places=_places(dict(zip(PLACES, flags, strict=True))))
        for index, *flags in rows[:MATCHES_SHOWN]
    ]
    return Matches(find=find, matches=found, is_cut=len(rows) > MATCHES_SHOWN)


def _places(flags: dict[str, bool]) -> tuple[str, ...]:
    is_read = any(flags[name] for name in READ_FROM_RAW)
    return tuple(name for name, is_in in flags.items() if is_in and not (name == "raw" and is_read))
