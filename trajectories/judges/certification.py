"""Certification of judges: each criterion is measured once, against people's labels of the judge's sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from django.db import transaction
from msgspec import Struct

from core.errors import GymError
from trajectories.annotation.labels.consensus import read_consensus
from trajectories.judges.rates import LEAST, Measurement, Pair, Rate, measurement_of
from trajectories.judges.samples import Grades, field_name, grades_latest
from trajectories.judges.services import body_of, component_name
from trajectories.judges.types import Criterion
from trajectories.models import AnnotationSlot, AnnotationUnit, Judge, JudgeCertification, JudgeSample

NOT_GRADED = Grades(None, {})


class Figures(Struct, frozen=True, kw_only=True):
    """The measurement of a criterion.

    Only those of the sample's ``units`` count that have both a label and a grade. Units are ``without_label``
    if nobody could tell, people disagreed, or the failure was not the agent's.
    """

    units: int
    without_label: int
    without_grade: int
    measurement: Measurement


@transaction.atomic
def judge_certify(judge: Judge) -> list[JudgeCertification]:
    """Measure the judge by its sample. This uses up the sample: later calls return the same result.

    Raises ``GymError`` 422 ``judge_has_no_sample``, and 409 ``labels_missing`` if the sample is not
    completely labelled, since stopping as soon as the figures look good could certify any judge.
    """
    Judge.objects.select_for_update().get(pk=judge.pk)
    if stored := list(judge.certifications.order_by("pk")):
        return stored
    sample = JudgeSample.objects.filter(judge=judge).first()
    if sample is None:
        message = f"{judge.name!r} has no sample. Draw one with `manage.py sample_judge`."
        raise GymError("judge_has_no_sample", message, status=422)
    _complete_check(sample)
    given = _Sample(sample)
    figures = {one.id: given.figures(one) for one in body_of(judge).criteria}
    return JudgeCertification.objects.bulk_create(
        JudgeCertification(
            judge=judge,
            criterion=criterion,
            figures=msgspec.to_builtins(one),
            is_certified=one.measurement.is_certified,
        )
        for criterion, one in figures.items()
    )


def figures_of(certification: JudgeCertification) -> Figures:
    """Return the figures as they were stored."""
    return msgspec.convert(certification.figures, Figures)


def _complete_check(sample: JudgeSample) -> None:
    slots = AnnotationSlot.objects.filter(project=sample.project_id, is_repeat=False)
    left = slots.filter(done_at__isnull=True).count()
    if left:
        message = (
            f"{left} of {slots.count()} labels are missing, but a judge is measured by the whole sample."
        )
        raise GymError("labels_missing", message, status=409)


class _Sample:
    """A sample's units, with people's labels and the judge's grades."""

    def __init__(self, sample: JudgeSample) -> None:
        units = AnnotationUnit.objects.filter(project=sample.project_id)
        self._weights = dict(units.values_list("episode_id", "weight"))
        episodes = list(self._weights)
        agreed = read_consensus(project=sample.project_id, episodes=episodes)
        self._labels: dict[int, Mapping[str, Any]] = {unit["episode"]: values for unit, values in agreed}
        self._grades = grades_latest(sample.judge, episodes=episodes)
        self._judge = sample.judge.name

    def figures(self, criterion: Criterion) -> Figures:
        pairs: list[Pair] = []
        without_label = without_grade = 0
        for episode, weight in self._weights.items():
            people = self._label(episode, criterion)
            given = self._grades.get(episode, NOT_GRADED)
            grade = given.values.get(component_name(self._judge, criterion.id))
            without_label += people is None
            without_grade += people is not None and grade is None
            if people is None or grade is None:
                continue
            # If the task was deleted, each of its episodes forms its own cluster.
            pairs.append(Pair(people=bool(people), judge=bool(grade), weight=weight, cluster=given.task))
        return Figures(
            units=len(self._weights),
            without_label=without_label,
            without_grade=without_grade,
            measurement=measurement_of(pairs),
        )

    def _label(self, episode: int, criterion: Criterion) -> float | None:
        choice = self._labels.get(episode, {}).get(field_name(criterion.id))
        return criterion.value(choice) if isinstance(choice, str) else None


def words_of(certification: JudgeCertification) -> str:
    """Describe a criterion's certification in one line for people to read."""
    figures = figures_of(certification)
    rates = (
        ("true positives", figures.measurement.true_positive),
        ("true negatives", figures.measurement.true_negative),
    )
    shown = ", ".join(f"{title} {words_of_rate(one)}" for title, one in rates)
    verdict = (
        "certified" if certification.is_certified else f"not certified (a lower bound is below {LEAST:.0%})"
    )
    return (
        f"{certification.criterion}: {verdict}. {shown}; {figures.without_label} units have no label, "
        f"{figures.without_grade} have no grade."
    )


def words_of_rate(rate: Rate) -> str:
    """Render a share with its interval and its number of units."""
    share = "none" if rate.value is None else f"{rate.value:.1%}"
    return f"{share} [{rate.low:.1%}, {rate.high:.1%}] of {rate.units}"
