"""The episodes of one benchmark as arrays, arm by arm."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajectories.reports.episode_rows import Conditions, EpisodeRow
from trajectories.reports.estimators.answers import NO_LOOK, Answers, Codes, Floats
from trajectories.reports.ladder import ArmKey, arm_of


@dataclass(frozen=True, kw_only=True)
class Item:
    task: int
    key: str
    guess_rate: float
    gap_eligible: bool
    disputed: bool


NO_VERSION = -1


@dataclass(frozen=True, kw_only=True)
class Episodes:
    """The ended episodes of one arm as arrays with an entry per episode.

    ``item`` and ``look`` are codes. ``outcome`` is 1 for correct, 0 for incorrect and -1 for void.
    ``version`` is ``NO_VERSION`` if there is none, and ``score`` is NaN if there is none. ``sample`` is the
    episode's number among those of its item. ``form`` is -1 for a format failure, 1 for a repaired episode
    and 0 for others.
    """

    item: Codes
    look: Codes
    version: Codes
    outcome: Codes
    sample: Codes
    episode: Codes
    score: Floats
    form: Codes

    def where(self, mask: NDArray[np.bool_]) -> Episodes:
        return Episodes(**{name: values[mask] for name, values in vars(self).items()})

    @property
    def answers(self) -> Answers:
        """The answers of the judged episodes."""
        judged = self.where(self.outcome >= 0)
        return Answers(item=judged.item, look=judged.look, correct=judged.outcome.astype(np.float64))


# The type codes of the arrays in memory, by field of ``Episodes``.
TYPES = dict.fromkeys(("item", "look", "version", "sample", "episode"), "q")
TYPES |= {"outcome": "b", "score": "d", "form": "b"}


@dataclass
class _Column:
    """The episodes of one arm: ``ended`` by field of ``Episodes``, the runs, and how many are unfinished."""

    ended: dict[str, array[Any]] = field(
        default_factory=lambda: {name: array(code) for name, code in TYPES.items()}
    )
    runs: set[int] = field(default_factory=set)
    unfinished: int = 0


OUTCOMES = {"correct": 1, "incorrect": 0, "void": -1}


class BenchmarkData:
    """The episodes of one benchmark as arrays, which take some 40 bytes per episode as they hold no texts.

    ``planned`` has the arms as the plan names them. With ``checkpoints``, by run, the arms of different
    checkpoints are separate.
    """

    def __init__(
        self,
        rows: Iterable[EpisodeRow],
        *,
        planned: Collection[str] = (),
        checkpoints: Mapping[int, str] | None = None,
    ) -> None:
        self._planned = planned
        self.items: list[Item] = []
        self.arms: dict[ArmKey, _Column] = {}
        self.is_site = False
        # The keys are pairs of an arm and a run.
        self.conditions: dict[tuple[ArmKey, int], set[Conditions]] = {}
        self._items: dict[int, int] = {}
        self._looks: dict[str, int] = {}
        self._checkpoints = checkpoints or {}
        for row in rows:
            self._add(row)

    def _add(self, row: EpisodeRow) -> None:
        key = arm_of(self._planned, arm=row.arm, retest=row.retest, observation=row.observation)
        key = key._replace(checkpoint=self._checkpoints.get(row.run, ""))
        column = self.arms.setdefault(key, _Column())
        column.runs.add(row.run)
        self.is_site = row.is_site
        self.conditions.setdefault((key, row.run), set()).add(row.conditions)
        if row.outcome is None:
            column.unfinished += 1
            return
        if row.task not in self._items:
            self._items[row.task] = len(self.items)
            self.items.append(
                Item(
                    task=row.task,
                    key=row.key,
                    guess_rate=row.guess_rate,
                    gap_eligible=row.gap_eligible,
                    disputed=row.disputed,
                )
            )
        values = {
            "item": self._items[row.task],
            "look": self._looks.setdefault(row.look, len(self._looks)) if row.look else NO_LOOK,
            "version": NO_VERSION if row.policy_version is None else row.policy_version,
            "outcome": OUTCOMES[row.outcome],
            "sample": row.sample,
            "episode": row.episode,
            "score": math.nan if row.score is None else row.score,
            "form": -1 if row.is_format_failure else int(bool(row.is_repaired)),
        }
        for name, value in values.items():
            column.ended[name].append(value)

    def codes(self, is_counted: Callable[[Item], bool]) -> Codes:
        """Return the codes of the items for which ``is_counted`` is true."""
        return np.array([code for code, item in enumerate(self.items) if is_counted(item)], dtype=np.int64)

    @property
    def looks(self) -> Sequence[str]:
        """The hashes of the looks, indexed by their codes."""
        return list(self._looks)

    def episodes(self, key: ArmKey, items: Codes) -> Episodes:
        """Return the ended episodes of an arm on these items."""
        ended = (self.arms.get(key) or _Column()).ended
        arrays: dict[str, Any] = {
            name: np.array(values, dtype=np.float64 if TYPES[name] == "d" else np.int64)
            for name, values in ended.items()
        }
        return Episodes(**arrays).where(np.isin(arrays["item"], items))

    def policy_versions(self, key: ArmKey) -> list[int]:
        """Return the distinct policy versions of an arm's ended episodes, ascending."""
        column = self.arms.get(key) or _Column()
        return sorted(set(column.ended["version"]) - {NO_VERSION})

    def answers(self, key: ArmKey, items: Codes, *, version: int | None = None) -> Answers:
        """Return an arm's judged answers to these items, from one policy version or from all."""
        made = self.episodes(key, items)
        return (made if version is None else made.where(made.version == version)).answers

    def tallies(self, key: ArmKey, items: Codes) -> tuple[Floats, Floats, Floats]:
        """Count an arm's right, judged and ended episodes for each of the ``items``, in their order."""
        made, size = self.episodes(key, items), len(self.items)

        def count(mask: np.ndarray) -> Floats:
            return np.bincount(made.item[mask], minlength=size)[items].astype(np.float64)

        return count(made.outcome == 1), count(made.outcome >= 0), count(made.outcome >= -1)

    def guess_rate(self, items: Codes) -> float:
        return float(np.mean([self.items[code].guess_rate for code in items])) if len(items) else 0.0
