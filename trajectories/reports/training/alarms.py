"""Alarms for a collapsing policy, each of which is a stated rule over the figures of its versions.

The chance of any false alarm in a run should be at most ``RUN_RATE``. Each rule gets an equal part of it, of
which its i-th test spends the share 6 / (pi i)^2 (alpha spending). There is a test at each version, and an
alarm once raised stays, however many versions follow. ``python -m validation.alarms`` measures the rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scipy.special import stdtr

from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import Answers
from trajectories.reports.training.figures import Figure, Pooled, change_p, jitter, pooled

RUN_RATE = 0.05
# The fewest recent versions that can serve as a reference.
RECENT_MIN = 3


@dataclass(frozen=True, kw_only=True)
class Sentinel:
    """A source of alarms about a measure; ``look`` tells readers where to look."""

    id: str
    title: str
    measure: str
    look: str

    def alarm(self, version: int, since: int, reference: Pooled, present: Pooled, p: float) -> Alarm:
        """Build the alarm raised at ``version``, for a change that began at version ``since``."""
        return Alarm(
            rule=self.id,
            measure=self.measure,
            title=self.title,
            look=self.look,
            version=version,
            since=since,
            reference=reference.value,
            value=present.value,
            p=p,
        )


@dataclass(frozen=True, kw_only=True)
class Rule(Sentinel):
    """A rule that compares the last ``present`` versions with a reference.

    The reference is the run's first ``reference`` versions or, with ``is_recent``, the versions just before.
    The change must be at least ``least`` and reach ``factor`` times the reference, and each of the last
    versions must show at least half of it. ``words`` state all this for readers.
    """

    words: str
    is_rise: bool = True
    is_share: bool = True
    is_recent: bool = False
    reference: int = 3
    present: int = 3
    least: float = 0.0
    factor: float = 1.0

    @property
    def versions_min(self) -> int:
        """The number of versions that the rule needs for its first test."""
        return (RECENT_MIN if self.is_recent else self.reference) + self.present

    def is_beyond(self, value: float, reference: float, *, part: float = 1.0) -> bool:
        """Return whether ``value`` differs from ``reference`` by at least ``part`` of the required change."""
        step = max(self.least, abs(self.factor - 1) * reference) * part
        return value >= reference + step if self.is_rise else value <= reference - step


THOUGHTS = "thoughts"
RULES = (
    Rule(
        id="invalid_actions",
        title="Spike of invalid actions",
        measure="invalid_actions",
        words="The share of steps with an invalid action is at least 5 points above that of the up to 6 "
        "versions before, and at least twice as high.",
        look="the steps without an action, and what their completions contain instead.",
        is_recent=True,
        reference=6,
        present=1,
        least=0.05,
        factor=2.0,
    ),
    Rule(
        id=THOUGHTS,
        title="Shrinking thoughts",
        measure="thought_words",
        words="Words per thought, over the last 3 versions, are at most 70% of those of the run's first 3, "
        "and at most 85% in each of the 3.",
        look="thoughts of episodes that fail now but did not fail before.",
        is_rise=False,
        is_share=False,
        factor=0.7,
    ),
    Rule(
        id="narration",
        title="Rising narration",
        measure="restates",
        words="The share of the thought that restates the page or the action is, over the last 3 versions, "
        "at least 10 points above that of the run's first 3, and in each of the 3 at least 5 points.",
        look="thoughts next to the pages that they restate.",
        is_share=False,
        least=0.10,
    ),
    Rule(
        id="void",
        title="Rising void rate",
        measure="void",
        words="The share of void episodes is, over the last 3 versions, at least 3 points above that of the "
        "run's first 3, and in each of the 3 at least 1.5 points.",
        look="the reasons of void episodes, on the page of the run.",
        least=0.03,
    ),
)
TEXT_TITLE = "Gap closing because text falls"
TEXT_LEAST = 0.03
# The least share of the gap's narrowing that has to be due to the loss of text accuracy.
TEXT_PART = 0.25
TEXT_LOOK = "items that were right as text at the first checkpoint and are wrong now."
TEXT_WORDS = (
    "Text accuracy is at least 3 points below that of the first evaluated version, on the same items; the "
    "gap is narrower; and at least a quarter of the narrowing is due to the loss of text accuracy."
)


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """An alarm raised at ``version``, because the measure went from ``reference`` to ``value``.

    The change began at version ``since``. ``scope`` is the benchmark or the stage of the tasks, or empty.
    """

    rule: str
    measure: str
    title: str
    look: str
    version: int
    since: int
    reference: float
    value: float
    p: float
    scope: str = ""

    def figure(self, value: float) -> str:
        """Return a value of the rule's measure as text, in words or in percent."""
        return f"{value:.1f} words" if self.rule == THOUGHTS else f"{100 * value:.1f}%"

    @property
    def change(self) -> str:
        """The change of the measure in words, from the reference to the value."""
        return f"from {self.figure(self.reference)} to {self.figure(self.value)}"


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """The accuracies of an evaluated version and of the first one.

    ``p`` is the p-value of the hypothesis that text accuracy did not fall.
    """

    version: int
    text: float
    page: float
    text_before: float
    page_before: float
    p: float | None


