"""Rows of lists of episodes, each with a preview of its matching step or of its last step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import json

from core.database.sql import Statement
from trajectories.actions.checks import MISMATCHES
from trajectories.models import Episode
from trajectories.shell.queries.episodes import list_episodes
from trajectories.shell.text.excerpts import SEARCHED_CHARS, Part, excerpt
from trajectories.shell.text.untrusted import BEGINNING_FETCHED

# A preview is a single line, so the match must come early in it.
LINE_REACH_CHARS = 24
_PREVIEWS = Statement(__file__, "previews")

# An episode's id and, if one of its steps matches, that step's number.
Place = tuple[int, int | None]


@dataclass(frozen=True, kw_only=True)
class EpisodeRow:
    """An episode in a list, with ``index`` if one of its steps matches. ``shown`` is the step whose thought,
    action and picture are shown: the matching one, otherwise the last. ``parts`` make up the thought's
    excerpt; ``facts`` are the episode's measures, empty until they are computed.
    """

    episode: Episode
    index: int | None = None
    shown: int | None = None
    action_type: str = ""
    action_check: str = ""
    screenshot: str = ""
    answer: str = ""
    parts: Sequence[Part] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def pk(self) -> int:
        return self.episode.pk

    @property
    def excerpt(self) -> str:
        """The beginning of the question."""
        return str(getattr(self.episode, "excerpt", ""))

    @property
    def thought(self) -> str:
        """The excerpt as plain text."""
        return "".join(part.text for part in self.parts)

    @property
    def is_mismatch(self) -> bool:
        return self.action_check in MISMATCHES

    @property
    def find(self) -> str:
        """The longest match, spelled as in the thought, to be highlighted on the step's page."""
        return max((part.text for part in self.parts if part.is_hit), key=len, default="")


def episode_rows(places: Sequence[Place], *, query: str = "") -> list[EpisodeRow]:
    """Return a row for each place, in the same order."""
    listed = list_episodes(Episode.objects.filter(pk__in={episode_id for episode_id, _ in places}))
    return rows_of({episode.pk: episode for episode in listed}, places, query=query)


def rows_of(episodes: Mapping[int, Episode], places: Sequence[Place], *, query: str = "") -> list[EpisodeRow]:
    """Return a row for each place, in the same order, from episodes that are already loaded."""
    if not places:
        return []
    previews = _PREVIEWS.rows(
        episodes=[episode_id for episode_id, _ in places],
        indexes=[index for _, index in places],
        chars=SEARCHED_CHARS + 1 if query else BEGINNING_FETCHED,
        answer_chars=BEGINNING_FETCHED,
    )
    return [
        _row(episodes[episode_id], index, preview, query=query)
        for (episode_id, index), preview in zip(places, previews, strict=True)
    ]


def _row(episode: Episode, index: int | None, preview: tuple[Any, ...], *, query: str) -> EpisodeRow:
    shown, thought, action_type, action_check, screenshot, answer, facts = preview
    return EpisodeRow(
        episode=episode,
        index=index,
        shown=shown,
        action_type=action_type,
        action_check=action_check,
        screenshot=screenshot,
        answer=answer,
        parts=excerpt(thought, query=query, before=LINE_REACH_CHARS),
        facts=json.decode(facts),
    )
