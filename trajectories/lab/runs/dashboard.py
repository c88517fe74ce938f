"""The state of a run for its page; all numbers of episodes are from the same moment."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from trajectories.lab.queries import episodes
from trajectories.lab.runs import dashboard_selectors, selectors
from trajectories.lab.runs.behaviour import BehaviourTable, behaviour_table
from trajectories.lab.runs.reward_plot import reward_plot
from trajectories.lab.runs.verdict_counts import PACE_S, VerdictCounts
from trajectories.lab.runs.voids import VoidTable, void_table
from trajectories.models import Episode
from trajectories.reports import behaviour
from trajectories.reports.paired_tasks import PairedTally, paired_tallies

FINGERPRINT_CHARS = 16
# How often a page asks for news by itself: less often while nothing happens.
ACTIVE_EVERY_MS, IDLE_EVERY_MS = 3_000, 15_000


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Tables that count many episodes each time; those of a long run may be older than the rest."""

    behaviour: BehaviourTable | None
    paired_tasks: Sequence[PairedTally]
    voids: VoidTable | None


class Dashboard:
    """The run whose verdicts were counted.

    ``unversioned`` is the reward of episodes without a policy version, ``last_at`` the newest verdict.
    """

    def __init__(self, counts: VerdictCounts, tables: Tables) -> None:
        run_id, upto = counts.run_id, counts.position.verdicts
        unfinished = dashboard_selectors.unfinished_by_arm(run_id)
        self.tables = tables
        self.position = counts.position
        self.open = sum(arm.open for arm in unfinished.values())
        self.submitted = sum(arm.submitted for arm in unfinished.values())
        self.correct, self.incorrect, self.void = map(counts.outcome, ("correct", "incorrect", "void"))
        self.endings = counts.endings
        self.void_reasons = [(end.reason, end.episodes) for end in counts.endings if end.outcome == "void"]
        self.verdicts_per_minute = counts.verdicts_within(PACE_S) * 60 / PACE_S
        self.step_pace = dashboard_selectors.step_pace(
            run_id=run_id,
            unfinished=self.open + self.submitted,
            after=upto - counts.verdicts_within(dashboard_selectors.STEPS_WINDOW_S + 1),
            upto=upto,
        )
        rates = {version: rate for version, sums in counts.versions.items() if (rate := sums.rate())}
        self.unversioned = rates.pop(None, None)
        self.plot = reward_plot({version: rate for version, rate in rates.items() if version is not None})
        self.last_at = datetime.fromtimestamp(counts.last_at, UTC) if counts.last_at else None
        self.arms = counts.tallies(unfinished)
        self.page = episodes.episodes_newest(run_id=run_id)
        self.policy_versions = selectors.run_policy_versions(run_id=run_id)

    @property
    def judged(self) -> int:
        return self.correct + self.incorrect

    @property
    def is_active(self) -> bool:
        return self.open + self.submitted > 0

    @property
    def state(self) -> str:
        return "active" if self.is_active else "idle"

    @property
    def every_ms(self) -> int:
        return ACTIVE_EVERY_MS if self.is_active else IDLE_EVERY_MS

    @property
    def fingerprint(self) -> str:
        """Differs when anything that is shown does."""
        shown = (
            self.position.verdicts,
            self.position.rejudged,
            f"{self.verdicts_per_minute:.1f}",
            f"{self.step_pace.steps_per_s:.1f}",
            self.arms,
            [(row.pk, row.status, row.verdict_id, _steps_of(row)) for row in self.page.episodes],
            [row.version for row in self.policy_versions],
            self.tables,
        )
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:FINGERPRINT_CHARS]


def tables_of(run_id: int) -> Tables:
    return Tables(
        behaviour=behaviour_table(behaviour.run_behaviour(run_id=run_id)),
        paired_tasks=paired_tallies(run_id=run_id),
        voids=void_table(run_id),
    )


def _steps_of(episode: Episode) -> tuple[int, int]:
    """``episodes_newest`` annotates them."""
    return getattr(episode, "last_index", None) or 0, getattr(episode, "steps_recorded", None) or 0
