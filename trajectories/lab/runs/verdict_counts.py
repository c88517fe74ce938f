"""Incremental counts of a run's verdicts: all of them once, then only new ones."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from core.reasons import HARMLESS_VOIDS
from trajectories.lab.queries.tallies import Tally
from trajectories.lab.runs.dashboard_selectors import Position, Unfinished, VerdictGroup, verdict_groups
from trajectories.reports.statistics import Clusters, Rate, rate_of

# The period over which the pace of verdicts is measured.
PACE_S = 300


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The number of episodes that ended for one reason."""

    outcome: str
    reason: str
    episodes: int


@dataclass
class RateSums:
    """Correct and judged episodes of one policy version or arm, by task; guided ones are left out."""

    by_task: dict[int, tuple[int, int]] = field(default_factory=dict)
    sums: Counter[str] = field(default_factory=Counter)

    def add(self, *, task: int, correct: int, judged: int) -> None:
        k, n = self.by_task.get(task, (0, 0))
        new_k, new_n = k + correct, n + judged
        self.by_task[task] = (new_k, new_n)
        self.sums.update(
            correct=correct,
            judged=judged,
            correct_squared=new_k * new_k - k * k,
            correct_times_judged=new_k * new_n - k * n,
            judged_squared=new_n * new_n - n * n,
        )

    def rate(self) -> Rate | None:
        return rate_of(Clusters(tasks=len(self.by_task), **self.sums)) if self.by_task else None


@dataclass
class ArmCounts:
    """The verdicts of one arm; ``endings`` by outcome and reason."""

    endings: Counter[tuple[str, str]] = field(default_factory=Counter)
    guided: int = 0
    rated: RateSums = field(default_factory=RateSums)

    def tally(self, unfinished: Unfinished) -> Tally:
        by_outcome: Counter[str] = Counter()
        for (outcome, _), episodes in self.endings.items():
            by_outcome[outcome] += episodes
        harmless = sum(self.endings["void", reason] for reason in HARMLESS_VOIDS)
        return Tally(
            episodes=by_outcome.total() + unfinished.open + unfinished.submitted,
            open=unfinished.open,
            submitted=unfinished.submitted,
            correct=by_outcome["correct"],
            incorrect=by_outcome["incorrect"],
            void=by_outcome["void"],
            void_ours=by_outcome["void"] - harmless,
            guided=self.guided + unfinished.guided,
            rate=self.rated.rate(),
        )


class VerdictCounts:
    """All of a run's verdicts up to ``position``; ``last_at`` is the second of the newest."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.position = Position(verdicts=0, rejudged=0, now=0.0)
        self.versions: dict[int | None, RateSums] = {}
        self.arms: dict[str, ArmCounts] = {}
        self.last_at = 0
        # The number of verdicts by the second in which they were written.
        self._pace: deque[tuple[int, int]] = deque()

    def is_outdated(self, position: Position) -> bool:
        """Whether the counts are out of date because verdicts were replaced or withdrawn."""
        return position.rejudged != self.position.rejudged or position.verdicts < self.position.verdicts

    def advance(self, position: Position) -> None:
        """Add the verdicts up to ``position``."""
        seconds: Counter[int] = Counter()
        for group in verdict_groups(run_id=self.run_id, after=self.position.verdicts, upto=position.verdicts):
            self._add(group)
            seconds[group.second] += group.episodes
        self._pace.extend(sorted(seconds.items()))
        while self._pace and self._pace[0][0] < position.now - PACE_S:
            self._pace.popleft()
        self.position = position

    def verdicts_within(self, seconds: float) -> int:
        return sum(number for second, number in self._pace if second >= self.position.now - seconds)

    @property
    def endings(self) -> list[Ending]:
        """By outcome and reason, the most frequent first."""
        counts: Counter[tuple[str, str]] = sum((arm.endings for arm in self.arms.values()), Counter())
        endings = [Ending(outcome=of, reason=reason, episodes=n) for (of, reason), n in counts.items()]
        return sorted(endings, key=lambda ending: (-ending.episodes, ending.outcome, ending.reason))

    def outcome(self, name: str) -> int:
        return sum(ending.episodes for ending in self.endings if ending.outcome == name)

    def tallies(self, unfinished: dict[str, Unfinished]) -> dict[str, Tally]:
        return {
            arm: self.arms.get(arm, ArmCounts()).tally(unfinished.get(arm, Unfinished()))
            for arm in sorted(self.arms.keys() | unfinished.keys())
        }

    def _add(self, group: VerdictGroup) -> None:
        arm = self.arms.setdefault(group.arm, ArmCounts())
        arm.endings[group.outcome, group.reason] += group.episodes
        self.last_at = max(self.last_at, group.second)
        if group.is_guided:
            arm.guided += group.episodes
        elif group.outcome != "void":
            correct = group.episodes if group.outcome == "correct" else 0
            for sums in (self.versions.setdefault(group.version, RateSums()), arm.rated):
                sums.add(task=group.task, correct=correct, judged=group.episodes)
