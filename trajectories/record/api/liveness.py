"""Heartbeats sent with a key, which keep alive only active episodes that it may see."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from core.errors import GymError
from trajectories.models import Episode
from trajectories.record import heartbeats, projects
from trajectories.record.api.auth import Principal


def episodes_beat(ids: Sequence[int], *, principal: Principal) -> list[int]:
    """Renew the leases of episodes; returns those that have ended, do not exist, or are hidden from the key.

    Redis knows the others for the length of a lease, so Postgres is asked about an episode once in a lease.
    ``GymError`` 429 ``too_many_lookups``, 503 without Redis.
    """
    project = principal.project or ""
    beaten = heartbeats.beat(ids, project=project, splits=principal.splits)
    if not beaten.unknown:
        return beaten.gone
    _lookups_check(len(beaten.unknown), principal=principal)
    active = projects.visible(Episode.objects.filter(pk__in=beaten.unknown, verdict=None), principal)
    heartbeats.active_note(dict(active.values_list("pk", "task__split")), project=project)
    again = heartbeats.beat(beaten.unknown, project=project, splits=principal.splits)
    return sorted([*beaten.gone, *again.gone, *again.unknown])


def _lookups_check(count: int, *, principal: Principal) -> None:
    """Refuse a key that sends more unknown episodes than can be active: it is guessing."""
    limit = settings.ACTIVE_EPISODES_MAX
    if heartbeats.lookups_count(principal.key_id, count) > limit:
        message = (
            f"This key has sent heartbeats of more than {limit:,} episodes within a minute that are not known"
            " to be active: send those of active episodes only."
        )
        raise GymError("too_many_lookups", message, status=429, retry_after_s=heartbeats.LOOKUPS_S)
