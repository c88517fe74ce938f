"""Limits on calls to a judge: a pause after an outage of its endpoint, and its rate.

Both follow from the stored calls, so that nothing is forgotten when a worker dies.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from trajectories.judges.services import answered_calls, judging_calls, unanswered_calls
from trajectories.models import Judge, JudgeCall

PAUSE_S, PAUSE_MAX_S = 60.0, 900.0
RATE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Outage:
    """An endpoint that has answered nothing ``since`` a time, and is tried again at ``until``."""

    since: datetime
    until: datetime
    problem: str


def outage_of(judge: Judge) -> Outage | None:
    """Return the current outage. Its pause is as long as it has lasted, from one to fifteen minutes."""
    last, answered = (
        judging_calls(judge).order_by("-pk").first(),
        answered_calls(judge).order_by("-pk").first(),
    )
    # Calls of a batch have one time: an answer to one of them says that the endpoint works.
    if last is None or (answered and answered.created_at == last.created_at):
        return None
    silent = unanswered_calls(judge).filter(pk__gt=answered.pk if answered else 0)
    since = silent.aggregate(at=Min("created_at"))["at"]
    lasted = (last.created_at - since).total_seconds()
    pause = timedelta(seconds=min(max(lasted, PAUSE_S), PAUSE_MAX_S))
    return Outage(since=since, until=last.created_at + pause, problem=last.problem)


def may_be_called(judge: Judge) -> bool:
    """Return whether no outage goes on, or its pause is over."""
    outage = outage_of(judge)
    return outage is None or outage.until <= timezone.now()


def calls_left(judge: Judge) -> int:
    """Return how many calls the judge's rate leaves for now; calls that try texts count too."""
    most: int = settings.JUDGE_CALLS_PER_MINUTE
    newest = JudgeCall.objects.filter(judge=judge).order_by("-pk").values_list("created_at", flat=True)
    begun = timezone.now() - timedelta(seconds=RATE_S)
    return most - sum(at > begun for at in newest[:most])
