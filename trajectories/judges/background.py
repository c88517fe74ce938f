"""Background grading of episodes as they end, in runs whose reward profiles name a judge."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import httpx
from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from core.database.sql import Statement
from core.work.sweep import PAGE, Place, Seen
from palaestra.protocol.outcomes import JUDGED
from trajectories.annotation.machines.endpoint import Endpoint
from trajectories.annotation.machines.services import key_read
from trajectories.judges.calls import caller
from trajectories.judges.services import (
    Tally,
    batch_judge,
    body_of,
    episodes_due,
    grades_store,
    judging_calls,
    list_answered_calls,
    list_unanswered_calls,
    source_of,
)
from trajectories.judges.types import JudgeBody
from trajectories.models import Judge, JudgeCall, RewardProfile, Run
from trajectories.rewards.profiles.judge_terms import list_named_judges
from trajectories.rewards.profiles.parser import profile_of
from trajectories.rewards.profiles.store import SETTING, format_reference

RATE_S = 60.0
# In a job, no batch begins later than this, and no batch takes longer than ``BATCH_S``.
WORK_S = 60.0
BATCH_S = 120.0
# An episode is void after this many batches in which it got no answer but others did.
TRIES = 5

PAUSE_S, PAUSE_MAX_S = 60.0, 900.0


@dataclass(frozen=True, kw_only=True)
class Outage:
    """An outage: the endpoint has answered nothing ``since`` a time, and is tried again at ``until``."""

    since: datetime
    until: datetime
    problem: str


def find_outage(judge: Judge) -> Outage | None:
    """Return the current outage, if any.

    The pause before the next try is as long as the outage has lasted, within one to fifteen minutes.
    """
    last, answered = (
        judging_calls(judge).order_by("-pk").first(),
        list_answered_calls(judge).order_by("-pk").first(),
    )
    # All calls of a batch have the same time, and an answer to any of them means that the endpoint works.
    if last is None or (answered and answered.created_at == last.created_at):
        return None
    silent = list_unanswered_calls(judge).filter(pk__gt=answered.pk if answered else 0)
    since = silent.aggregate(at=Min("created_at"))["at"]
    lasted = (last.created_at - since).total_seconds()
    pause = timedelta(seconds=min(max(lasted, PAUSE_S), PAUSE_MAX_S))
    return Outage(since=since, until=last.created_at + pause, problem=last.problem)


def may_be_called(judge: Judge) -> bool:
    """Return whether there is no outage, or its pause has ended."""
    outage = find_outage(judge)
    return outage is None or outage.until <= timezone.now()


def calls_left(judge: Judge) -> int:
    """Return how many calls the judge's rate limit allows now; calls that test attack texts count too."""
    most: int = settings.JUDGE_CALLS_PER_MINUTE
    newest = JudgeCall.objects.filter(judge=judge).order_by("-pk").values_list("created_at", flat=True)
    begun = timezone.now() - timedelta(seconds=RATE_S)
    return most - sum(at > begun for at in newest[:most])


@contextmanager
def endpoint_open(judge: Judge, key_env: str = "", **options: Any) -> Iterator[Endpoint]:
    """Open the judge's endpoint with the key in the environment variable ``key_env`` or, failing that, its
    key in ``JUDGE_KEYS``.

    There may be no key. Raises ``GymError`` ``no_key`` (422) if the named variable is not set.
    """
    key = key_read(key_env) or settings.JUDGE_KEYS.get(judge.name, "")
    with httpx.Client() as client:
        yield Endpoint(url=judge.body["url"], model=judge.body["model"], key=key, client=client, **options)


AFTER = Statement(__file__, "after")


def runs_of_judges() -> dict[str, list[int]]:
    """Return, by judge name, the runs whose reward profile names the judge."""
    judges = {format_reference(name, sha256): _list_judges(sha256) for name, sha256 in _read_profiles()}
    references = [reference for reference, names in judges.items() if names]
    if not references:
        return {}
    by_judge: dict[str, list[int]] = {}
    runs = Run.objects.filter(**{f"settings__{SETTING}__in": references})
    for run, reference in runs.values_list("pk", f"settings__{SETTING}"):
        for judge in judges[reference]:
            by_judge.setdefault(judge, []).append(run)
    return by_judge


def _read_profiles() -> set[tuple[str, str]]:
    """Return the names and hashes of all projects' profiles; runs refer to a profile by both."""
    return set(RewardProfile.objects.values_list("name", "sha256"))


