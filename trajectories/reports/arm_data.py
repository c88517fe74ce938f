"""The answers of one benchmark as arrays, arm by arm."""

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
    """Ended episodes of one arm, one entry each. ``outcome``: 1 correct, 0 incorrect, -1 void; ``version``:
    ``NO_VERSION`` if there is none; ``sample``: the number among its item's; ``score``: NaN if there is none;
    ``form``: -1 for a format failure, 1 for a repaired episode, 0 for others."""

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
        """The judged episodes as answers."""
        judged = self.where(self.outcome >= 0)
        return Answers(item=judged.item, look=judged.look, correct=judged.outcome.astype(np.float64))


# Types of the arrays in memory, by the fields of ``Episodes``.
TYPES = dict.fromkeys(("item", "look", "version", "sample", "episode"), "q")
TYPES |= {"outcome": "b", "score": "d", "form": "b"}


@dataclass
class _Column:
    """Episodes of one arm: ``ended`` as in ``Episodes``, their runs, and the number of those still open."""

    ended: dict[str, array[Any]] = field(
        default_factory=lambda: {name: array(code) for name, code in TYPES.items()}
    )
    runs: set[int] = field(default_factory=set)
    unfinished: int = 0


OUTCOMES = {"correct": 1, "incorrect": 0, "void": -1}


class BenchmarkData:
    """The episodes of one benchmark as arrays, without their texts: some 40 bytes an episode.

    ``planned`` are the arms as the plan names them. ``checkpoints``, by run, keep their arms apart.
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
        # The keys are an arm and a run.
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
        """Return the items that count."""
        return np.array([code for code, item in enumerate(self.items) if is_counted(item)], dtype=np.int64)

    @property
    def looks(self) -> Sequence[str]:
        """The hashes of the looks, in the order of their codes."""
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
        """Return the policy versions of an arm's ended episodes, as far as they have one."""
        column = self.arms.get(key) or _Column()
        return sorted(set(column.ended["version"]) - {NO_VERSION})

    def answers(self, key: ArmKey, items: Codes, *, version: int | None = None) -> Answers:
        """Return an arm's judged answers to these items, of one policy version or of all."""
        made = self.episodes(key, items)
        return (made if version is None else made.where(made.version == version)).answers

    def tallies(self, key: ArmKey, items: Codes) -> tuple[Floats, Floats, Floats]:
        """Count an arm's right, judged and ended episodes, by item in the order of ``items``."""
        made, size = self.episodes(key, items), len(self.items)

        def count(mask: np.ndarray) -> Floats:
            return np.bincount(made.item[mask], minlength=size)[items].astype(np.float64)

        return count(made.outcome == 1), count(made.outcome >= 0), count(made.outcome >= -1)

    def guess_rate(self, items: Codes) -> float:
        return float(np.mean([self.items[code].guess_rate for code in items])) if len(items) else 0.0
