"""Queries that read lost episodes in the form that the rules need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from core.database.sql import Statement
from palaestra.protocol.arms import ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS
from palaestra.protocol.outline import strip_ids
from tasks_app.questions import questions
from tasks_app.variation import payload_shown
from trajectories.reports.losses.rules import LostEpisode

# The number of episodes in memory at a time, which is small because their texts are long.
BATCH = 20
TEXT_CHARS = 60_000
READ = Statement(__file__, "lost_episodes")


class Source(Struct, frozen=True, kw_only=True):
    """An episode as it is stored.

    ``steps`` has the thought, the observation and its format for each step. ``unread`` counts the steps whose
    action could not be read although it was not cut off for length, and ``repeats`` those that did the same
    as an earlier step on the same page.
    """

    episode: int
    arm: str
    reason: str
    kind: str
    payload: dict[str, Any]
    variation: dict[str, Any] | None
    answer: Any
    steps: list[tuple[str, str, str]]
    unread: int
    repeats: int


_decode = msgspec.json.Decoder(Source).decode


def lost_episodes(
    episode_ids: Sequence[int], *, readings: Mapping[int, float]
) -> Iterator[tuple[int, LostEpisode]]:
    """Yield the lost episodes with their ids, in no particular order.

    ``readings`` has the mean scores of reading probes by episode.
    """
    for start in range(0, len(episode_ids), BATCH):
        for (text,) in READ.rows(ids=list(episode_ids[start : start + BATCH]), chars=TEXT_CHARS):
            source = _decode(text)
            yield source.episode, _lost(source, reading=readings.get(source.episode))


def _lost(source: Source, *, reading: float | None) -> LostEpisode:
    shown = [(strip_ids(text), form) for _, text, form in source.steps if text or form]
    answer = source.answer if isinstance(source.answer, list) else [source.answer]
    payload = payload_shown(source.payload, source.variation)
    return LostEpisode(
        reason=source.reason,
        question=questions.get(source.kind).axtree_text(payload),
        is_in_prompt=ARMS[source.arm].has_text,
        is_partly_known=not all(text and _is_outline(form) for text, form in shown),
        observations=[text for text, _ in shown],
        thoughts=[thought for thought, _, _ in source.steps if thought],
        steps=len(source.steps),
        unread=source.unread,
        repeats=source.repeats,
        answer=[str(part) for part in answer if part],
        reading=reading,
    )


def _is_outline(form: str) -> bool:
    """Return whether observations of this format contain the whole question as text."""
    known = OBSERVATION_FORMATS.get(form)
    return known is None or known.has_text
