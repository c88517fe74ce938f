"""Screenshots in the media queue: the job, and the sweep that sends those that are due."""

from __future__ import annotations

import logging

from celery import shared_task

from core import jobs, queues
from core.sweep import Sweep
from trajectories.capture import pictures

logger = logging.getLogger(__name__)

# Only a malicious picture takes longer: the first limit ends the work on it, the second its process.
SOFT_LIMIT_S = 20
HARD_LIMIT_S = 30
BATCH = 500


@shared_task(name="media.picture", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def picture(*, sha256: str) -> None:
    try:
        pictures.picture_note(sha256)
    except Exception:
        # It is either marked as unreadable already, or the sweeper sends it again.
        logger.exception("picture %s could not be processed", sha256)


def picture_send(sha256: str) -> bool:
    """Queue a picture for processing; False without a queue. The sweeper sends it again, and until then pages
    show the full picture."""
    return jobs.job_send(picture, queues.MEDIA, sha256=sha256)


def picture_sweep() -> Sweep[str]:
    return Sweep(
        queue=queues.MEDIA,
        due=lambda since, _: pictures.pictures_due(since=since, limit=BATCH),
        send=lambda hashes: [sha256 for sha256 in hashes if picture_send(sha256)],
        settle_s=0,
    )
