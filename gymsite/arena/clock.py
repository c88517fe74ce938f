"""The virtual clock: time advances with site events, never with the wall clock."""

from __future__ import annotations

from datetime import datetime, timedelta

TICK = timedelta(seconds=30)


def virtual_now(*, start: datetime, site_events: int) -> datetime:
    """Return the episode's time after that many site events; equal for equal histories."""
    return start + site_events * TICK
