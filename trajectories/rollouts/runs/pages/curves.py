"""Values by policy version of a run: reward, shares of endings, and the metrics that the trainer posted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Sum

from core.statistics import Rate
from palaestra.protocol.end_reasons import END_REASONS
from trajectories.models.sums import EndingSum
from trajectories.reports.training.selectors import posted_metrics

# Only the newest versions are shown, because a chart has no room for more points.
VERSIONS_MAX = 1_000
# For one policy version: the number of episodes that ended with each outcome and reason.
Endings = Mapping[tuple[str, str], int]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Values by policy version, in ascending order. Without intervals, ``low`` and ``high`` are empty."""

    id: str
    title: str
    unit: str
    versions: Sequence[int]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def build_curves(
    run_id: int, *, rates: Mapping[int | None, Rate], ends: Mapping[int, Endings]
) -> list[Curve]:
    """Return the curves that have at least two versions.

    These are the mean reward, the shares of void and of truncated episodes, and the trainer's metrics.
    """
    versions = sorted(version for version in rates if version is not None)[-VERSIONS_MAX:]
    reward = Curve(
        id="reward",
        title="Mean reward",
        unit="95% intervals clustered by task",
        versions=versions,
        values=[rates[version].value for version in versions],
        low=[rates[version].low for version in versions],
        high=[rates[version].high for version in versions],
    )
    posted = [
        Curve(
            id=f"metric-{place}",
            title=name,
            unit="as posted",
            versions=numbered,
            values=[by[v] for v in numbered],
        )
        for place, (name, by) in enumerate(posted_metrics(run_id).items())
        if (numbered := sorted(by)[-VERSIONS_MAX:])
    ]
    return [curve for curve in (reward, *_shares(ends), *posted) if len(curve.versions) > 1]


def endings_of(run_id: int) -> Mapping[int, Endings]:
    """Return the endings of each policy version."""
    rows = EndingSum.objects.filter(run_id=run_id, policy_version__isnull=False, episodes__gt=0)
    sums = rows.values_list("policy_version", "outcome", "reason").annotate(Sum("episodes"))
    by_version: dict[int, dict[tuple[str, str], int]] = defaultdict(dict)
    for version, outcome, reason, episodes in sums.order_by("policy_version", "outcome", "reason"):
        by_version[version or 0][outcome, reason] = episodes
    return dict(by_version)


def _shares(ends: Mapping[int, Endings]) -> list[Curve]:
    """Return the shares of ended episodes that were void, and that a budget or a time limit cut short."""
    versions = sorted(ends)[-VERSIONS_MAX:]
    totals = [sum(ends[version].values()) for version in versions]
    cut = {code for code, reason in END_REASONS.items() if reason.is_truncated}

    def share(name: str, title: str, counted: Sequence[int]) -> Curve:
        values = [number / total for number, total in zip(counted, totals, strict=True)]
        return Curve(id=name, title=title, unit="share of ended episodes", versions=versions, values=values)

    void = [sum(n for (outcome, _), n in ends[v].items() if outcome == "void") for v in versions]
    short = [sum(n for (_, reason), n in ends[v].items() if reason in cut) for v in versions]
    curves = [share("void", "Void", void), share("truncated", "Cut short by a budget", short)]
    return [curve for curve in curves if any(curve.values)]
