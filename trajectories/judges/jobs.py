"""Celery job: grading episodes of runs that judges pay."""

from __future__ import annotations

import logging

from celery import shared_task

from trajectories.models import Judge

logger = logging.getLogger(__name__)

SOFT_LIMIT_S = 240
HARD_LIMIT_S = 300


@shared_task(
    name="judges.episodes", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S
)
def episodes(*, judge_id: int, episode_ids: list[int]) -> None:
    # Loaded by the one worker that needs it.
    from trajectories.annotation.machines.endpoint import JudgeUnreachable
    from trajectories.judges.background import episodes_grade

    judge = Judge.objects.get(pk=judge_id)
    try:
        episodes_grade(judge, episode_ids)
    except JudgeUnreachable as error:
        # The calls say so too, and when it may be tried again follows from them.
        logger.warning("judge %s: %s", judge.name, error.message)
