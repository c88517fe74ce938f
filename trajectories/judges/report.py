"""A judge's report: the measurements of its criteria, and the raw and corrected rates of its grades."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from trajectories.judges import attacks, certification
from trajectories.judges.parser import judge_of
from trajectories.judges.rates import Rate, corrected, rate_of
from trajectories.judges.samples import Grades, grades_latest
from trajectories.judges.services import body_of, component_name
from trajectories.judges.types import Criterion
from trajectories.models import Judge, JudgeCertification
from trajectories.rewards.profiles.judge_terms import attack_latest


@dataclass(frozen=True, kw_only=True)
class CriterionRates:
    """The share of graded episodes that meet a criterion, as graded and ``corrected`` for the judge's errors.

    ``corrected`` is None if the judge has not been measured or is no better than chance. Neither share
    includes the ``void`` episodes. ``is_certified`` is None until the criterion has been measured.
    """

    component: str
    criterion: str
    void: int
    met: Rate
    corrected: Rate | None
    is_certified: bool | None


def criteria_rates(judge: Judge, grades: Collection[Grades]) -> list[CriterionRates]:
    """Return each criterion's rates over these episodes, treating all attempts at a task as one cluster."""
    measured = {one.criterion: one for one in judge.certifications.all()}
    return [_rates(judge, one, grades, measured.get(one.id)) for one in judge_of(judge.body).criteria]


def _rates(
    judge: Judge, criterion: Criterion, grades: Collection[Grades], measured: JudgeCertification | None
) -> CriterionRates:
    component = component_name(judge.name, criterion.id)
    given = [(value, grade.task) for grade in grades if (value := grade.values.get(component)) is not None]
    met = rate_of(
        [value == 1.0 for value, _ in given], weights=[1.0] * len(given), clusters=[task for _, task in given]
    )
    return CriterionRates(
        component=component,
        criterion=criterion.id,
        void=len(grades) - len(given),
        met=met,
        corrected=corrected(met, certification.figures_of(measured).measurement) if measured else None,
        is_certified=measured.is_certified if measured else None,
    )


def report_lines(judge: Judge, *, runs: Sequence[int]) -> Iterator[str]:
    """Yield the lines of the report for people to read."""
    yield f"{judge.name}@{judge.sha256[:12]}: {judge.body['model']} at {judge.body['url']}"
    yield "Compared with people's labels:"
    stored = {one.criterion: one for one in judge.certifications.all()}
    for criterion in body_of(judge).criteria:
        one = stored.get(criterion.id)
        yield f"  {certification.words_of(one) if one else f'{criterion.id}: not measured.'}"
    yield "Tested with texts that ask for a grade:"
    for criterion in body_of(judge).criteria:
        attack = attack_latest(judge, criterion.id)
        yield f"  {attacks.words_of(attack) if attack else f'{criterion.id}: not tested.'}"
    yield "Shares as graded, and true shares estimated by Rogan and Gladen:"
    for rates in criteria_rates(judge, grades_latest(judge, runs=runs).values()):
        yield f"  {_words(rates)}"


def _words(rates: CriterionRates) -> str:
    true = "not known" if rates.corrected is None else certification.words_of_rate(rates.corrected)
    met = certification.words_of_rate(rates.met)
    return f"{rates.criterion}: graded as met {met}, true share {true}; {rates.void} void."
