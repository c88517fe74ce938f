"""The discordance table: of the items right as text, the shares wrong as text again, and wrong as a page.

Items are chosen on one half of the text's samples and scored on other samples, because the samples by which
they were chosen are right by selection.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.charts.forest import POINTS_OF_ACCURACY, Forest
from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import Answers, item_means
from trajectories.reports.ladder import ArmKey
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import (
    COUNT,
    PERCENT,
    POINTS,
    Column,
    Row,
    interval_columns,
    number,
    scaled,
    with_ends,
)

COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("contrast", "Arms"),
    Column("items", "Items right as text", COUNT),
    Column("wrong_again", "Wrong as text again", PERCENT),
    Column("wrong_retest", "Wrong in the retest", PERCENT),
    Column("wrong_page", "Wrong as a page", PERCENT),
    *interval_columns("gap", "Lost by the page", POINTS),
    Column("p", "p"),
    Column("note", "Note"),
)
NOTE = (
    "Items that are right in most of the first arm's even samples, scored on its odd samples (or on its "
    "retest, if items have one sample) and on the other arm. “Lost by the page” is the difference, paired by "
    "item."
)
NO_HALVES = "one sample per item and no retest: there is no second half to score on"
NONE_RIGHT = "no item is right as text in most of the even samples"


@report_table(
    "discordance",
    "Right as text, wrong as a page",
    80,
    columns=COLUMNS,
    notes=[NOTE],
    chart=Chart(
        draw=Forest(
            value="gap",
            label=("contrast",),
            unit=POINTS_OF_ACCURACY,
            ends=("less than again", "lost by the page"),
        ).draw,
        caption="Right of zero: items right as text are lost more often as a page than as text again.",
    ),
)
def discordance_rows(analysis: Analysis) -> Iterator[Row]:
    for a, b in analysis.page_contrasts:
        if not analysis.difference(a, b):
            yield _row(analysis, a, b)


def _row(analysis: Analysis, a: ArmKey, b: ArmKey) -> Row:
    row = {**analysis.pair_cells(a, b), "items": 0, "links": {"items": analysis.pairs_link(a, b)}}
    if mixed := analysis.mixture(a) or analysis.mixture(b):
        return {**row, "note": mixed}
    text = analysis.data.episodes(a, analysis.items)
    retest = analysis.data.answers(ArmKey(a.arm, retest=True), analysis.items)
    first, again = _halves(text)
    if not len(again.item):
        again = retest
    if not len(again.item):
        return {**row, "note": NO_HALVES}
    means = item_means(first, first.items)
    chosen = first.items[means > 0.5]
    pair = gaps.pair_of(again.of_items(chosen), analysis.data.answers(b, chosen))
    if pair is None:
        return {**row, "note": gaps.NO_SHARED if len(chosen) else NONE_RIGHT}
    estimate = gaps.gap(pair, alpha=analysis.alpha)
    return {
        **row,
        "items": estimate.items,
        "wrong_again": scaled(1 - float(pair.mean_a.mean())),
        "wrong_retest": scaled(_wrong(retest.of_items(pair.items))),
        "wrong_page": scaled(1 - float(pair.mean_b.mean())),
        **with_ends("gap", estimate),
        "p": number(estimate.p),
        "note": estimate.reason,
    }


def _halves(text: Episodes) -> tuple[Answers, Answers]:
    """Return the answers of the even samples and those of the odd samples."""
    is_odd = text.sample % 2 == 1
    return text.where(~is_odd).answers, text.where(is_odd).answers


def _wrong(answers: Answers) -> float | None:
    return 1 - float(item_means(answers, np.unique(answers.item)).mean()) if len(answers.item) else None
