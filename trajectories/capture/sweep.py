"""Sends new screenshots to the media queue."""

from __future__ import annotations

from core.sweep import Sweep
from trajectories.capture import jobs, pictures

BATCH = 500


def picture_sweep() -> Sweep[str]:
    return Sweep(
        due=lambda since, _: pictures.pictures_due(since=since, limit=BATCH),
        send=lambda hashes: [sha256 for sha256 in hashes if jobs.picture_send(sha256)],
        settle_s=0,
    )
