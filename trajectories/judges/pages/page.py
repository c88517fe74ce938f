"""Contents of the list of judges and of a judge's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import msgspec
from django.db.models import Count, Exists, OuterRef, Subquery
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render

from core.api.paging import page_cut
from trajectories.judges.attacks import Attack, texts
from trajectories.judges.background import Outage, find_outage
from trajectories.judges.certification import Figures, figures_of
from trajectories.judges.parser import judge_of
from trajectories.judges.rates import LEAST, Rate
from trajectories.judges.services import component_name, judging_calls
from trajectories.judges.types import Criterion, JudgeBody
from trajectories.models import (
    AnnotationSlot,
    AnnotationUnit,
    Episode,
    Judge,
    JudgeAttack,
    JudgeCall,
    JudgeCertification,
    JudgeSample,
)
from trajectories.rewards.profiles.judge_terms import ATTEMPTS_MIN, attack_latest, payment_problems
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.forms import CursorForm, choice_field

CALLS_COUNTED = 50_000
REASONS_MAX = 10
GRADES_PER_PAGE = 25
OTHER = "Another reason."
TONES = {"met": "good", "not_met": "bad", "uncontrollable": "warn"}
JUDGES_PER_PAGE = 25


@dataclass(frozen=True, kw_only=True)
class CallCounts:
    """Counts of a criterion's newest calls: graded ones by choice, others by why they have no grade."""

    choices: Sequence[tuple[str, str, int]]
    """Each choice, with what it counts as and the number of calls that chose it."""
    reasons: Sequence[tuple[str, int]]

    @property
    def void(self) -> int:
        """The number of calls that do not count: those without a grade, or with an ``uncontrollable`` one."""
        blameless = sum(number for _, counts, number in self.choices if counts == "uncontrollable")
        return blameless + sum(number for _, number in self.reasons)

    @property
    def total(self) -> int:
        graded = sum(number for _, _, number in self.choices)
        return graded + sum(number for _, number in self.reasons)


@dataclass(frozen=True, kw_only=True)
class GradeRow:
    """A call; ``has_episode`` is false if its episode was deleted."""

    call: JudgeCall
    tone: str
    problem: str
    has_episode: bool


def calls_counted(judge: Judge, body: JudgeBody) -> dict[str, CallCounts]:
    """Return the counts of the newest ``CALLS_COUNTED`` calls, by criterion."""
    newest = judging_calls(judge).order_by("-pk").values("pk")[:CALLS_COUNTED]
    rows = JudgeCall.objects.filter(pk__in=newest).values_list("criterion", "grade", "problem")
    counted = list(rows.annotate(number=Count("pk")))
    return {
        one.id: _counts(one, body, [row[1:] for row in counted if row[0] == one.id]) for one in body.criteria
    }


def _counts(criterion: Criterion, body: JudgeBody, rows: Sequence[tuple[str, str, int]]) -> CallCounts:
    grades, reasons = Counter[str](), Counter[str]()
    for grade, problem, number in rows:
        if grade:
            grades[grade] += number
        else:
            reasons[without_address(problem, body)] += number
    shown = reasons.most_common(REASONS_MAX)
    others = reasons.total() - sum(number for _, number in shown)
    return CallCounts(
        choices=[(choice.id, choice.counts, grades[choice.id]) for choice in criterion.choices],
        reasons=[*shown, *([(OTHER, others)] if others else [])],
    )


def without_address(problem: str, body: JudgeBody) -> str:
    """Return the reason without the endpoint's URL, which is private to the operator."""
    return problem.replace(body.url, "its endpoint")


def list_grades(
    judge: Judge, body: JudgeBody, *, before: int | None, criterion: str
) -> tuple[list[GradeRow], int | None]:
    """Return a page of calls, newest first, and the cursor of the next page.

    While people label the judge's sample, calls on its episodes are left out, because labels must be blind.
    """
    blind = AnnotationUnit.objects.filter(
        project__judge_sample__judge=judge, episode_id=OuterRef("episode_id")
    )
    calls = judging_calls(judge)
    if not judge.certifications.exists():
        calls = calls.filter(~Exists(blind))
    if before is not None:
        calls = calls.filter(pk__lt=before)
    if criterion:
        calls = calls.filter(criterion=criterion)
    page = list(calls.order_by("-pk")[: GRADES_PER_PAGE + 1])
    shown, older = page_cut(page, limit=GRADES_PER_PAGE, place=attrgetter("pk"))
    there = set(Episode.objects.filter(pk__in=[one.episode_id for one in shown]).values_list("pk", flat=True))
    return [_row(one, body, has_episode=one.episode_id in there) for one in shown], older


def _row(call: JudgeCall, body: JudgeBody, *, has_episode: bool) -> GradeRow:
    criterion = body.criterion(call.criterion)
    counts = {choice.id: choice.counts for choice in criterion.choices} if criterion else {}
    return GradeRow(
        call=call,
        tone=TONES[counts[call.grade]] if call.grade in counts else "warn",
        problem=without_address(call.problem, body),
        has_episode=has_episode,
    )


@dataclass(frozen=True, kw_only=True)
class JudgeRow:
    """A judge in the list."""

    judge: Judge
    body: JudgeBody

    @property
    def certified(self) -> list[str]:
        """The criteria that people's labels certified."""
        return [one.criterion for one in self.judge.certifications.all() if one.is_certified]


class JudgesPage:
    """The page that lists judges, newest first, starting at the cursor in ``parameters``."""

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
    """Units that people labelled alike, and the share of them that the judge graded the same."""

    people: str
    rate: Rate
    is_met: bool

    @property
    def other(self) -> float | None:
        """The share of units that the judge graded the opposite."""
        return None if self.rate.value is None else 1 - self.rate.value

    @property
    def is_enough(self) -> bool:
        return self.rate.low >= LEAST


@dataclass(frozen=True, kw_only=True)
class CriterionView:
    """A criterion with all its measurements; ``problems`` say why no training run may be paid for it."""

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
        """Both rows of the table that compares people with the judge."""
        if self.figures is None:
            return []
        measured = self.figures.measurement
        return [
            Agreement(people="met", rate=measured.true_positive, is_met=True),
            Agreement(people="not met", rate=measured.true_negative, is_met=False),
        ]

    @property
    def attacks(self) -> list[tuple[Attack, str]]:
        """Each text's effect, with its current wording."""
        figures = msgspec.convert(self.attack.figures, list[Attack]) if self.attack else []
        return [(figure, texts().get(figure.text, "")) for figure in figures]


class GradesForm(CursorForm):
    page = "the page of a judge"

    def __init__(self, data: QueryDict, *, criteria: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["criterion"] = choice_field([(one, one) for one in criteria], "Criterion")


class JudgePage:
    """A judge's page. ``?criterion=`` restricts the grades, which are shown page by page."""

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
        self.grades, self.older = list_grades(
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
        return find_outage(self.judge)

    @property
    def outage_problem(self) -> str:
        return without_address(self.outage.problem, self.body) if self.outage else ""

    @cached_property
    def sample(self) -> JudgeSample | None:
        return JudgeSample.objects.filter(judge=self.judge).first()

    @cached_property
    def labels(self) -> tuple[int, int]:
        """The number of labels that the sample has, and the number that it needs."""
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
