"""Alarms on reward components: part of what a policy had learned collapses, or only shaping rises.

These alarms have a rate ``alarms.RUN_RATE`` of their own, in addition to that of the alarms on behaviour. The
rules share it equally; a run's k-th stage spends 6 / (pi k)^2 of a rule's part, and its i-th test 6 / (pi
i)^2 of that. Stages are separate, so that a curriculum that moves on to harder tasks does not raise an alarm.

If versions differ by more than their sampling error, they are assumed to drift, such that each keeps half of
its predecessor's distance from the mean. Several versions in a row are therefore worth less than as many
independent ones. Since a few versions cannot show how far they drift, eight more pairs of neighbours are
assumed to have shown a drift of 2 points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trajectories.reports.training.alarms import Alarm, Sentinel, level, spent
from trajectories.reports.training.component_sums import SHAPING
from trajectories.reports.training.figures import Figure, Pooled, change_p, jitters, pooled
from trajectories.rewards.components.outcome import OUTCOME

Points = Sequence[tuple[int, Figure]]
Series = Mapping[str, Points]
"""The figures of one stage by measure, with versions ascending."""

# The numbers of versions that are taken together for a collapse, and for a plateau.
WINDOW, SPAN = 3, 5
LEAST = 0.10
FLAT = 0.02
# The part of a version's drift that carries over to the next version.
CARRIED = 0.5
# The assumed standard deviation of the drift, and the number of pairs of neighbours that it counts as.
DRIFT, DRIFT_PAIRS = 0.02, 8
# For a plateau, accuracy must be shown to have risen by less than ``GAIN_PART`` of the rise of shaping, and
# must have room to rise by at least ``ROOM_MIN``.
GAIN_PART = 0.5
ROOM_MIN = 0.10
# The distances, in versions, between the windows that a plateau compares.
LAGS = (5, 10, 20, 40, 80, 160)


@dataclass(frozen=True, kw_only=True)
class Collapse(Sentinel):
    """A rule for a component that gets worse than it was, by a fall or, with ``is_rise``, by a rise."""

    subject: str
    is_rise: bool = False

    @property
    def words(self) -> str:
        beyond = "above the lowest" if self.is_rise else "below the highest"
        least = 100 * LEAST
        windows = f"any {WINDOW} successive versions before, and in each of the {WINDOW}"
        return (
            f"{self.subject} is, over the last {WINDOW} versions, at least {least:.0f} points {beyond} of "
            f"{windows} at least {least / 2:.0f} points."
        )

    def is_beyond(self, value: float, reference: float, *, part: float = 1.0) -> bool:
        """Return whether ``value`` is worse than ``reference`` by at least ``part`` of the least change."""
        change = value - reference if self.is_rise else reference - value
        return change >= LEAST * part


COLLAPSES = (
    Collapse(
        id="syntax",
        title="Syntax collapses",
        measure="syntax",
        subject="The share of completions that can be read",
        look="completions without an action: cut off, in another format, or empty.",
    ),
    Collapse(
        id="calling",
        title="Calling collapses",
        measure="needed",
        subject="The share of episodes in which a tool was called exactly where one is needed",
        look="whether calls are missing or needless, in the components “called” and “redundant”.",
    ),
    Collapse(
        id="redundant",
        title="Needless calls rise",
        measure="redundant",
        subject="The share of calls that are needless, repeated or premature",
        look="episodes with many calls, and whether the profile pays for calling.",
        is_rise=True,
    ),
    Collapse(
        id="selection",
        title="The choice of tools collapses",
        measure="selection",
        subject="The share of calls to the right tools",
        look="which tools are called in place of others.",
    ),
    Collapse(
        id="arguments",
        title="Arguments collapse",
        measure="arguments",
        subject="The similarity of arguments to the right arguments",
        look="the fields of calls to the right tools, above all dates, places and units.",
    ),
    Collapse(
        id="call_results",
        title="Calls fail",
        measure="call_results",
        subject="The share of calls with a result",
        look="what the tools answer instead of a result.",
    ),
    Collapse(
        id="executed",
        title="Execution fails",
        measure="executed",
        subject="The share of actions that were carried out and had an effect",
        look="the results of actions: refused, failed, or without an effect.",
    ),
)
PLATEAU = Collapse(
    id="plateau",
    title="Plateau on shaping",
    measure=SHAPING,
    subject="The share earned of the terms other than the outcome",
    look="what a wrong answer is paid, on the page of rewards; and well-paid episodes that are wrong.",
    is_rise=True,
)
PLATEAU_WORDS = (
    f"{PLATEAU.subject} is, over the last {SPAN} versions, at least {100 * LEAST:.0f} points above that of "
    f"{SPAN} versions {', '.join(map(str, LAGS[:-1]))} or {LAGS[-1]} earlier; accuracy, below "
    f"{100 - 100 * ROOM_MIN:.0f}%, rose by at most {100 * FLAT:.0f} points, and by less than half as much as "
    "shaping."
)
RULES = len(COLLAPSES) + 1


def component_alarms(series: Mapping[str, Series]) -> list[Alarm]:
    """Return the first alarm of each rule and stage.

    ``series`` has the stages by label, in the order of their first versions.
    """
    return [
        replace(alarm, scope=scope)
        for number, (scope, figures) in enumerate(series.items(), 1)
        for alarm in _alarms_of(figures, part=spent(number))
    ]


def _alarms_of(series: Series, *, part: float) -> Iterator[Alarm]:
    for rule in COLLAPSES:
        if alarm := next(_collapses(rule, series.get(rule.measure, ()), part), None):
            yield alarm
    accuracy = dict(series.get(OUTCOME, ()))
    both = [
        (version, figure, accuracy[version])
        for version, figure in series.get(SHAPING, ())
        if version in accuracy
    ]
    if alarm := next(_plateaus(both, part), None):
        yield alarm


def _collapses(rule: Collapse, points: Points, part: float) -> Iterator[Alarm]:
    figures = [figure for _, figure in points]
    windows, noise = _windows(figures, WINDOW), _drifts(figures, WINDOW)
    best: Pooled | None = None
    for test, start in enumerate(range(WINDOW, len(figures) - WINDOW + 1), 1):
        before, present = windows[start - WINDOW], windows[start]
        if best is None or (before.value < best.value) == rule.is_rise:
            best = before
        if not rule.is_beyond(present.value, best.value) or not all(
            rule.is_beyond(figure.value, best.value, part=0.5) for figure in figures[start : start + WINDOW]
        ):
            continue
        # The present window is compared with the best of ``test`` windows, so the p-value is multiplied by
        # it.
        p = min(1.0, test * change_p(best, present, noise=noise[start], is_rise=rule.is_rise))
        if p < level(test, rules=RULES) * part:
            since = _since(rule, figures, best.value, start)
            yield rule.alarm(points[start + WINDOW - 1][0], points[since][0], best, present, p)


def _since(rule: Collapse, figures: Sequence[Figure], reference: float, start: int) -> int:
    """Return the place where the change began.

    From there up to ``start``, every version differs from the reference by at least half of the least change.
    """
    while start and rule.is_beyond(figures[start - 1].value, reference, part=0.5):
        start -= 1
    return start


def _plateaus(points: Sequence[tuple[int, Figure, Figure]], part: float) -> Iterator[Alarm]:
    shaping, accuracy = [figure for _, figure, _ in points], [figure for _, _, figure in points]
    paid, right = _windows(shaping, SPAN), _windows(accuracy, SPAN)
    noises = _drifts(shaping, SPAN), _drifts(accuracy, SPAN)
    for test, start in enumerate(range(SPAN, len(points) - SPAN + 1), 1):
        for lag in LAGS:
            before = start - lag
            if before < 0:
                break
            rise = paid[start].value - paid[before].value
            is_flat = right[start].value - right[before].value <= FLAT and right[start].value < 1 - ROOM_MIN
            if rise < LEAST or not is_flat:
                continue
            risen = replace(right[before], value=right[before].value + GAIN_PART * rise)
            p = len(LAGS) * max(
                change_p(paid[before], paid[start], noise=noises[0][start], is_rise=True),
                change_p(risen, right[start], noise=noises[1][start], is_rise=False),
            )
            if p < level(test, rules=RULES) * part:
                version, since = points[start + SPAN - 1][0], points[before + SPAN][0]
                yield PLATEAU.alarm(version, since, paid[before], paid[start], p)


def _drifts(figures: Sequence[Figure], size: int) -> list[tuple[float, float]]:
    """Return, for each beginning of the series, the drift's variance with its degrees of freedom.

    The variance is scaled to its weight in the mean of ``size`` successive versions. It is corrected because
    neighbours carry over half of their drift, so that their differences show only half of the variance.
    """
    together = 1 + 2 * sum((1 - number / size) * CARRIED**number for number in range(1, size))
    drifts = []
    for versions, (variance, _) in enumerate(jitters(figures)):
        pairs = max(0, versions - 1)
        known = (variance / (1 - CARRIED) * pairs + DRIFT**2 * DRIFT_PAIRS) / (pairs + DRIFT_PAIRS)
        # Neighbouring pairs share a version, so they are worth two thirds of independent ones, as in
        # ``jitters``.
        drifts.append((known * together, 2 * (pairs + DRIFT_PAIRS) / 3))
    return drifts


def _windows(figures: Sequence[Figure], size: int) -> list[Pooled]:
    """Return the pooled figures of every ``size`` successive versions, by the place of the first one."""
    return [pooled(figures[start : start + size], is_share=True) for start in range(len(figures) - size + 1)]
