"""Calls of a judge: their outcomes, and examples to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from django.db.models import Count, Exists, OuterRef

from core.paging import page_cut
from trajectories.judges.services import judging_calls
from trajectories.judges.types import Criterion, JudgeBody
from trajectories.models import AnnotationUnit, Episode, Judge, JudgeCall

CALLS_COUNTED = 50_000
REASONS_MAX = 10
GRADES_PER_PAGE = 25
OTHER = "Another reason."
TONES = {"met": "good", "not_met": "bad", "uncontrollable": "warn"}


@dataclass(frozen=True, kw_only=True)
class CallCounts:
    """The newest calls of one criterion: by choice, and those without a grade by the reason."""

    choices: Sequence[tuple[str, str, int]]
    """A choice, what it counts as, and how many calls chose it."""
    reasons: Sequence[tuple[str, int]]

    @property
    def void(self) -> int:
        """Number of calls without a countable grade: none at all, or a failure that was not the agent's."""
        blameless = sum(number for _, counts, number in self.choices if counts == "uncontrollable")
        return blameless + sum(number for _, number in self.reasons)

    @property
    def total(self) -> int:
        graded = sum(number for _, _, number in self.choices)
        return graded + sum(number for _, number in self.reasons)


@dataclass(frozen=True, kw_only=True)
class GradeRow:
    """A call; ``has_episode`` is false of one that was deleted."""

    call: JudgeCall
    tone: str
    problem: str
    has_episode: bool


def calls_counted(judge: Judge, body: JudgeBody) -> dict[str, CallCounts]:
    """The newest ``CALLS_COUNTED`` by criterion."""
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
        choices=[(one.id, one.counts, grades[one.id]) for one in criterion.choices],
        reasons=[*shown, *([(OTHER, others)] if others else [])],
    )


def without_address(problem: str, body: JudgeBody) -> str:
    """Return the reason without the endpoint's address, which is private to the operator."""
    return problem.replace(body.url, "its endpoint")


def grades_shown(
    judge: Judge, body: JudgeBody, *, before: int | None, criterion: str
) -> tuple[list[GradeRow], int | None]:
    """A page of calls, newest first, and the cursor of the next one.

    While people label the judge's sample, its episodes are left out: their labels are blind.
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
    counts = {one.id: one.counts for one in criterion.choices} if criterion else {}
    return GradeRow(
        call=call,
        tone=TONES[counts[call.grade]] if call.grade in counts else "warn",
        problem=without_address(call.problem, body),
        has_episode=has_episode,
    )
