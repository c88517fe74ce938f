"""Training data of learned models: recorded episodes with labels, and pairs with people's preferences."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import numpy as np

from core.database.sql import Statement
from core.episodes.splits import TRAINING_SQL
from tasks_app.families.registry import TAG
from trajectories.rewards.learned.figures import Items, Labels
from trajectories.rewards.learned.source import read_recorded
from trajectories.rewards.learned.types import Recorded, Sample

LABELLED = Statement(__file__, "labelled", training=TRAINING_SQL)
BATCH = 200
EPISODES_MAX = 20_000
HELD_SHARE = 0.3


class Opinions(NamedTuple):
    """People's labels: success or failure by episode id, and pairs of ids with the better episode first."""

    successes: Mapping[int, bool] = {}
    preferences: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """An episode with the label that counts, which is people's label if there is one, else the verdict."""

    recorded: Recorded
    label: bool
    is_people: bool = False
    is_overruled: bool = False
    benchmark: str = ""
    family: str = ""


@dataclass(frozen=True, kw_only=True)
class Lessons:
    """Lessons in the order of episode ids, and pairs of episodes with the preferred one first."""

    episodes: Sequence[Lesson]
    pairs: Sequence[tuple[Recorded, Recorded]] = field(default=())

    @property
    def recorded(self) -> list[Recorded]:
        return [episode.recorded for episode in self.episodes]

    @property
    def labels(self) -> Labels:
        return np.array([episode.label for episode in self.episodes], dtype=np.bool_)

    @property
    def items(self) -> Items:
        return np.array([episode.recorded.item for episode in self.episodes], dtype=np.int64)

    @property
    def sample(self) -> Sample:
        return Sample(
            episodes=len(self.episodes),
            items=len({episode.recorded.item for episode in self.episodes}),
            successes=int(self.labels.sum()),
        )

    @property
    def sha256(self) -> str:
        """A hash of all texts, facts and labels, which identifies the lessons."""
        digest = hashlib.sha256()
        for episode in self.episodes:
            digest.update(msgspec.json.encode((episode.recorded, episode.label), order="sorted"))
        for pair in self.pairs:
            digest.update(msgspec.json.encode(pair, order="sorted"))
        return digest.hexdigest()

    def parted(self) -> tuple[Lessons, Lessons]:
        """Split into lessons to fit and held-out lessons; every task is always on the same side."""
        return self._part(is_held=False), self._part(is_held=True)

    def _part(self, *, is_held: bool) -> Lessons:
        return Lessons(
            episodes=[
                episode for episode in self.episodes if is_held_apart(episode.recorded.item) == is_held
            ],
            pairs=[pair for pair in self.pairs if {is_held_apart(one.item) for one in pair} == {is_held}],
        )


def is_held_apart(item: int) -> bool:
    """Return True if a task is held out.

    This depends on the task alone, so that no model is fitted to tasks on which an earlier one was measured.
    """
    digest = hashlib.sha256(f"learned rewards {item}".encode()).digest()
    return int.from_bytes(digest[:8]) < HELD_SHARE * 2**64


def lessons_read(
    *, project: str, opinions: Opinions, runs: Sequence[int] = (), limit: int = EPISODES_MAX
) -> Lessons:
    """Return a project's newest labelled episodes, from ``runs`` or else from all runs not simulated."""
    rows = LABELLED.rows(project=project, runs=list(runs), people=list(opinions.successes), limit=limit)
    by_id = {row[0]: row for row in rows}
    lessons = [_lesson(one, by_id[one.episode], opinions.successes) for one in _recorded(sorted(by_id))]
    known = {lesson.recorded.episode: lesson.recorded for lesson in lessons}
    pairs = [
        (known[one], known[other]) for one, other in opinions.preferences if {one, other} <= known.keys()
    ]
    return Lessons(episodes=lessons, pairs=pairs)


def _recorded(episode_ids: Sequence[int]) -> Iterator[Recorded]:
    for start in range(0, len(episode_ids), BATCH):
        yield from read_recorded(episode_ids[start : start + BATCH])


def _lesson(recorded: Recorded, row: Sequence[Any], successes: Mapping[int, bool]) -> Lesson:
    _, verdict, benchmark, tags = row
    opinion = successes.get(recorded.episode)
    return Lesson(
        recorded=recorded,
        label=bool(verdict if opinion is None else opinion),
        is_people=opinion is not None,
        is_overruled=opinion is not None and verdict is not None and opinion != verdict,
        benchmark=benchmark,
        family=next((tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)), ""),
    )
