"""The effects of page looks on accuracy, by factor and by look."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from palaestra.protocol.plans import ITEMS_MIN
from trajectories.reports.estimators.accuracy import FEW_ITEMS
from trajectories.reports.estimators.answers import Answers, Codes, Estimate, Floats, item_means

Value = str | int
# The fewest degrees of freedom that the variance between looks may have in a factor's model. With fewer, the
# intervals of its effects would be too wide to be useful.
DEGREES_MIN = 3
FEW_LOOKS = "too few looks for an interval: {looks} for {levels} values"
ONE_LOOK = "these looks only: one look has this value"
NOT_CONVERGED = "the mixed model did not converge"
NO_VARIANCE = "all answers are the same, so there is no variance to estimate from"


@dataclass(frozen=True, kw_only=True)
class Level:
    """A value of a factor, with the plain mean of its answers and its effect compared with the reference."""

    factor: str
    value: Value
    answers: int
    looks: int
    mean: float
    is_reference: bool
    effect: Estimate


def factor_levels(
    answers: Answers,
    looks: Mapping[int, Mapping[str, Value]],
    *,
    references: Mapping[str, Value],
    alpha: float,
) -> list[Level]:
    """Estimate the effect of every value of every factor that varies.

    ``looks`` are by code, and effects are differences from the neutral values in ``references``. Each factor
    has a model of its own, because there are seldom enough looks for a joint one. The answers have a random
    intercept of the item, whose share of the variance is removed first (quasi-demeaning), and a random
    intercept of the look (REML, statsmodels). Student's t has as many degrees of freedom as looks minus
    values. If each look differs from the neutral one in a single factor, looks are not a sample;
    errors are then clustered by item and hold for these looks alone.
    """
    factors = {name: {look[name] for look in looks.values() if name in look} for name in references}
    is_alone = all(_differs(look, references) <= 1 for look in looks.values())
    levels = []
    for name, values in factors.items():
        if len(values) > 1:
            others = {other: value for other, value in references.items() if other != name}
            shown = {code: look for code, look in looks.items() if not (is_alone and _differs(look, others))}
            levels += _levels(answers, shown, name, reference=references[name], alpha=alpha)
    return levels


def _differs(look: Mapping[str, Value], references: Mapping[str, Value]) -> int:
    """Count the factors in which a look differs from the references."""
    return sum(name in look and look[name] != value for name, value in references.items())


def _levels(
    answers: Answers, looks: Mapping[int, Mapping[str, Value]], name: str, *, reference: Value, alpha: float
) -> list[Level]:
    by_look = {code: look[name] for code, look in looks.items() if name in look}
    mask = np.isin(answers.look, list(by_look))
    shown = Answers(item=answers.item[mask], look=answers.look[mask], correct=answers.correct[mask])
    values = sorted(set(by_look.values()), key=lambda value: (value != reference, str(value)))
    place = {value: number for number, value in enumerate(values)}
    level = np.array([place[by_look[int(code)]] for code in shown.look], dtype=np.int64)
    effects = _effects(shown, level, count=len(values), alpha=alpha)
    return [
        Level(
            factor=name,
            value=value,
            answers=int((level == number).sum()),
            looks=int(np.count_nonzero(np.bincount(shown.look[level == number]))),
            mean=float(shown.correct[level == number].mean()),
            is_reference=number == 0,
            effect=effects[number],
        )
        for value, number in place.items()
        if (level == number).any()
    ]


def _effects(answers: Answers, level: Codes, *, count: int, alpha: float) -> list[Estimate]:
    """Estimate the effect of each level compared with the first."""
    zero = Estimate(reason="reference")
    items, looks = len(answers.items), int(np.count_nonzero(np.bincount(answers.look)))
    if items < ITEMS_MIN:
        return [zero, *[Estimate(items=items, reason=FEW_ITEMS)] * (count - 1)]
    if not answers.correct.std():
        return [zero, *[Estimate(items=items, reason=NO_VARIANCE)] * (count - 1)]
    design = np.column_stack([np.ones(len(level)), *(level == number for number in range(1, count))])
    share = _item_share(answers)
    y, x = (
        _without_items(answers.correct[:, None], answers, share)[:, 0],
        _without_items(design, answers, share),
    )
    is_single = looks == count
    if not is_single and looks - count < DEGREES_MIN:
        reason = FEW_LOOKS.format(looks=looks, levels=count)
        return [zero, *[Estimate(items=items, looks=looks, reason=reason)] * (count - 1)]
    fitted = _fit_clustered(y, x, answers.item) if is_single else _fit_mixed(y, x, answers.look)
    if fitted is None:
        return [zero, *[Estimate(items=items, looks=looks, reason=NOT_CONVERGED)] * (count - 1)]
    degrees = items - 1 if is_single else looks - count
    return [
        zero,
        *_estimates(*fitted, degrees=degrees, items=items, looks=looks, is_single=is_single, alpha=alpha),
    ]


def _estimates(
    values: Floats, errors: Floats, *, degrees: int, items: int, looks: int, is_single: bool, alpha: float
) -> list[Estimate]:
    quantile = float(special.stdtrit(degrees, 1 - alpha / 2))
    return [
        Estimate(
            value=float(value),
            low=float(value - quantile * error),
            high=float(value + quantile * error),
            p=float(2 * special.stdtr(degrees, -abs(value) / error)),
            error=float(error),
            degrees=degrees,
            items=items,
            looks=looks,
            reason=ONE_LOOK if is_single else "",
        )
        for value, error in zip(values[1:], errors[1:], strict=True)
    ]


def _item_share(answers: Answers) -> Floats:
    """Return, for each answer, the share of its item's mean to subtract.

    After the subtraction, ordinary least squares gives the standard errors of a model with random item
    effects (Fuller and Battese, 1973). A share of 1 removes the whole mean, as fixed effects do, and a share
    of 0 removes nothing.
    """
    counts = np.bincount(answers.item)
    means = item_means(answers, answers.items)
    sizes = counts[counts > 0]
    places = np.searchsorted(answers.items, answers.item)
    freedom = max(len(answers.item) - len(sizes), 1)
    within = float(np.square(answers.correct - means[places]).sum()) / freedom
    between = max(float(means.var(ddof=1)) - within * float((1 / sizes).mean()), 0.0)
    if within <= 0:
        return np.ones(len(answers.item))
    return np.asarray(1 - np.sqrt(within / (within + sizes * between))[places], dtype=np.float64)


def _without_items(columns: NDArray[np.float64], answers: Answers, share: Floats) -> NDArray[np.float64]:
    places = np.searchsorted(answers.items, answers.item)
    counts = np.bincount(places)
    means = np.column_stack([np.bincount(places, weights=column) / counts for column in columns.T])
    return np.asarray(columns - share[:, None] * means[places], dtype=np.float64)


def _fit_mixed(y: Floats, x: NDArray[np.float64], look: Codes) -> tuple[Floats, Floats] | None:
    """Fit a model with a random intercept of the look.

    Returns the coefficients and their standard errors, or None if the fit fails.
    """
    from statsmodels.regression.mixed_linear_model import MixedLM

    with warnings.catch_warnings():
        # A variance at its lower bound, 0, is a valid result, and convergence is checked below.
        warnings.simplefilter("ignore")
        try:
            fit = MixedLM(y, x, groups=look).fit(reml=True, method=["powell"])
        except (np.linalg.LinAlgError, ValueError):
            return None
        if not fit.converged:
            return None
        ratio = max(float(fit.cov_re[0, 0] / fit.scale), 0.0)
    # The fit's own coefficients and errors are useless if that variance is 0, so least squares gives them.
    weighted = _whitened(np.column_stack([x, y]), look, ratio)
    left, right = weighted[:, :-1], weighted[:, -1]
    inverse = np.linalg.pinv(left.T @ left)
    values = inverse @ left.T @ right
    scale = float(np.square(right - left @ values).sum()) / (len(y) - x.shape[1])
    errors = np.sqrt(np.diag(inverse) * scale)
    return (values, errors) if (errors > 0).all() else None


def _whitened(columns: NDArray[np.float64], look: Codes, ratio: float) -> NDArray[np.float64]:
    """Transform columns so that their errors become independent despite the looks' intercepts.

    ``ratio`` is the variance of the intercepts divided by the variance of the answers. The transformation is
    the one of Fuller and Battese (1973), applied to looks.
    """
    counts = np.bincount(look)
    shares = 1 - 1 / np.sqrt(1 + ratio * counts)
    sums = np.column_stack([np.bincount(look, weights=column) for column in columns.T])
    taken_out = (shares / np.maximum(counts, 1))[:, None] * sums
    return np.asarray(columns - taken_out[look], dtype=np.float64)


def _fit_clustered(y: Floats, x: NDArray[np.float64], item: Codes) -> tuple[Floats, Floats] | None:
    """Fit a model with errors clustered by item.

    Returns the coefficients and their standard errors, or None if they cannot be identified.
    """
    from statsmodels.regression.linear_model import OLS

    if np.linalg.matrix_rank(x) < x.shape[1]:
        return None
    fit = OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": item})
    variances = np.diag(fit.cov_params())
    return (np.asarray(fit.params), np.sqrt(variances)) if (variances > 0).all() else None


@dataclass(frozen=True, kw_only=True)
class LookEffect:
    """The effect of a look, compared with the mean of all looks over the same items."""

    look: int
    answers: int
    mean: float
    effect: Estimate


def look_effects(answers: Answers, *, alpha: float) -> list[LookEffect]:
    """Estimate the effect of every look, the most harmful first.

    An effect is the mean over items of the answers in the look minus their items' means over all looks. Its
    error is over items, so it is about this look alone.
    """
    means = item_means(answers, answers.items)
    rest = answers.correct - means[np.searchsorted(answers.items, answers.item)]
    effects = [
        LookEffect(
            look=int(look),
            answers=int((answers.look == look).sum()),
            mean=float(answers.correct[answers.look == look].mean()),
            effect=_over_items(rest[answers.look == look], answers.item[answers.look == look], alpha=alpha),
        )
        for look in np.unique(answers.look)
    ]
    return sorted(effects, key=lambda effect: (effect.effect.value or 0.0, effect.look))


def _over_items(values: Floats, item: Codes, *, alpha: float) -> Estimate:
    counts = np.bincount(item)
    per_item = np.bincount(item, weights=values)[counts > 0] / counts[counts > 0]
    items, value = len(per_item), float(per_item.mean())
    error = float(per_item.std(ddof=1) / np.sqrt(items)) if items > 1 else 0.0
    if items < ITEMS_MIN:
        return Estimate(value=value, items=items, reason=FEW_ITEMS)
    if not error:
        return Estimate(value=value, items=items, reason=NO_VARIANCE)
    half = float(special.stdtrit(items - 1, 1 - alpha / 2)) * error
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        p=float(2 * special.stdtr(items - 1, -abs(value) / error)),
        error=error,
        degrees=items - 1,
        items=items,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted for their number (Holm, 1979)."""
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, method="holm")[1]] if p_values else []
