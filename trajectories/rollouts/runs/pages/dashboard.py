"""The state of a run for its page; all numbers of episodes are from the same moment."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.answer_check import is_checked
from trajectories.models import Episode
from trajectories.models.origins import Origin
from trajectories.reports import behaviour
from trajectories.reports.run_tallies import (
    AnswerChanges,
    FormatTally,
    PairedTally,
    answer_changes,
    format_tallies,
    paired_tallies,
)
from trajectories.rollouts.runs.pages import dashboard_selectors
from trajectories.rollouts.runs.pages.behaviour import EPISODES_MEASURED, BehaviourTable, behaviour_table
from trajectories.rollouts.runs.pages.curves import Curve, curves_of, endings_of
from trajectories.rollouts.runs.pages.family import family_of
from trajectories.rollouts.runs.pages.heat_map import HeatMap, heat_map_of
from trajectories.rollouts.runs.pages.histograms import Histograms, histograms_of
from trajectories.rollouts.runs.pages.reason_chart import ReasonChart, reason_chart
from trajectories.rollouts.runs.pages.result import Comparison, Result, comparison_of
from trajectories.rollouts.runs.pages.reward_plot import reward_plot
from trajectories.rollouts.runs.pages.voids import VoidTable, void_table
from trajectories.shell.queries import episodes
from trajectories.shell.queries import runs as selectors
from trajectories.shell.queries.tallies import run_tallies_by_arm
from trajectories.shell.text.untrusted import visible

FINGERPRINT_CHARS = 16
# How often a page asks for news by itself: less often while nothing happens.
ACTIVE_EVERY_MS, IDLE_EVERY_MS = 3_000, 15_000


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Tables that count many episodes each time; those of a long run may be older than the rest."""

    comparison: Comparison
    formats: Mapping[str, FormatTally]
    answer_changes: Sequence[AnswerChanges]
    heat_map: HeatMap | None
    histograms: Histograms | None
    curves: Sequence[Curve]
    reasons: ReasonChart | None
    behaviour: BehaviourTable | None
    paired_tasks: Sequence[PairedTally]
    voids: VoidTable | None
    origins: Mapping[Origin, int]
    person_share: dashboard_selectors.PersonShare | None


class Dashboard:
    """``last_at`` is the time of the newest verdict."""

    def __init__(self, run_id: int, tables: Tables) -> None:
        position = dashboard_selectors.position_of(run_id)
        self.position = position
        self.arms = run_tallies_by_arm(run_id=run_id)
        self.tables_renew(tables)
        self.open, self.submitted = self._total("open"), self._total("submitted")
        self.correct, self.incorrect = self._total("correct"), self._total("incorrect")
        self.void = self._total("void")
        self.endings = dashboard_selectors.endings(run_id)
        self.void_reasons = [(end.reason, end.episodes) for end in self.endings if end.outcome == "void"]
        self.verdicts_per_minute = position.in_pace * 60 / dashboard_selectors.PACE_S
        self.step_pace = dashboard_selectors.step_pace(
            run_id=run_id,
            unfinished=self.open + self.submitted,
            after=position.verdicts - position.lately,
            upto=position.verdicts,
        )
        rates = dashboard_selectors.version_rates(run_id)
        self.plot = reward_plot({version: rate for version, rate in rates.items() if version is not None})
        self.last_at = position.last_at
        self.page = episodes.episodes_newest(run_id=run_id)
        self.policy_versions = selectors.run_policy_versions(run_id=run_id)

    def tables_renew(self, tables: Tables) -> None:
        self.tables = tables
        self.result = Result(tables.comparison, self.arms, formats=tables.formats)

    def _total(self, name: str) -> int:
        return sum(getattr(arm, name) for arm in self.arms.values())

    @property
    def curves_record(self) -> list[dict[str, Any]]:
        """Return the curves in the form that the page's script reads."""
        return [{**asdict(curve), "title": visible(curve.title)} for curve in self.tables.curves]

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
        """Value that changes whenever anything shown does."""
        shown = (
            self.position.verdicts,
            self.endings,
            f"{self.verdicts_per_minute:.1f}",
            f"{self.step_pace.steps_per_s:.1f}",
            self.arms,
            [(row.pk, row.status, row.verdict_id, _steps_of(row)) for row in self.page.episodes],
            [row.version for row in self.policy_versions],
            self.tables,
        )
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:FINGERPRINT_CHARS]


def tables_of(run_id: int) -> Tables:
    run, ends = selectors.run_get(run_id), endings_of(run_id)
    family = family_of(run)
    return Tables(
        comparison=comparison_of(family),
        formats=format_tallies(run_id=run_id),
        answer_changes=answer_changes(run_id=run_id) if is_checked(run.settings) else (),
        heat_map=heat_map_of(family),
        histograms=histograms_of(run_id),
        curves=curves_of(run_id, rates=dashboard_selectors.version_rates(run_id), ends=ends),
        reasons=reason_chart(ends),
        behaviour=behaviour_table(behaviour.run_behaviour(run_id=run_id, latest=EPISODES_MEASURED)),
        paired_tasks=paired_tallies(run_id=run_id),
        voids=void_table(run_id),
        origins=dashboard_selectors.origins(run_id),
        person_share=dashboard_selectors.person_share(run_id),
    )


def _steps_of(episode: Episode) -> tuple[int, int]:
    """``episodes_newest`` annotates them."""
    return getattr(episode, "last_index", None) or 0, getattr(episode, "steps_recorded", None) or 0
