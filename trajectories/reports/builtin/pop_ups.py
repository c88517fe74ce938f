"""The table of what pop-ups cost when pages are pictures, in which they hide what an outline shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np

from trajectories.reports.analysis import Analysis, pair_compared
from trajectories.reports.builtin.gaps import RUNG
from trajectories.reports.builtin.looks import Look, looks_stored
from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import Estimate
from trajectories.reports.ladder import ArmKey, ladder_of
from trajectories.reports.registry import report_table
from trajectories.reports.tables import Row, number, scaled, with_ends

CLEAR, COVERED, COVER = (
    "pixels, nothing over the page",
    "pixels, pop-ups over the page",
    "pop-ups over pictures",
)
NONE = "none"
NO_LOOKS = "no shared item was judged in such looks"
NOTE = (
    "The rung of pixels, split by whether the look has pop-ups. In a picture they cover the question until "
    "they are closed, but not in an outline, so what they cost pictures is not a failure to read pixels."
)
DIFFERENCE = "the second row minus the first; their intervals show how certain it is"


@report_table("pop_ups", "Pixels with and without pop-ups", 40, columns=RUNG, notes=[NOTE], is_optional=True)
def cover_rows(analysis: Analysis) -> Iterator[Row]:
    """Yield the rows for each rung of pixels in the plan, if there is any."""
    pairs = [(a, b) for a, b in _pixel_rungs(analysis) if {a, b} <= set(analysis.arms)]
    if not pairs:
        return
    looks = looks_stored(analysis)
    for a, b in pairs:
        clear, covered = (_estimate(analysis, a, b, looks, is_covered=part) for part in (False, True))
        yield _row(analysis, a, b, CLEAR, clear)
        yield _row(analysis, a, b, COVERED, covered)
        if clear.value is not None and covered.value is not None:
            cover = Estimate(value=covered.value - clear.value, items=min(clear.items, covered.items))
            yield {**_row(analysis, a, b, COVER, cover), "note": DIFFERENCE}


def _pixel_rungs(analysis: Analysis) -> Iterator[tuple[ArmKey, ArmKey]]:
    """Yield the neighbours on the ladder of which only the second shows the page as a mere picture."""
    ladder = ladder_of(analysis.plan)
    yield from ((a, b) for a, b in itertools.pairwise(ladder) if b.is_pixels and not a.is_pixels)


def _estimate(
    analysis: Analysis, a: ArmKey, b: ArmKey, looks: Mapping[str, Look], *, is_covered: bool
) -> Estimate:
    """Estimate the gap between two arms in the looks with pop-ups, or in those without."""
    reason, pair = pair_compared(analysis, a, b, analysis.items)
    if pair is None:
        return Estimate(reason=reason)
    codes = [
        code
        for code, digest in enumerate(analysis.data.looks)
        if (looks.get(digest, {}).get("pop_ups", NONE) != NONE) == is_covered
    ]
    part = gaps.pair_of(*(arm.where(np.isin(arm.look, codes)) for arm in (pair.a, pair.b)))
    return gaps.gap(part, alpha=analysis.alpha) if part else Estimate(reason=NO_LOOKS)


def _row(analysis: Analysis, a: ArmKey, b: ArmKey, rung: str, estimate: Estimate) -> Row:
    return {
        **analysis.pair_cells(a, b),
        "rung": rung,
        "items": estimate.items,
        **with_ends("gap", estimate),
        "gap": scaled(estimate.value),
        "p": number(estimate.p),
        "note": estimate.reason,
    }
