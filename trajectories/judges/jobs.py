"""The Celery job in which a judge grades episodes of runs that name it, and the sweep that sends the job."""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings

from core.errors import GymError
from core.work import jobs, queues
from core.work.sweep import Place, Seen, Walk
from trajectories.behaviour.facts.store import SETTLE_S
from trajectories.judges import background
from trajectories.judges.background import may_be_called
from trajectories.judges.services import body_of
from trajectories.models import Judge
from trajectories.record.chores.walks import walks

logger = logging.getLogger(__name__)

SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300
BATCH = 500


@shared_task(
    name="judges.episodes", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
)
def episodes(*, judge_id: int, episode_ids: list[int]) -> None:
    # Imported here, so that only the worker that needs these modules loads them.
    from trajectories.annotation.machines.endpoint import JudgeUnreachable
    from trajectories.judges.background import episodes_grade

    judge = Judge.objects.get(pk=judge_id)
    try:
        episodes_grade(judge, episode_ids)
    except JudgeUnreachable as error:
        # The stored calls record the failure too and determine when to try again.
        logger.warning("judge %s: %s", judge.name, error.message)


class JudgesSweep:
    """The sweep that sends episodes to the judges that their runs' reward profiles name.

    Each judge has its own walks, so that a judge whose endpoint is down does not delay the others.
    """

    def __init__(self) -> None:
        self._runs: dict[str, list[int]] = {}
        self._walks: dict[int, list[Walk[int]]] = {}
        self._refused: set[int] = set()

    def __call__(self) -> int:
        """Send episodes to be graded, and return their number.

        Nothing is sent while the queue holds jobs, since those may be for the same episodes.
        """
        if settings.JUDGE_CALLS_PER_MINUTE == 0 or jobs.queue_length(queues.JUDGES) != 0:
            return 0
        return self.advance()

    def advance(self) -> int:
        self._runs = background.runs_of_judges()
        judges = Judge.objects.filter(name__in=self._runs).order_by("pk")
        return sum(self._send(judge) for judge in judges if self._is_able(judge))

    def _is_able(self, judge: Judge) -> bool:
        try:
            body_of(judge)
        except GymError as error:
            if judge.pk not in self._refused:
                logger.warning("judge %s grades no run: %s", judge.name, error.message)
                self._refused.add(judge.pk)
            return False
        return True

    def _send(self, judge: Judge) -> int:
        if judge.pk not in self._walks:
            self._walks[judge.pk] = self._walks_of(judge)
        due = dict.fromkeys(key for walk in self._walks[judge.pk] for key in walk.due())
        batch = list(due)[:BATCH]
        if not batch or not may_be_called(judge):
            return 0
        is_sent = jobs.job_send(episodes, queues.JUDGES, judge_id=judge.pk, episode_ids=batch)
        return len(batch) if is_sent else 0

    def _walks_of(self, judge: Judge) -> list[Walk[int]]:
        def read(place: Place[int], age_s: float) -> list[Seen[int]]:
            return background.episodes_after(judge, self._runs.get(judge.name, []), place, age_s)

        return walks(
            f"judge/{judge.name}",
            version=int(judge.sha256[:7], 16),
            lowest=0,
            read=read,
            fresh_s=(SETTLE_S,),
            settled_s=settings.STEP_GRACE_S,
        )
