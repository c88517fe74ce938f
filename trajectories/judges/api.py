"""The API call that lists judges with their measurements. Endpoint URLs are not published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, convert, to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.schema import call
from trajectories.judges.certification import figures_of
from trajectories.judges.parser import judge_of
from trajectories.judges.services import component_name
from trajectories.models import Judge, JudgeCertification
from trajectories.rewards.profiles.judge_terms import attack_latest, payment_problems


class JudgeRateRecord(Struct, frozen=True, kw_only=True):
    """A share of ``units`` with its 95% interval; ``value`` is null if there are no units."""

    value: float | None
    low: float
    high: float
    units: int


class JudgeCriterionRecord(Struct, frozen=True, kw_only=True):
    """A judge's criterion.

    ``is_certified`` and both rates are null until the criterion has been compared with people's labels, and
    ``is_fooled`` is null until it has been tested with texts that ask for a grade. While it has ``problems``,
    no training run may be paid for it.
    """

    component: str
    kind: Literal["process", "outcome"]
    question: str
    is_certified: bool | None
    true_positive: JudgeRateRecord | None
    true_negative: JudgeRateRecord | None
    attempts_attacked: int
    is_fooled: bool | None
    problems: list[str]


class JudgeRecord(Struct, frozen=True, kw_only=True):
    """A judge; its ``sha256`` covers everything on which its grades depend."""

    name: str
    sha256: str
    model: str
    criteria: list[JudgeCriterionRecord]


class JudgeList(Struct, frozen=True):
    results: list[JudgeRecord]


class JudgesView(APIView):
    scopes = {"GET": "read"}

    @call(
        "judge_list",
        "List the judges",
        description="A judge's criteria are reward components. Their error rates are measured against "
        "people's labels.",
        answers={200: (JudgeList, "All judges of this installation, by name.")},
    )
    def get(self, request: Request) -> Response:
        judges = Judge.objects.order_by("name")
        return Response(to_builtins(JudgeList([_record(one) for one in judges])))


def _record(judge: Judge) -> JudgeRecord:
    return JudgeRecord(
        name=judge.name, sha256=judge.sha256, model=judge.body["model"], criteria=list(_criteria(judge))
    )


def _criteria(judge: Judge) -> Iterator[JudgeCriterionRecord]:
    certified = {one.criterion: one for one in JudgeCertification.objects.filter(judge=judge)}
    for one in judge_of(judge.body).criteria:
        stored, attack = certified.get(one.id), attack_latest(judge, one.id)
        measured = figures_of(stored).measurement if stored else None
        rates = [measured.true_positive, measured.true_negative] if measured else [None, None]
        positive, negative = (convert(rate, JudgeRateRecord | None, from_attributes=True) for rate in rates)
        yield JudgeCriterionRecord(
            component=component_name(judge.name, one.id),
            kind=one.kind,
            question=one.question,
            is_certified=stored.is_certified if stored else None,
            true_positive=positive,
            true_negative=negative,
            attempts_attacked=attack.attempts if attack else 0,
            is_fooled=attack.is_fooled if attack else None,
            problems=list(payment_problems(judge.name, one.id)),
        )
