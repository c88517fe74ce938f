"""The tables about two arms: gaps, the rungs of the ladder, and gaps for other choices of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from trajectories.reports.analysis import MAIN, VARIANTS, Analysis, pair_compared
from trajectories.reports.charts.forest import POINTS_OF_ACCURACY, Forest
from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import Codes, Estimate
from trajectories.reports.ladder import ArmKey, contrasts_of, ladder_of, rung_added
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import (
    COUNT,
    POINTS,
    Column,
    Row,
    interval_columns,
    number,
    scaled,
    with_ends,
)

HEAD = (
    Column("benchmark", "Benchmark"),
    Column("contrast", "Contrast"),
    Column("items", "Items", COUNT),
    *interval_columns("gap", "Gap", POINTS),
    Column("p", "p"),
)
GAPS = (
    *HEAD,
    Column("looks", "Looks", COUNT),
    Column("odds_ratio", "Odds ratio"),
    Column("odds_low", "Low"),
    Column("odds_high", "High"),
    Column("first_better", "First better", COUNT),
    Column("second_better", "Second better", COUNT),
    Column("p_permutation", "p, items permuted"),
    Column("p_mcnemar", "p, McNemar"),
    Column("bootstrap_low", "Bootstrap low", POINTS),
    Column("bootstrap_high", "Bootstrap high", POINTS),
    Column("p_equivalence", "p, equivalence"),
    Column("void_low", "Lowest with void", POINTS),
    Column("void_high", "Highest with void", POINTS),
    Column("note", "Note"),
)
RUNG = (
    Column("benchmark", "Benchmark"),
    Column("rung", "Rung"),
    Column("contrast", "Arms"),
    *HEAD[2:],
    Column("note", "Note"),
)
SENSITIVITY = (*HEAD[:2], Column("choice", "Items counted"), *HEAD[2:], Column("note", "Note"))
# These columns are shown in a separate part of the table, next to the columns that identify the rows.
OTHER_TESTS = frozenset(
    {"odds_ratio", "p_permutation", "p_mcnemar", "bootstrap_low", "p_equivalence", "void_low"}
)
TOTAL = "total"
NONE_SHARED = "the arms of the ladder share no item with judged answers"
PAIRED = (
    "A gap is the first arm's accuracy minus the second's on the items that both have, paired by item, with "
    "two-way clustered errors (item, look)."
)


def _gap_notes(analyses: Sequence[Analysis], _rows: Sequence[Row]) -> list[str]:
    notes = [
        PAIRED,
        f"The permutation test and the bootstrap are over items, for these looks alone. Items: {MAIN.title}.",
    ]
    if any(analysis.data.is_site for analysis in analyses):
        notes.append("On mock sites the difference is an interaction gap, not a modality gap.")
    return notes


def _contrasts(analysis: Analysis) -> Iterator[tuple[ArmKey, ArmKey]]:
    """Yield the plan's contrasts, then each arm with its retest."""
    yield from contrasts_of(analysis.plan)
    yield from ((key._replace(retest=False), key) for key in analysis.arms if key.retest)


@report_table(
    "gaps",
    "Gaps",
    20,
    columns=GAPS,
    notes=_gap_notes,
    aside=OTHER_TESTS,
    main=("benchmark", "contrast", "items", "gap", "low", "high", "p"),
    chart=Chart(
        draw=Forest(
            value="gap",
            label=("contrast",),
            unit=POINTS_OF_ACCURACY,
            ends=("second arm better", "first arm better"),
        ).draw,
        caption="Right of zero the first arm is better. Grey: within the plan's margin. Hollow: a retest.",
        has_margin=True,
    ),
)
def gap_rows(analysis: Analysis) -> Iterator[Row]:
    yield from (_gap_row(analysis, a, b) for a, b in _contrasts(analysis))


@report_table(
    "setup_differences",
    "Differences of set-ups, not gaps",
    23,
    columns=GAPS,
    notes=["These arms differ in more than the arm. The differences say nothing about a gap."],
    aside=OTHER_TESTS,
    is_optional=True,
)
def setup_difference_rows(analysis: Analysis) -> Iterator[Row]:
    for a, b in _contrasts(analysis):
        if analysis.difference(a, b):
            yield _gap_row(analysis, a, b, is_forced=True)


def _gap_row(analysis: Analysis, a: ArmKey, b: ArmKey, *, is_forced: bool = False) -> Row:
    row = _head(analysis, a, b)
    reason, pair = pair_compared(analysis, a, b, analysis.items, is_forced=is_forced)
    if pair is None:
        return {**row, "items": 0, "note": reason}
    estimate = gaps.gap(pair, alpha=analysis.alpha)
    odds = gaps.odds_ratio(pair, alpha=analysis.alpha)
    boot = gaps.bootstrap(pair, alpha=analysis.alpha)
    first, second = gaps.discordant(pair)
    low, high = _void_bounds(analysis, a, b)
    margin = analysis.plan["margin"]
    p_equivalence = None if margin is None else gaps.equivalence_p(estimate, margin=margin / 100)
    return {
        **row,
        **_numbers(estimate),
        # An arm without a page has no looks to count.
        "looks": estimate.looks or None,
        "odds_ratio": number(odds.value),
        "odds_low": number(odds.low),
        "odds_high": number(odds.high),
        "first_better": first,
        "second_better": second,
        "p_permutation": number(gaps.permutation_p(pair)),
        "p_mcnemar": number(gaps.mcnemar_p(pair)),
        "bootstrap_low": scaled(boot.low),
        "bootstrap_high": scaled(boot.high),
        "p_equivalence": number(p_equivalence),
        "void_low": scaled(low),
        "void_high": scaled(high),
        "note": _note(analysis, reason, estimate, _void_note(estimate, low=low, high=high), p_equivalence),
    }


