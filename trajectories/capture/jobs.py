"""Celery jobs of the media queue: what is found in screenshots, and can be found again."""

from __future__ import annotations

import logging

from celery import shared_task
from kombu.exceptions import OperationalError as QueueUnreachable

from trajectories.capture import pictures

logger = logging.getLogger(__name__)

MEDIA_QUEUE = "media"
# A picture that takes longer was made to: the first limit ends the work on it, the second its process.
SOFT_LIMIT_S = 20
HARD_LIMIT_S = 30


@shared_task(name="media.picture", ignore_result=True, soft_time_limit=SOFT_LIMIT_S, time_limit=HARD_LIMIT_S)
def picture(*, sha256: str) -> None:
    try:
        pictures.picture_note(sha256)
    except Exception:
        # Either it is noted as unreadable already, or the sweeper sends it again.
        logger.exception("picture %s could not be looked at", sha256)


def picture_ask(sha256: str) -> bool:
    """Have a picture looked at; False without a queue: the sweeper asks again, and until then pages show the
    picture itself."""
    try:
        picture.apply_async(kwargs={"sha256": sha256}, retry=False)
    except QueueUnreachable:
        logger.warning("the queue does not answer: picture %s is looked at later", sha256)
        return False
    return True
