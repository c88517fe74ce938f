"""The paired gaps of a run's page, estimated as in reports, on items shared by the run and its family."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from django.db.models import F, Q

from trajectories.models.sums import Scope, TaskSum
from trajectories.reports import setups
from trajectories.reports.analysis import Analysis, pair_compared
from trajectories.reports.arm_data import BenchmarkData
from trajectories.reports.episode_rows import EpisodeRow, episode_rows
from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import NO_LOOK, Answers, Codes, Estimate
from trajectories.reports.ladder import ArmKey, contrasts_of
from trajectories.rollouts.runs.pages.family import Family

# Larger families are read as sums by task, which do not separate looks.
EPISODES_READ = 4_000
ONLY_ITEMS = "over items only: with so many episodes, looks are not separated"
ROWS_MAX = 12


@dataclass(frozen=True, kw_only=True)
class Gap:
    """The accuracy of ``a`` minus that of ``b`` on shared items, in points.

    ``note`` gives the reason why a value or an interval is missing, or how to read it. Means are over the
    shared items; ``a_better`` and ``b_better`` are numbers of items.
    """

    benchmark: str
    a: ArmKey
    b: ArmKey
    is_site: bool
    items: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    mean_a: float = 0.0
    mean_b: float = 0.0
    a_better: int = 0
    b_better: int = 0
    note: str = ""
    link: str = ""


def run_gaps(family: Family, *, judged: int) -> list[Gap]:
    """Compute the gap of each contrast with episodes in the family, most shared items first.

    Contrasts without a shared item are left out if others have some. If no contrast has one, a single row
    reports that.
    """
    if len(family.members) < 2:
        return []
    rows = _from_episodes(family) if judged <= EPISODES_READ else _from_sums(family)
    ordered = sorted(rows, key=lambda gap: -gap.items)
    return [gap for gap in ordered if gap.items][:ROWS_MAX] or ordered[:1]


def _contrasts(family: Family, arms: Sequence[ArmKey]) -> list[tuple[ArmKey, ArmKey]]:
    """Return the plan's contrasts, and each retest paired with its arm, as far as both were played."""
    again = [(key._replace(retest=False), key) for key in arms if key.retest]
    return [(a, b) for a, b in (*contrasts_of(family.plan), *again) if {a, b} <= set(arms)]


def _from_episodes(family: Family) -> Iterator[Gap]:
    """Yield the gaps as a report computes them, with looks and with differences between set-ups."""
    by_benchmark: dict[str, list[EpisodeRow]] = defaultdict(list)
    for row in episode_rows(list(family.runs)):
        if family.of(run=row.run, arm=row.arm):
            by_benchmark[row.benchmark].append(row)
    for benchmark, rows in by_benchmark.items():
        data = BenchmarkData(rows, planned=family.plan["arms"])
        report_id = family.run.report_id or 0
        analysis = Analysis(report_id, family.plan, benchmark, data, family.runs)
        for a, b in _contrasts(family, analysis.arms):
            reason, pair = pair_compared(analysis, a, b, analysis.items)
            link = _items_link(family, benchmark, a, b)
            yield _gap(benchmark, a, b, pair, reason, alpha=analysis.alpha, is_site=data.is_site, link=link)


def _from_sums(family: Family) -> Iterator[Gap]:
    """Yield the gaps over items only, from the sums by task."""
    whose = Q()
    for member in family.members:
        whose |= Q(run=member.run, part=member.key.arm)
    counted = TaskSum.objects.filter(whose, Q(task__gap_eligible=True) | Q(task__kind="site"), judged__gt=0)
    rows = counted.filter(scope=Scope.ARM).annotate(benchmark=F("task__benchmark_id"), kind=F("task__kind"))
    by_benchmark: dict[str, dict[ArmKey, list[tuple[int, int, int]]]] = defaultdict(lambda: defaultdict(list))
    sites: set[str] = set()
    keys = {(member.run.pk, member.key.arm): member.key for member in family.members}
    for run, arm, task, correct, judged, benchmark, kind in rows.values_list(
        "run_id", "part", "task_id", "correct", "judged", "benchmark", "kind"
    ):
        by_benchmark[benchmark][keys[run, arm]].append((task, correct, judged))
        sites.update({benchmark} if kind == "site" else ())
    for benchmark, by_arm in by_benchmark.items():
        answers = _answers(by_arm)
        for a, b in _contrasts(family, list(answers)):
            reason, pair = _difference(family, a, b), gaps.pair_of(answers[a], answers[b])
            yield _gap(
                benchmark,
                a,
                b,
                None if reason else pair,
                reason or ("" if pair else gaps.NO_SHARED),
                alpha=family.plan["alpha"],
                is_site=benchmark in sites,
                link=_items_link(family, benchmark, a, b),
                caution=ONLY_ITEMS,
            )


def _answers(by_arm: Mapping[ArmKey, Sequence[tuple[int, int, int]]]) -> dict[ArmKey, Answers]:
    tasks = np.unique([task for rows in by_arm.values() for task, _, _ in rows])
    return {key: _repeated(tasks, rows) for key, rows in by_arm.items()}


def _repeated(tasks: Codes, rows: Sequence[tuple[int, int, int]]) -> Answers:
    """Return an answer for each judged episode, with a task's right answers first."""
    task, correct, judged = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    item = np.repeat(np.searchsorted(tasks, task), judged)
    place = np.arange(len(item)) - np.repeat(np.cumsum(judged) - judged, judged)
    return Answers(
        item=item,
        look=np.full(len(item), NO_LOOK, dtype=np.int64),
        correct=(place < np.repeat(correct, judged)).astype(np.float64),
    )


def _difference(family: Family, a: ArmKey, b: ArmKey) -> str:
    made = {
        member.key: setups.setup_of(member.run, arm=member.key.arm, conditions=())
        for member in family.members
        if member.key in (a, b)
    }
    difference = setups.difference(made[a], made[b])
    return f"not a gap: the set-ups differ ({difference})" if difference else ""


def _items_link(family: Family, benchmark: str, a: ArmKey, b: ArmKey) -> str:
    """Return the address of the report's list of items on which two arms differ."""
    if not family.has_report:
        return ""
    query = urlencode({"benchmark": benchmark, "a": a.id, "b": b.id})
    return f"/reports/{family.run.report_id}/items?{query}"


def _gap(
    benchmark: str,
    a: ArmKey,
    b: ArmKey,
    pair: gaps.Pair | None,
    reason: str,
    *,
    alpha: float,
    is_site: bool,
    link: str,
    caution: str = "",
) -> Gap:
    estimate = gaps.gap(pair, alpha=alpha) if pair else Estimate(reason=reason)
    better = gaps.discordant(pair) if pair else (0, 0)
    notes = dict.fromkeys(filter(None, (reason, estimate.reason, caution if estimate.has_interval else "")))
    return Gap(
        benchmark=benchmark,
        a=a,
        b=b,
        is_site=is_site,
        items=estimate.items,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        mean_a=float(pair.mean_a.mean()) if pair else 0.0,
        mean_b=float(pair.mean_b.mean()) if pair else 0.0,
        a_better=better[0],
        b_better=better[1],
        note="; ".join(notes),
        link=link if pair else "",
    )
