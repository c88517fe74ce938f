"""Association of reasoning with success, compared only within the same item.

The measure is the Mantel-Haenszel odds ratio over items with both outcomes. Each trajectory is one case, with
the share of its units that have the label, so a trajectory with many units counts as much as one with few.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from trajectories.annotation.agreement.coefficients import COVERAGE, Estimate, Floats

# With fewer items, an interval would be meaningless.
ITEMS_MIN = 10
FEW = f"Counts only: fewer than {ITEMS_MIN} items have right and wrong trajectories with labels."
ONE_SIDED = "Undefined: all differences within items point in the same direction."


@dataclass(frozen=True, kw_only=True)
class Case:
    """A judged trajectory; ``share`` is the share of its labelled units that have the label.

    It is compared with trajectories of the same item and the same ``group``, such as the arm.
    """

    item: int
    group: Hashable
    share: float
    is_correct: bool


@dataclass(frozen=True, kw_only=True)
class Association:
    """The association, with counts of items and trajectories.

    ``informative`` counts items that have trajectories with both outcomes in the same group; only they
    contribute.
    """

    items: int
    informative: int
    trajectories: int
    odds_ratio: Estimate | None = None
    reason: str = ""


def estimate_association(cases: Sequence[Case]) -> Association:
    """Estimate the association.

    The interval is computed on the log scale, from Student's t and the variance between items.
    """
    strata: dict[Hashable, list[Case]] = {}
    for case in cases:
        strata.setdefault((case.item, case.group), []).append(case)
    informative = [members for members in strata.values() if len({case.is_correct for case in members}) == 2]
    items = np.array([members[0].item for members in informative])
    counts = Association(
        items=len({case.item for case in cases}),
        informative=len(np.unique(items)),
        trajectories=sum(map(len, informative)),
    )
    if counts.informative < ITEMS_MIN:
        return replace(counts, reason=FEW)
    speaking_for, against = np.array([_parts(members) for members in informative]).T
    if not (speaking_for.sum() and against.sum()):
        return replace(counts, reason=ONE_SIDED)
    return replace(counts, odds_ratio=_odds_ratio(speaking_for, against, items))


def _odds_ratio(speaking_for: Floats, against: Floats, items: Floats) -> Estimate:
    log_ratio = np.log(speaking_for.sum() / against.sum())
    _, codes = np.unique(items, return_inverse=True)
    influence = np.bincount(codes, speaking_for / speaking_for.sum() - against / against.sum())
    n = len(influence)
    error = np.sqrt(n / (n - 1) * np.square(influence).sum())
    half = special.stdtrit(n - 1, (1 + COVERAGE) / 2) * error
    value, low, high = np.exp([log_ratio, log_ratio - half, log_ratio + half])
    return Estimate(value=float(value), low=float(low), high=float(high))


def _parts(members: Sequence[Case]) -> tuple[float, float]:
    """Return an item's terms in the numerator and the denominator of the Mantel-Haenszel ratio."""
    right = np.array([case.share for case in members if case.is_correct])
    wrong = np.array([case.share for case in members if not case.is_correct])
    n = len(members)
    return float(right.sum() * (1 - wrong).sum() / n), float((1 - right).sum() * wrong.sum() / n)
