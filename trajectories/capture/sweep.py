"""What the sweeper does for the media queue: sends the pictures that nobody has looked at."""

from __future__ import annotations

import logging

from core import queues
from core.jobs import queue_length
from trajectories.capture import jobs, pictures

logger = logging.getLogger(__name__)

BATCH = 500


class PictureSweep:
    """Asks for pictures without a row, and remembers up to when all have one, so that each sweep is short.

    Nothing is sent while the queue holds anything: what it holds is as likely among those that are due.
    """

    def __init__(self) -> None:
        self._since = pictures.BEGINNING

    def __call__(self) -> int:
        """How many were sent."""
        if queue_length(queues.MEDIA) != 0:
            return 0
        settled = pictures.settled_until()
        due = pictures.pictures_due(since=self._since, limit=BATCH)
        self._since = max(self._since, due[0].since if due else settled)
        return sum(jobs.picture_ask(one.sha256) for one in due)
