"""Steps already sent to watchers, by episode; steps may be stored out of order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

# A missing step is awaited until this many above it are known; then it counts as lost.
MISSING_STEPS_MAX = 32


@dataclass
class _Mark:
    """All steps up to ``floor`` have been sent, and those in ``above``."""

    floor: int = 0
    above: set[int] = field(default_factory=set)

    @property
    def highest(self) -> int:
        return max(self.above, default=self.floor)

    def take(self, index: int) -> bool:
        if index <= self.floor or index in self.above:
            return False
        self.above.add(index)
        if len(self.above) > MISSING_STEPS_MAX:
            self.floor = min(self.above) - 1
        while self.floor + 1 in self.above:
            self.floor += 1
            self.above.discard(self.floor)
        return True


class StepMarks:
    """A mark for each episode; no steps of an unmarked episode have been sent."""

    def __init__(self) -> None:
        self._marks: dict[int, _Mark] = {}

    def begin(self, highest: Mapping[int, int], *, watched: Collection[int] = ()) -> None:
        """Count the steps up to ``highest`` as sent, except for ``watched`` episodes that have a mark.

        A mark left over from former watchers is replaced: nobody has looked for steps since.
        """
        for episode_id, index in highest.items():
            if episode_id not in watched or episode_id not in self._marks:
                self._marks[episode_id] = _Mark(floor=index)

    def take(self, episode_id: int, index: int) -> bool:
        """Mark a step as sent, and return whether it was still to be sent."""
        return self._marks.setdefault(episode_id, _Mark()).take(index)

    def highest(self, episode_id: int) -> int:
        """The highest step sent, 0 if none was."""
        mark = self._marks.get(episode_id)
        return mark.highest if mark else 0

    def floors(self) -> dict[int, int]:
        """The step after which to look for new ones, by episode."""
        return {episode_id: mark.floor for episode_id, mark in self._marks.items()}

    def keep(self, episode_ids: Iterable[int]) -> None:
        """Forget all other episodes."""
        remaining = set(episode_ids)
        self._marks = {
            episode_id: mark for episode_id, mark in self._marks.items() if episode_id in remaining
        }

    def __len__(self) -> int:
        return len(self._marks)
