"""Matches of a text in an episode's thoughts, actions, raw output, observations and addresses.

Pages mask the episodes' tokens, and only masked text is searched. Otherwise a token could be found out letter
by letter from the matches.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from core.database.sql import Statement, sql_read
from core.episodes.tokens import MASKED, TOKEN_IN_PATH, TOKEN_LENGTH

FIND_CHARS = 200
MATCHES_MAX = 1000

_OWN_TOKEN = TOKEN_IN_PATH.pattern.replace("{8,}", f"{{{TOKEN_LENGTH}}}")
# The places of a step that are searched, with their labels.
PLACES = {"thought": "thought", "action": "action", "raw": "raw output", "tree": "tree", "url": "address"}
# These are parsed from the raw output, which therefore contains the same text.
PARSED_FROM_RAW = {"thought", "action"}
_OWN = Statement(__file__, "own_token")
_HOLDS = {place: sql_read(__file__, "text_holds", text=place) for place in PLACES}
_MATCHES = Statement(__file__, "step_matches", is_hot=False, **_HOLDS)


@dataclass(frozen=True, kw_only=True)
class Match:
    """A step that contains the text, and where (``PLACES``); ``raw`` if nothing parsed from it matches."""

    index: int
    places: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MatchPosition:
    """A step's position among ``number`` matching steps.

    ``before`` and ``after`` are the adjacent matching steps. ``place`` counts from 1 and is None if the step
    itself does not match; ``where`` lists the step's texts that match. ``is_cut`` if there are more matches
    than were read.
    """

    number: int
    is_cut: bool
    before: int | None = None
    after: int | None = None
    place: int | None = None
    where: str = ""


@dataclass(frozen=True, kw_only=True)
class Matches:
    """Matching steps in order; ``is_cut`` if there are more than these."""

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
    """Return the reader's search text without characters that no stored text can contain."""
    return (text or "").replace("\0", "").strip()[:FIND_CHARS]


def steps_matching(*, episode_id: int, find: str) -> Matches:
    """Return an episode's first ``MATCHES_MAX`` steps that contain a text; none if the text is empty."""
    if not find:
        return Matches()
    own = _OWN.rows(episode=episode_id, token=_OWN_TOKEN)
    rows = _MATCHES.rows(
        episode=episode_id,
        find=find,
        may_be_mask="*" in find,
        own=own[0][0] if own else MASKED,
        token=TOKEN_IN_PATH.pattern,
        masked=MASKED,
        limit=MATCHES_MAX + 1,
    )
    matches = [
        Match(index=index, places=_places(dict(zip(PLACES, flags, strict=True))))
        for index, *flags in rows[:MATCHES_MAX]
    ]
    return Matches(matches=matches, is_cut=len(rows) > MATCHES_MAX)


def _places(flags: dict[str, bool]) -> tuple[str, ...]:
    is_parsed = any(flags[name] for name in PARSED_FROM_RAW)
    return tuple(name for name, is_match in flags.items() if is_match and not (name == "raw" and is_parsed))