def level(test: int, *, rules: int) -> float:
    """Return the significance level of a rule's ``test``-th test, counted from 1.

    By alpha spending, the levels of all tests of all rules sum to ``RUN_RATE``, however many tests there will
    be.
    """
    return RUN_RATE / rules * spent(test)


def spent(test: int) -> float:
    """Return the share of a rate that is spent on the ``test``-th test, counted from 1.

    The shares 6 / (π k)² sum to 1 over all k (Basel problem).
    """
    return 6 / (math.pi * test) ** 2


def alarms_of(series: Mapping[str, Sequence[tuple[int, Figure]]]) -> list[Alarm]:
    """Return the first alarm of each rule; ``series`` has the figures by measure, versions ascending."""
    return [alarm for rule in RULES if (alarm := next(_raised(rule, series.get(rule.measure, ())), None))]


def text_alarm(evaluations: Sequence[Evaluated], *, scope: str = "", scopes: int = 1) -> Alarm | None:
    """Return the alarm at the first evaluation in which the gap closes because text accuracy falls.

    ``scopes`` is the number of benchmarks among which the rate is divided. Returns None without such an
    evaluation.
    """
    for test, evaluation in enumerate(evaluations, 1):
        loss, gain = evaluation.text_before - evaluation.text, evaluation.page - evaluation.page_before
        is_closing = loss >= TEXT_LEAST and 0 < loss + gain <= loss / TEXT_PART
        if (
            is_closing
            and evaluation.p is not None
            and evaluation.p < level(test, rules=scopes * (len(RULES) + 1))
        ):
            return Alarm(
                rule="text",
                measure="text",
                title=TEXT_TITLE,
                look=TEXT_LOOK,
                version=evaluation.version,
                since=evaluation.version,
                reference=evaluation.text_before,
                value=evaluation.text,
                p=evaluation.p,
                scope=scope,
            )
    return None


def fall_p(before: Answers, after: Answers) -> float | None:
    """Return the p-value of the hypothesis that accuracy did not fall on the same items.

    Returns None if it cannot be estimated.
    """
    pair = gaps.pair_of(before, after)
    estimate = gaps.gap(pair) if pair else None
    if estimate is None or estimate.value is None or not estimate.error or estimate.degrees is None:
        return None
    return float(stdtr(estimate.degrees, -estimate.value / estimate.error))


def _raised(rule: Rule, points: Sequence[tuple[int, Figure]]) -> Iterator[Alarm]:
    figures = [figure for _, figure in points]
    for test, end in enumerate(range(rule.versions_min, len(figures) + 1), 1):
        start = end - rule.present
        past = figures[:start]
        reference = pooled(
            past[-rule.reference :] if rule.is_recent else past[: rule.reference], is_share=rule.is_share
        )
        latest = figures[start:end]
        present = pooled(latest, is_share=rule.is_share)
        if not _has_moved(rule, latest, present.value, reference.value):
            continue
        p = change_p(reference, present, noise=jitter(past), is_rise=rule.is_rise)
        if p < level(test, rules=len(RULES) + 1):
            yield rule.alarm(points[end - 1][0], points[start][0], reference, present, p)


def _has_moved(rule: Rule, latest: Sequence[Figure], value: float, reference: float) -> bool:
    return rule.is_beyond(value, reference) and all(
        rule.is_beyond(figure.value, reference, part=0.5) for figure in latest
    )
