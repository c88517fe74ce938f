"""The tables about single arms: accuracy, pass@k and mean@k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.charts.panels import ladder_draw
from trajectories.reports.estimators import accuracy as estimator
from trajectories.reports.ladder import ArmKey, ladder_of
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import (
    BY_ARM,
    COUNT,
    PERCENT,
    Column,
    Row,
    episodes_link,
    interval_columns,
    scaled,
    with_ends,
)

KS = (1, 2, 4, 8, 16, 32, 64)
ACCURACY = (
    *BY_ARM,
    Column("items", "Items", COUNT),
    Column("episodes", "Episodes", COUNT),
    Column("void", "Void", COUNT),
    Column("looks", "Looks", COUNT),
    Column("format_failures", "Format failures", COUNT),
    Column("repaired", "Repaired", COUNT),
    *interval_columns("accuracy", "Accuracy", PERCENT),
    Column("corrected", "Beyond chance", PERCENT),
    Column("void_low", "Void as wrong", PERCENT),
    Column("void_high", "Void as right", PERCENT),
    Column("note", "Note"),
)
ACCURACY_NOTES = (
    (
        "Accuracy is the mean over items of each item's mean. Intervals are score intervals on the effective "
        "sample size, over items and looks (two-way clustered, Student's t)."
    ),
    (
        "Format failures are judged episodes whose answer, or whose every turn, could not be read. They "
        "count as wrong. Repaired episodes had some turn that could not be read."
    ),
)
PASS = (
    *BY_ARM,
    Column("k", "k", COUNT),
    Column("items", "Items", COUNT),
    *interval_columns("pass_at_k", "pass@k", PERCENT),
    Column("mean_at_k", "mean@k", PERCENT),
    Column("note", "Note"),
)


def _notes(analyses: Sequence[Analysis], _rows: Sequence[Row]) -> list[str]:
    return [*ACCURACY_NOTES, *(note for analysis in analyses if (note := _left_out(analysis)))]


def _left_out(analysis: Analysis) -> str:
    left_out = len(analysis.data.items) - len(analysis.items)
    if not left_out:
        return ""
    return f"{analysis.benchmark}: items that are not gap-eligible are left out ({left_out:,})."


@report_table(
    "accuracy",
    "Accuracy by arm",
    10,
    columns=ACCURACY,
    notes=_notes,
    main=(
        *("benchmark", "arm", "items", "episodes", "void", "format_failures"),
        *("accuracy", "low", "high"),
    ),
    chart=Chart(draw=ladder_draw, caption="The line follows the ladder. Hollow: arms outside the ladder."),
)
def accuracy_rows(analysis: Analysis) -> list[Row]:
    return [_accuracy_row(analysis, key) for key in analysis.arms]


@report_table(
    "pass_at_k",
    "pass@k and mean@k",
    110,
    columns=PASS,
    notes=["pass@k is the unbiased estimate over the items with at least k judged samples."],
    is_reference=True,
)
def pass_rows(analysis: Analysis) -> list[Row]:
    return [row for key in analysis.arms for row in _pass_rows(analysis, key)]


def _accuracy_row(analysis: Analysis, key: ArmKey) -> Row:
    data, items = analysis.data, analysis.items
    right, judged, ended = data.tallies(key, items)
    made = data.episodes(key, items)
    guess_rate, ladder = data.guess_rate(items), ladder_of(analysis.plan)
    row: dict[str, Any] = {
        **analysis.arm_cells(key),
        "is_on_ladder": key in ladder,
        "items": int((judged > 0).sum()),
        "episodes": int(judged.sum()),
        "void": int((ended - judged).sum()),
        "format_failures": int((made.form < 0).sum()),
        "repaired": int((made.form > 0).sum()),
        "links": {
            **_form_links(made),
            "episodes": analysis.episodes_link(key),
            "accuracy": analysis.episodes_link(key, outcome="correct"),
            "void": analysis.episodes_link(key, outcome="void"),
        },
    }
    if mixed := analysis.mixture(key):
        return {**row, "note": mixed}
    estimate = estimator.accuracy(data.answers(key, items), alpha=analysis.alpha)
    has_any = ended > 0
    bounds = estimator.void_bounds(right=right[has_any], judged=judged[has_any], total=ended[has_any])
    low, high = bounds or (None, None)
    return {
        **row,
        # An arm without a page has no looks to count.
        "looks": estimate.looks or None,
        **with_ends("accuracy", estimate),
        "corrected": scaled(estimator.corrected(estimate.value, guess_rate)),
        "corrected_low": scaled(estimator.corrected(estimate.low, guess_rate)),
        "corrected_high": scaled(estimator.corrected(estimate.high, guess_rate)),
        "void_low": scaled(low),
        "void_high": scaled(high),
        "note": estimate.reason,
    }


def _form_links(made: Episodes) -> dict[str, str]:
    groups = {"format_failures": made.form < 0, "repaired": made.form > 0}
    return {name: episodes_link(made.episode[mask].tolist()) for name, mask in groups.items() if mask.any()}


def _pass_rows(analysis: Analysis, key: ArmKey) -> Iterator[Row]:
    answers = analysis.data.answers(key, analysis.items)
    samples = answers.samples
    if analysis.mixture(key) or not len(samples):
        return
    for k in KS:
        if k > samples.max():
            return
        estimate = estimator.pass_at(k, answers, alpha=analysis.alpha)
        mean = estimator.mean_at(k, answers)
        yield {
            **analysis.arm_cells(key),
            "k": k,
            "items": estimate.items,
            **with_ends("pass_at_k", estimate),
            "mean_at_k": scaled(mean),
            "note": estimate.reason,
            "links": {"pass_at_k": analysis.episodes_link(key)},
        }