@cache
def _list_judges(sha256: str) -> frozenset[str]:
    """Return the judges that a stored profile names.

    The result is cached, since a hash always has the same content.
    """
    body = RewardProfile.objects.filter(sha256=sha256).values_list("body", flat=True)[0]
    return frozenset(judge for judge, _ in list_named_judges(profile_of(body)))


def episodes_after(judge: Judge, runs: Sequence[int], place: Place[int], age_s: float) -> list[Seen[int]]:
    """Return the next page of episodes that were judged at least ``age_s`` ago.

    Those of the given runs that the judge has not graded are due.
    """
    rows = AFTER.rows(
        since=place.since,
        key=place.key,
        age=age_s,
        limit=PAGE,
        runs=list(runs),
        judged=list(JUDGED),
        source=source_of(judge).pk,
    )
    return [Seen(*row) for row in rows]


def episodes_grade(judge: Judge, episode_ids: Sequence[int]) -> Tally:
    """Grade the episodes that are due, as far as time and the judge's rate limit allow.

    Episodes to which the endpoint gave no answer within the last minute wait. Raises ``JudgeUnreachable`` if
    the endpoint answers no call of a batch.
    """
    body, tally = body_of(judge), Tally()
    outage = find_outage(judge)
    if outage is not None and outage.until > timezone.now():
        return tally
    at_once: int = settings.JUDGE_CALLS_AT_ONCE
    rounds = -(-len(body.criteria) // at_once)
    timeout_s = min(settings.JUDGE_TIMEOUT_S, BATCH_S / rounds)
    due, full = _due(judge, body, episode_ids, tally), max(at_once // len(body.criteria), 1)
    # During an outage, a single episode is enough to test whether it has ended.
    most = 1 if outage else full
    until = time.monotonic() + WORK_S
    with (
        endpoint_open(judge, tries=1, timeout_s=timeout_s) as endpoint,
        caller(judge, body, endpoint, at_once=at_once) as grader,
    ):
        while due and time.monotonic() < until and (size := min(most, _room(judge, body))):
            batch_judge(grader, due[:size], tally, is_patient=True)
            due, most = due[size:], full
    return tally


def _due(judge: Judge, body: JudgeBody, episode_ids: Sequence[int], tally: Tally) -> list[int]:
    """Return the due episodes, least tried first, without those that must wait or are given up.

    The order keeps an episode that is never answered from looking like an outage. Episodes that have been
    tried ``TRIES`` times are given up: their grades so far are stored, and missing ones are void.
    """
    due = set(episodes_due(judge, runs=()).filter(pk__in=episode_ids).values_list("pk", flat=True))
    tries = _tries(judge, due)
    answered = _list_answer_times(judge, {at for times in tries.values() for at in times})
    over = {episode for episode, times in tries.items() if len(times & answered) >= TRIES}
    grades_store(judge, body, {one: _given(judge, one) for one in sorted(over)}, tally)
    moment = timezone.now() - timedelta(seconds=RATE_S)
    waiting = {episode for episode, times in tries.items() if max(times) > moment}
    return sorted(due - over - waiting, key=lambda one: (len(tries.get(one, ())), one))


def _tries(judge: Judge, episodes: Collection[int]) -> dict[int, set[datetime]]:
    """Return, by episode, the times of the batches in which calls about it were not answered."""
    calls = list_unanswered_calls(judge).filter(episode_id__in=episodes)
    times: dict[int, set[datetime]] = {}
    for episode, at in calls.values_list("episode_id", "created_at"):
        times.setdefault(episode, set()).add(at)
    return times


def _list_answer_times(judge: Judge, times: Collection[datetime]) -> set[datetime]:
    """Return those of the times at which some call was answered, so that the endpoint was not down."""
    return set(list_answered_calls(judge).filter(created_at__in=times).values_list("created_at", flat=True))


def _given(judge: Judge, episode: int) -> dict[str, str]:
    """Return the episode's newest grade in each criterion that has one."""
    calls = judging_calls(judge).filter(episode_id=episode).exclude(grade="").order_by("pk")
    return dict(calls.values_list("criterion", "grade"))


def _room(judge: Judge, body: JudgeBody) -> int:
    """Return how many episodes the judge's rate limit allows now.

    After a minute without calls, it is at least one, whatever the limit.
    """
    left = calls_left(judge)
    return left // len(body.criteria) or int(0 < left == settings.JUDGE_CALLS_PER_MINUTE)
