"""Processing of screenshots: the job for one screenshot, and the sweep that sends the ones that are due."""

from __future__ import annotations

import logging

from celery import shared_task

from core.work import jobs, queues
from core.work.sweep import Sweep
from trajectories.record.capture import pictures
from trajectories.record.chores.walks import walks

logger = logging.getLogger(__name__)

# Only a malicious picture takes longer. The soft limit ends the work on it, the hard limit its process.
SOFT_LIMIT_S = 20
HARD_LIMIT_S = 30
# Raise this when a picture is to be analysed differently: the walks then go through all pictures again.
VERSION = 1


@shared_task(name="media.picture", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def picture(*, sha256: str) -> None:
    try:
        pictures.picture_note(sha256)
    except Exception:
        # The picture is either marked as unreadable already, or the sweeper sends it again.
        logger.exception("picture %s could not be processed", sha256)


def picture_sweep() -> Sweep[str]:
    return Sweep(
        queue=queues.PICTURES,
        walks=walks(
            "pictures", version=VERSION, lowest="", read=pictures.pictures_after, fresh_s=(0,), settled_s=0
        ),
        send=lambda hashes: [
            sha256 for sha256 in hashes if jobs.job_send(picture, queues.PICTURES, sha256=sha256)
        ],
    )
