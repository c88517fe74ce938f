"""An episode's outcome: its answer next to the gold, and its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.base import SessionBase

from tasks_app.models import Gold
from trajectories.models import Episode
from trajectories.shell.access import sees_golds
from trajectories.shell.queries import episodes
from trajectories.shell.text.questions import gold_named, map_sources, name_answer
from trajectories.shell.text.values import Value, fields_of, values_of

# The session key that stores whether the reader wants to see golds.
SHOWS_GOLDS = "shows_golds"
# The sign that is shown between an answer and its gold, by outcome.
SIGNS = {"correct": "=", "incorrect": "≠"}
SIGN_LABELS = {"correct": "equals", "incorrect": "differs from"}


@dataclass(frozen=True, kw_only=True)
class Ending:
    """An episode's ending. ``sees_golds``: the reader may see golds; ``shows_golds``: they also want to."""

    episode: Episode
    sees_golds: bool
    shows_golds: bool

    @cached_property
    def answer(self) -> episodes.Answer | None:
        return episodes.episode_answer(self.episode)

    @property
    def answers(self) -> list[str]:
        """The parts of the answer; if choices were reordered, each label is followed by the original one."""
        parts = self.answer.submission.answers if self.answer else []
        return [name_answer(part, self._sources) for part in parts]

    @property
    def values(self) -> list[Value]:
        """The answer by field, each value with the gold's if golds are shown; empty for a single answer."""
        given = self.answer.submission.answer if self.answer else ()
        expected = self.gold.answer if self.gold and self.gold.answer else ()
        return values_of(fields_of(self.episode.task), given=given, expected=expected)

    @cached_property
    def gold(self) -> Gold | None:
        """The gold; None unless golds are shown."""
        return episodes.gold_current(task_id=self.episode.task_id) if self.shows_golds else None

    @property
    def gold_text(self) -> str:
        """The gold as text; empty if golds are hidden or the task is judged by conditions alone."""
        answer = self.gold.answer if self.gold else None
        return gold_named(answer, self._sources) if answer else ""

    @property
    def sign(self) -> str:
        return SIGNS.get(self._outcome, "·")

    @property
    def sign_label(self) -> str:
        return SIGN_LABELS.get(self._outcome, "beside")

    @property
    def _outcome(self) -> str:
        return self.episode.verdict.outcome if self.episode.verdict else ""

    @cached_property
    def _sources(self) -> dict[str, str]:
        return map_sources(self.episode.task, self.episode.variation)


def ending_of(episode: Episode, *, user: User | AnonymousUser, session: SessionBase) -> Ending:
    """Return the episode's ending, with golds if this reader may see them and wants to."""
    may_see = sees_golds(user)
    return Ending(episode=episode, sees_golds=may_see, shows_golds=may_see and bool(session.get(SHOWS_GOLDS)))
