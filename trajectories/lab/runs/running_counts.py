"""The counts of a run, carried on from verdict to verdict: all are read once, then only new ones."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from core.reasons import HARMLESS_VOIDS
from trajectories.lab.queries.tallies import Tally
from trajectories.lab.runs.dashboard_selectors import Counted, Mark, Unfinished, verdicts_counted
from trajectories.reports.statistics import Clusters, Rate, rate_of

# How far back the pace of verdicts is known.
PACE_S = 300


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How many episodes ended for one reason."""

    outcome: str
    reason: str
    episodes: int


@dataclass
class RateFold:
    """Correct and judged episodes of one policy version or arm, by task; guided ones are left out."""

    by_task: dict[int, tuple[int, int]] = field(default_factory=dict)
    correct: int = 0
    judged: int = 0
    correct_squared: int = 0
    correct_times_judged: int = 0
    judged_squared: int = 0

    def add(self, *, task: int, correct: int, judged: int) -> None:
        k, n = self.by_task.get(task, (0, 0))
        more_k, more_n = k + correct, n + judged
        self.by_task[task] = (more_k, more_n)
        self.correct += correct
        self.judged += judged
        self.correct_squared += more_k * more_k - k * k
        self.correct_times_judged += more_k * more_n - k * n
        self.judged_squared += more_n * more_n - n * n

    def rate(self) -> Rate | None:
        sums = Clusters(
            tasks=len(self.by_task),
            correct=self.correct,
            judged=self.judged,
            correct_squared=self.correct_squared,
            correct_times_judged=self.correct_times_judged,
            judged_squared=self.judged_squared,
        )
        return rate_of(sums)


@dataclass
class ArmFold:
    """The verdicts of one arm."""

    endings: Counter[tuple[str, str]] = field(default_factory=Counter)
    guided: int = 0
    rated: RateFold = field(default_factory=RateFold)

    def tally(self, unfinished: Unfinished) -> Tally:
        by_outcome: Counter[str] = Counter()
        for (outcome, _), number in self.endings.items():
            by_outcome[outcome] += number
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


class Fold:
    """All of a run's verdicts up to ``mark``."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.mark = Mark(verdicts=0, rejudged=0, now=0.0)
        self.versions: dict[int | None, RateFold] = {}
        self.arms: dict[str, ArmFold] = {}
        self.last_at = 0
        # When the last verdicts were written, with how many there were.
        self._pace: deque[tuple[int, int]] = deque()

    def is_of_the_past(self, mark: Mark) -> bool:
        """Whether what was counted does not hold any more: verdicts were reached again, or taken back."""
        return mark.rejudged != self.mark.rejudged or mark.verdicts < self.mark.verdicts

    def advance(self, mark: Mark) -> None:
        """Count what has come up to ``mark``."""
        seconds: Counter[int] = Counter()
        for found in verdicts_counted(run_id=self.run_id, after=self.mark.verdicts, upto=mark.verdicts):
            self._count(found)
            seconds[found.second] += found.number
        self._pace.extend(sorted(seconds.items()))
        while self._pace and self._pace[0][0] < mark.now - PACE_S:
            self._pace.popleft()
        self.mark = mark

    def verdicts_within(self, seconds: float) -> int:
        return sum(number for second, number in self._pace if second >= self.mark.now - seconds)

    @property
    def endings(self) -> Counter[tuple[str, str]]:
        """Verdicts by outcome and reason."""
        return sum((arm.endings for arm in self.arms.values()), Counter())

    @property
    def guided(self) -> int:
        return sum(arm.guided for arm in self.arms.values())

    def outcome(self, name: str) -> int:
        return sum(number for (outcome, _), number in self.endings.items() if outcome == name)

    def endings_told(self) -> list[Ending]:
        """Most frequent first."""
        told = [Ending(outcome=of[0], reason=of[1], episodes=n) for of, n in self.endings.items()]
        return sorted(told, key=lambda one: (-one.episodes, one.outcome, one.reason))

    def arms_told(self, unfinished: dict[str, Unfinished]) -> dict[str, Tally]:
        return {
            arm: self.arms.get(arm, ArmFold()).tally(unfinished.get(arm, Unfinished()))
            for arm in sorted(self.arms.keys() | unfinished.keys())
        }

    def _count(self, found: Counted) -> None:
        arm = self.arms.setdefault(found.arm, ArmFold())
        arm.endings[found.outcome, found.reason] += found.number
        self.last_at = max(self.last_at, found.second)
        if found.is_guided:
            arm.guided += found.number
        elif found.outcome != "void":
            correct = found.number if found.outcome == "correct" else 0
            for fold in (self.versions.setdefault(found.version, RateFold()), arm.rated):
                fold.add(task=found.task, correct=correct, judged=found.number)
