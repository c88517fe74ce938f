"""Alarms on components of rewards: part of what a policy had learned collapses, or shaping alone rises.

They have a rate of their own, ``alarms.RUN_RATE``, besides that of the alarms on behaviour. The rules share
it equally; a run's k-th stage spends 6 / (pi k)^2 of a rule's part, and its i-th test 6 / (pi i)^2 of that.
Stages are kept apart, so that a course that moves on to harder tasks raises nothing.

Versions that differ by more than their sampling error are assumed to drift: each keeps half of the distance
from the mean of the one before. So several versions in a row are worth less than as many independent ones. A
few versions cannot show how far they drift: eight others are assumed to have shown 2 points.
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
"""Figures of one stage by measure, versions ascending."""

# The numbers of versions taken together for a collapse and for a plateau.
WINDOW, SPAN = 3, 5
LEAST = 0.10
FLAT = 0.02
# The part of a version's drift that the next one has too.
CARRIED = 0.5
# The assumed drift of versions, a standard deviation, as if so many pairs of neighbours had shown it.
DRIFT, DRIFT_PAIRS = 0.02, 8
# Accuracy must be shown to have gained less than ``GAIN_PART`` of the rise of shaping, with ``ROOM_MIN`` left
# to gain.
GAIN_PART = 0.5
ROOM_MIN = 0.10
# The numbers of versions between those that a plateau compares.
LAGS = (5, 10, 20, 40, 80, 160)


@dataclass(frozen=True, kw_only=True)
class Collapse(Sentinel):
    """A component that loses what the run had: it falls, or with ``is_rise`` rises."""

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
        """Return whether ``value`` is beyond ``reference`` by a ``part`` of the least change."""
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
        look="whether calls are missing or needless: the components “called” and “redundant”.",
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
        subject="The share of calls of the right tools",
        look="which tool is called in place of which.",
    ),
    Collapse(
        id="arguments",
        title="Arguments collapse",
        measure="arguments",
        subject="The nearness of arguments to the right ones",
        look="the fields of calls of the right tools, above all dates, places and units.",
    ),
    Collapse(
        id="call_results",
        title="Calls fail",
        measure="call_results",
        subject="The share of calls with a result",
        look="what the tools answer in place of a result.",
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
    subject="What is earned of the terms beside the outcome",
    look="what a wrong answer is paid, on the page of rewards; episodes that are paid well and wrong.",
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
    """Return the first alarm of each rule and stage. Stages are by label, in the order of first versions."""
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
        # The present window is compared with the best of so many windows, any of which could have been it.
        p = min(1.0, test * change_p(best, present, noise=noise[start], is_rise=rule.is_rise))
        if p < level(test, rules=RULES) * part:
            since = _since(rule, figures, best.value, start)
            yield rule.alarm(points[start + WINDOW - 1][0], points[since][0], best, present, p)


def _since(rule: Collapse, figures: Sequence[Figure], reference: float, start: int) -> int:
    """Return the first of the versions in a row, up to ``start``, that lie beyond half the least change."""
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
    """Return the drift in each beginning of the series, a variance with its degrees, as it weighs in ``size``
    successive versions together. Neighbours that keep half of each other differ half as much as they vary.
    """
    together = 1 + 2 * sum((1 - number / size) * CARRIED**number for number in range(1, size))
    drifts = []
    for versions, (variance, _) in enumerate(jitters(figures)):
        pairs = max(0, versions - 1)
        known = (variance / (1 - CARRIED) * pairs + DRIFT**2 * DRIFT_PAIRS) / (pairs + DRIFT_PAIRS)
        # Neighbouring pairs share a version: as in ``jitters``.
        drifts.append((known * together, 2 * (pairs + DRIFT_PAIRS) / 3))
    return drifts


def _windows(figures: Sequence[Figure], size: int) -> list[Pooled]:
    """Pool successive versions, by the place of their first."""
    return [pooled(figures[start : start + size], is_share=True) for start in range(len(figures) - size + 1)]