def _void_note(estimate: Estimate, *, low: float | None, high: float | None) -> str:
    """Return a note if proper verdicts on the void episodes could have moved the gap out of its interval."""
    if low is None or high is None or estimate.low is None or estimate.high is None:
        return ""
    if estimate.low <= low and high <= estimate.high:
        return ""
    return "void episodes alone could move it out of its interval"


def _note(analysis: Analysis, reason: str, estimate: Estimate, void: str, p_equivalence: float | None) -> str:
    parts = [reason, estimate.reason, void]
    if p_equivalence is not None and p_equivalence < analysis.alpha:
        parts.append(f"closed: proven to be within {analysis.plan['margin']:g} points")
    return "; ".join(filter(None, parts))


@report_table(
    "rungs",
    "Where on the ladder the gap arises",
    21,
    columns=RUNG,
    notes=lambda _analyses, _rows: [
        "Computed on the items that all arms of the ladder share, so that the rungs add up to the total."
    ],
    main=("benchmark", "rung", "items", "gap", "low", "high", "p"),
    chart=Chart(
        draw=Forest(value="gap", label=("rung",), unit=POINTS_OF_ACCURACY, ends=("gained", "lost")).draw,
        caption="Right of zero accuracy is lost at the rung.",
    ),
)
def rung_rows(analysis: Analysis) -> Iterator[Row]:
    """Compare neighbours on the ladder, and the ladder's ends, on the items that all its arms share.

    If an arm was not played, it is skipped, and the next rung spans two steps of the ladder.
    """
    ladder = ladder_of(analysis.plan)
    if len(ladder) < 2:
        return
    shared, last = analysis.items, ladder[0]
    for key in ladder:
        if key in analysis.arms:
            shared = np.intersect1d(shared, analysis.data.answers(key, analysis.items).item)
    for key in ladder[1:]:
        yield _rung_row(analysis, last, key, shared, rung=rung_added(last, key))
        last = key if key in analysis.arms or last not in analysis.arms else last
    if len(ladder) > 2:
        yield _rung_row(analysis, ladder[0], ladder[-1], shared, rung=TOTAL)


def _rung_row(analysis: Analysis, a: ArmKey, b: ArmKey, items: Codes, *, rung: str) -> Row:
    row = {**_head(analysis, a, b), "rung": rung}
    reason, pair = pair_compared(analysis, a, b, items)
    if pair is None:
        return {**row, "items": 0, "note": NONE_SHARED if reason == gaps.NO_SHARED else reason}
    return {**row, **_plain_gap(analysis, pair)}


@report_table("sensitivity", "Gaps with other items", 22, columns=SENSITIVITY, is_reference=True)
def sensitivity_rows(analysis: Analysis) -> Iterator[Row]:
    for a, b in _contrasts(analysis):
        for variant in VARIANTS:
            row = {**_head(analysis, a, b), "choice": variant.title}
            reason, pair = pair_compared(analysis, a, b, analysis.items_of(variant))
            yield (
                {**row, "items": 0, "note": reason} if pair is None else {**row, **_plain_gap(analysis, pair)}
            )


def _plain_gap(analysis: Analysis, pair: gaps.Pair) -> dict[str, Any]:
    estimate = gaps.gap(pair, alpha=analysis.alpha)
    return {**_numbers(estimate), "note": estimate.reason}


def _head(analysis: Analysis, a: ArmKey, b: ArmKey) -> dict[str, Any]:
    links = {"gap": analysis.pairs_link(a, b)}
    if a in analysis.arms and b in analysis.arms:
        links |= {"first_better": links["gap"], "second_better": f"{links['gap']}&better=b"}
    return {**analysis.pair_cells(a, b), "a": a.id, "b": b.id, "is_retest": b.retest, "links": links}


def _numbers(estimate: Estimate) -> dict[str, Any]:
    return {"items": estimate.items, **with_ends("gap", estimate), "p": number(estimate.p)}


def _void_bounds(analysis: Analysis, a: ArmKey, b: ArmKey) -> tuple[float | None, float | None]:
    """Return the smallest and the largest gap that any verdicts on the void episodes could have led to."""
    right_a, judged_a, ended_a = analysis.data.tallies(a, analysis.items)
    right_b, judged_b, ended_b = analysis.data.tallies(b, analysis.items)
    mask = (ended_a > 0) & (ended_b > 0)
    if not mask.any():
        return None, None
    lows = right_a / np.maximum(ended_a, 1) - (right_b + ended_b - judged_b) / np.maximum(ended_b, 1)
    highs = (right_a + ended_a - judged_a) / np.maximum(ended_a, 1) - right_b / np.maximum(ended_b, 1)
    return float(lows[mask].mean()), float(highs[mask].mean())
