"""Celery jobs of the media queue: what is made of blobs, and can be made again."""

from __future__ import annotations

import logging

from celery import shared_task
from kombu.exceptions import OperationalError as QueueUnreachable

from gymsite.core import thumbnails

logger = logging.getLogger(__name__)


@shared_task(name="media.thumbnail", ignore_result=True)
def thumbnail(*, sha256: str) -> None:
    thumbnails.thumbnail_make(sha256)


def thumbnail_ask(sha256: str) -> None:
    """Have a picture's thumbnail made. Without a queue there is none, and pages show the picture itself."""
    try:
        thumbnail.apply_async(kwargs={"sha256": sha256}, retry=False)
    except QueueUnreachable:
        logger.warning("the queue does not answer: blob %s gets no thumbnail", sha256)
