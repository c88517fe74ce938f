"""Contents of the list of judges and the page of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import msgspec
from django.db.models import OuterRef, Subquery
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render

from core.paging import page_cut
from trajectories.judges.attacks import Attack, texts
from trajectories.judges.background import Outage, outage_of
from trajectories.judges.certification import Figures, figures_of
from trajectories.judges.pages.calls import (
    CALLS_COUNTED,
    CallCounts,
    GradeRow,
    calls_counted,
    grades_shown,
    without_address,
)
from trajectories.judges.parser import judge_of
from trajectories.judges.rates import LEAST, Rate
from trajectories.judges.services import component_name, judging_calls
from trajectories.judges.types import Criterion, JudgeBody
from trajectories.models import AnnotationSlot, Judge, JudgeAttack, JudgeCall, JudgeCertification, JudgeSample
from trajectories.rewards.profiles.judge_terms import ATTEMPTS_MIN, attack_latest, payment_problems
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.forms import CursorForm, choice_field

JUDGES_PER_PAGE = 25


@dataclass(frozen=True, kw_only=True)
class JudgeRow:
    """A judge of the list."""

    judge: Judge
    body: JudgeBody

    @property
    def certified(self) -> list[str]:
        """The criteria that people's labels certified."""
        return [one.criterion for one in self.judge.certifications.all() if one.is_certified]


class JudgesPage:
    """Judges, the newest first, from the cursor in ``parameters`` on."""

    def __init__(self, parameters: QueryDict) -> None:
        form = CursorForm(parameters)
        before = form.filters().get("cursor")
        self.is_first = before is None
        latest = JudgeCall.objects.filter(judge=OuterRef("pk"), attack="").order_by("-pk")
        judges = Judge.objects.annotate(last_graded=Subquery(latest.values("created_at")[:1]))
        if before is not None:
            judges = judges.filter(pk__lt=before)
        read = judges.prefetch_related("certifications").order_by("-pk")[: JUDGES_PER_PAGE + 1]
        shown, self.older = page_cut(list(read), limit=JUDGES_PER_PAGE, place=attrgetter("pk"))
        self.rows = [JudgeRow(judge=one, body=judge_of(one.body)) for one in shown]
        self.errors = form.error_messages()


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Units of which people say one thing, and the share of which the judge says the same."""

    people: str
    rate: Rate
    is_met: bool

    @property
    def other(self) -> float | None:
        """The share of which the judge says the opposite."""
        return None if self.rate.value is None else 1 - self.rate.value

    @property
    def is_enough(self) -> bool:
        return self.rate.low >= LEAST


@dataclass(frozen=True, kw_only=True)
class CriterionView:
    """A criterion with all that was measured of it; ``problems`` say why it pays no training run."""

    criterion: Criterion
    component: str
    certification: JudgeCertification | None
    attack: JudgeAttack | None
    calls: CallCounts
    problems: Sequence[str]

    @property
    def figures(self) -> Figures | None:
        return figures_of(self.certification) if self.certification else None

    @property
    def agreements(self) -> list[Agreement]:
        """Both rows of the table of people against the judge."""
        if self.figures is None:
            return []
        measured = self.figures.measurement
        return [
            Agreement(people="met", rate=measured.true_positive, is_met=True),
            Agreement(people="not met", rate=measured.true_negative, is_met=False),
        ]

    @property
    def attacks(self) -> list[tuple[Attack, str]]:
        """Effect of each text, with its present wording."""
        figures = msgspec.convert(self.attack.figures, list[Attack]) if self.attack else []
        return [(one, texts().get(one.text, "")) for one in figures]


class GradesForm(CursorForm):
    page = "the page of a judge"

    def __init__(self, data: QueryDict, *, criteria: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["criterion"] = choice_field([(one, one) for one in criteria], "Criterion")


class JudgePage:
    """``?criterion=`` leaves the grades of one; they are read page by page."""

    least, attempts_min, calls_counted = LEAST, ATTEMPTS_MIN, CALLS_COUNTED

    def __init__(self, judge_id: int, parameters: QueryDict) -> None:
        judge = Judge.objects.filter(pk=judge_id).first()
        if judge is None:
            raise Http404(f"There is no judge {judge_id}.")
        self.judge, self.body = judge, judge_of(judge.body)
        self.form = GradesForm(parameters, criteria=[one.id for one in self.body.criteria])
        filters: dict[str, Any] = self.form.filters()
        self.errors = self.form.error_messages()
        self.is_first = "cursor" not in filters
        self.grades: list[GradeRow]
        self.grades, self.older = grades_shown(
            judge, self.body, before=filters.get("cursor"), criterion=filters.get("criterion", "")
        )

    @cached_property
    def criteria(self) -> list[CriterionView]:
        counted = calls_counted(self.judge, self.body)
        certified = {one.criterion: one for one in self.judge.certifications.all()}
        return [
            CriterionView(
                criterion=one,
                component=component_name(self.judge.name, one.id),
                certification=certified.get(one.id),
                attack=attack_latest(self.judge, one.id),
                calls=counted[one.id],
                problems=list(payment_problems(self.judge.name, one.id)),
            )
            for one in self.body.criteria
        ]

    @property
    def certified(self) -> int:
        return sum(bool(one.certification and one.certification.is_certified) for one in self.criteria)

    @cached_property
    def last_call(self) -> JudgeCall | None:
        return judging_calls(self.judge).order_by("-pk").first()

    @cached_property
    def outage(self) -> Outage | None:
        return outage_of(self.judge)

    @property
    def outage_problem(self) -> str:
        return without_address(self.outage.problem, self.body) if self.outage else ""

    @cached_property
    def sample(self) -> JudgeSample | None:
        return JudgeSample.objects.filter(judge=self.judge).first()

    @cached_property
    def labels(self) -> tuple[int, int]:
        """Number of labels of the sample, and of its slots."""
        if self.sample is None:
            return 0, 0
        slots = AnnotationSlot.objects.filter(project=self.sample.project_id, is_repeat=False)
        return slots.filter(done_at__isnull=False).count(), slots.count()


@lab_page
def judge_list(request: LabRequest) -> HttpResponse:
    return render(request, "lab/judges/judges.html", {"here": "judges", "page": JudgesPage(request.GET)})


@lab_page
def judge_detail(request: LabRequest, judge_id: int) -> HttpResponse:
    """Show a judge: its rubric, the measurements of each criterion, its calls, and grades to read."""
    page = JudgePage(judge_id, request.GET)
    return render(request, "lab/judges/judge.html", {"here": "judges", "page": page})
