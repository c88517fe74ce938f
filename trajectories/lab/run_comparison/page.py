"""Several runs side by side, with their different settings and their accuracy over policy versions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Q, Sum
from django.http import HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from core.database.integers import is_id
from palaestra.protocol import histories
from palaestra.protocol.grammars import GRAMMARS
from palaestra.protocol.observations import OBSERVATION_FORMATS
from trajectories.lab.run_comparison.charts import Line, chart_draw
from trajectories.models.sums import EndingSum
from trajectories.rollouts.runs.pages.dashboard_selectors import version_rates_by_run
from trajectories.rollouts.runs.pages.pages import COMPARED_MOST, RunRow, run_rows
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.charts.drawing import Drawing

PERCENT = 100


def version_voids(run_ids: Collection[int]) -> dict[int, dict[int, float]]:
    """Return the proportion of ended episodes that are void, by run and policy version."""
    rows = (
        EndingSum.objects.filter(run_id__in=run_ids, policy_version__isnull=False)
        .order_by()
        .values_list("run_id", "policy_version")
        .annotate(all=Sum("episodes"), void=Sum("episodes", filter=Q(outcome="void")))
    )
    shares: dict[int, dict[int, float]] = {}
    for run_id, version, episodes, void in rows:
        if episodes and version is not None:
            shares.setdefault(run_id, {})[version] = (void or 0) / episodes
    return shares


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One line of the comparison, with a value for each run and whether these values differ."""

    title: str
    values: Sequence[str]

    @property
    def is_same(self) -> bool:
        return len(set(self.values)) == 1


SETTINGS: dict[str, Callable[[RunRow], object]] = {
    "Model": lambda row: row.run.model,
    "Checkpoint": lambda row: row.run.checkpoint,
    "Kind": lambda row: row.run.kind,
    "Benchmark": lambda row: ", ".join(row.benchmarks),
    "Observation": lambda row: _label(OBSERVATION_FORMATS, row.run.observation),
    "Observation settings": lambda row: _pairs(row.run.observation_settings),
    "Grammar": lambda row: _label(GRAMMARS, row.run.grammar),
    "History": lambda row: histories.history_read(row.run.history).label,
    "Actions per turn": lambda row: row.run.actions_per_turn,
    "Tags": lambda row: ", ".join(row.run.tags),
}


class RunComparison:
    """A comparison of the ``runs`` in the address, in the same order.

    Values that are not run numbers are reported and left out.
    """

    def __init__(self, parameters: QueryDict) -> None:
        words = ",".join(parameters.getlist("runs")).split(",")
        given = list(dict.fromkeys(word.strip() for word in words if word.strip()))
        run_ids = [int(word) for word in given if is_id(word)]
        self.rows = run_rows(run_ids[:COMPARED_MOST])
        self.errors = []
        if len(self.rows) < min(len(given), COMPARED_MOST):
            self.errors.append("Some of these are not run numbers; they are left out.")
        if len(run_ids) > COMPARED_MOST:
            self.errors.append(f"Only the first {COMPARED_MOST} runs are compared.")

    @property
    def is_empty(self) -> bool:
        return len(self.rows) < 2

    @property
    def title(self) -> str:
        return f"{len(self.rows)} runs compared"

    @cached_property
    def settings(self) -> list[Setting]:
        """The runs' settings, those that differ first; settings that no run has are left out."""
        made = [
            Setting(title=title, values=[str(value(row)) for row in self.rows])
            for title, value in SETTINGS.items()
        ]
        return sorted((one for one in made if any(one.values)), key=lambda one: one.is_same)

    @cached_property
    def charts(self) -> list[Drawing]:
        """Charts of accuracy (the mean reward) and void episodes over policy versions, on the same axis."""
        accuracy, void = [], []
        run_ids = [row.pk for row in self.rows]
        rates_by_run, voids = version_rates_by_run(run_ids), version_voids(run_ids)
        for number, row in enumerate(self.rows):
            rates = rates_by_run[row.pk]
            accuracy.append(
                Line(
                    number=number,
                    name=row.run.name,
                    points={
                        version: (PERCENT * rate.value, PERCENT * rate.low, PERCENT * rate.high)
                        for version, rate in rates.items()
                        if version is not None
                    },
                )
            )
            shares = voids.get(row.pk, {})
            void.append(Line(number=number, name=row.run.name, points=_alone(shares)))
        charts = (
            chart_draw("accuracy", "Accuracy, which is the mean reward", accuracy),
            chart_draw("void", "Void episodes", void),
        )
        return [chart for chart in charts if chart]


def _alone(shares: dict[int, float]) -> dict[int, tuple[float, float | None, float | None]]:
    return {version: (PERCENT * share, None, None) for version, share in shares.items()}


def _label(table: Any, code: str) -> str:
    return table[code].label if code in table else code


def _pairs(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


@lab_page
def runs_compare(request: LabRequest) -> HttpResponseBase:
    """Show several runs side by side; each box selected in the list sends one run number."""
    selected = request.GET.getlist("runs")
    if len(selected) > 1:
        return redirect(f"{reverse('runs_compare')}?runs={','.join(filter(None, selected))}")
    context = {"here": "runs", "page": RunComparison(request.GET)}
    return render(request, "lab/run_comparison/runs.html", context)
