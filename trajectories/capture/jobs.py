"""Celery jobs of the media queue: what is found in screenshots, and can be found again."""

from __future__ import annotations

import logging

from celery import shared_task

from core import jobs, queues
from trajectories.capture import pictures

logger = logging.getLogger(__name__)

# A picture that takes longer was made to: the first limit ends the work on it, the second its process.
SOFT_LIMIT_S = 20
HARD_LIMIT_S = 30


@shared_task(
    name="media.picture",
    ignore_result=True,
    soft_time_limit=SOFT_LIMIT_S,
    time_limit=HARD_LIMIT_S,
)
def picture(*, sha256: str) -> None:
    try:
        pictures.picture_note(sha256)
    except Exception:
        # Either it is noted as unreadable already, or the sweeper sends it again.
        logger.exception("picture %s could not be looked at", sha256)


def picture_send(sha256: str) -> bool:
    """Have a picture looked at; False without a queue: the sweeper asks again, and until then pages show the
    picture itself."""
    return jobs.job_send(picture, queues.MEDIA, sha256=sha256)
