"""Which steps are checked without anybody asking: of each ended episode with a recording, evenly spread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now

from core.sweep import Due
from trajectories.fidelity.check import TRIES, VERSION, Reason, State
from trajectories.models import Episode, EpisodeFidelity, Fidelity, RecordingChunk, Step
from trajectories.models.fidelity import LEFT

# Pages send the end of their recording while they are left, and harnesses their last step after the answer.
SETTLE_S = 30
# A check under way has ended by then, whatever it draws.
UNDER_WAY_S = 60

_DUE = """
SELECT e.finished_at, e.id FROM trajectories_episode e
LEFT JOIN trajectories_episodefidelity f ON f.episode_id = e.id
WHERE e.finished_at >= %(since)s AND e.finished_at < now() - make_interval(secs => %(settle)s)
    AND e.recording = 'full' AND (f.episode_id IS NULL OR f.version < %(version)s
        OR f.chosen_at < e.finished_at + make_interval(secs => %(settle)s))
ORDER BY e.finished_at, e.id LIMIT %(limit)s"""

# The reasons stand in the text as in the index: given apart, they would not be known to be those.
_WAITING = f"""
SELECT f.episode_id, f.index FROM trajectories_fidelity f JOIN trajectories_episode e ON e.id = f.episode_id
WHERE f.reason IN ({", ".join(f"'{reason}'" for reason in LEFT)}) AND f.tries < %(tries)s
    AND (f.tries = 0 AND f.reason = '{Reason.WAITING}'
        OR f.checked_at < now() - make_interval(secs => %(under_way)s))
    AND e.finished_at < now() - make_interval(secs => %(settle)s)
ORDER BY f.tries, f.asked_at DESC NULLS LAST, f.episode_id DESC, f.index LIMIT %(limit)s"""  # noqa: S608

_SETTLES_IN = """
SELECT extract(epoch FROM e.finished_at - now()) + %(settle)s
FROM trajectories_episode e WHERE e.id = %(id)s"""


class Place(NamedTuple):
    """A step: the key of its row."""

    episode_id: int
    step: int


def spread(indexes: Sequence[int], *, most: int) -> list[int]:
    """At most ``most`` of them, first and last among them, at even distances."""
    if len(indexes) <= most:
        return list(indexes)
    if most < 2:
        return list(indexes[:most])
    last = len(indexes) - 1
    return [indexes[round(place * last / (most - 1))] for place in range(most)]


def episodes_due(*, since: datetime, limit: int) -> list[Due[int]]:
    """Ended episodes recorded in full, the first first, of which this version has chosen no steps yet, or did
    before their recording was whole."""
    parameters: dict[str, Any] = {"since": since, "settle": SETTLE_S, "version": VERSION, "limit": limit}
    with connection.cursor() as cursor:
        cursor.execute(_DUE, parameters)
        return [Due(*row) for row in cursor.fetchall()]


@transaction.atomic
def episode_choose(episode_id: int) -> list[int]:
    """Choose the steps of an episode that has ended and have them wait; returns them. What another version
    found waits again, as does what was found before the recording was whole; else a second time changes
    nothing."""
    chosen = _chosen(episode_id)
    steps_wait(episode_id=episode_id, indexes=chosen)
    stale = ~Q(version=VERSION)
    ended = Episode.objects.values_list("finished_at", flat=True).get(pk=episode_id)
    if ended:
        stale |= Q(checked_at__lt=ended + timedelta(seconds=SETTLE_S))
    Fidelity.objects.filter(stale, episode_id=episode_id).update(**_waiting())
    EpisodeFidelity.objects.update_or_create(
        episode_id=episode_id, defaults={"version": VERSION, "steps": len(chosen), "chosen_at": Now()}
    )
    return chosen


def steps_wait(*, episode_id: int, indexes: Sequence[int]) -> None:
    """Have steps wait for a check that were never checked."""
    rows = [Fidelity(episode_id=episode_id, index=index, **_waiting()) for index in indexes]
    Fidelity.objects.bulk_create(rows, ignore_conflicts=True)


def step_wait_again(*, episode_id: int, index: int) -> None:
    """Have one step wait for a check before those that nobody asked for; one that waits keeps its tries."""
    steps_wait(episode_id=episode_id, indexes=[index])
    mine = Fidelity.objects.filter(episode_id=episode_id, index=index)
    mine.exclude(reason=Reason.WAITING).update(**_waiting())
    mine.update(asked_at=Now())


def steps_waiting(*, limit: int) -> list[Place]:
    """Steps of ended episodes that wait and that nobody looks at: what people asked for last comes first,
    then those of the newest episodes."""
    parameters = {"tries": TRIES, "under_way": UNDER_WAY_S, "settle": SETTLE_S, "limit": limit}
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, parameters)
        return [Place(*row) for row in cursor.fetchall()]


def still_waiting(places: Sequence[Place]) -> list[Place]:
    """Those of the steps that nobody has finished."""
    mine = Q(pk__in=[tuple(place) for place in places])
    return [
        Place(*pk) for pk in Fidelity.objects.filter(mine, reason=Reason.WAITING).values_list("pk", flat=True)
    ]


def exhausted_fail() -> int:
    """Give up steps whose check ended its process every time; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE trajectories_fidelity SET state = %s, reason = %s WHERE reason = %s AND tries >= %s"
            " AND checked_at < now() - make_interval(secs => %s)",
            [State.FAILED, Reason.CRASHED, Reason.WAITING, TRIES, UNDER_WAY_S],
        )
        return int(cursor.rowcount)


def settles_in(episode_id: int) -> float:
    """Seconds until the recording of an ended episode is whole; 0 when it is."""
    with connection.cursor() as cursor:
        cursor.execute(_SETTLES_IN, {"settle": SETTLE_S, "id": episode_id})
        (left,) = cursor.fetchone() or (0,)
    return max(0.0, float(left))


def problem_of(episode: Episode) -> str:
    """Why no step of an episode can be chosen, in a sentence; empty where one can."""
    if not RecordingChunk.objects.filter(episode_id=episode.pk).exists():
        return f"Nothing of its pages was recorded (recording: {episode.recording})."
    if not Step.objects.filter(episode_id=episode.pk).exclude(screenshot="").exists():
        return "None of its steps has a screenshot."
    return "" if settings.FIDELITY_STEPS_MAX else "FIDELITY_STEPS_MAX is 0: --all or --step N checks steps."


def _chosen(episode_id: int) -> list[int]:
    if not RecordingChunk.objects.filter(episode_id=episode_id).exists():
        return []
    shown = Step.objects.filter(episode_id=episode_id).exclude(screenshot="").order_by("index")
    return spread(list(shown.values_list("index", flat=True)), most=settings.FIDELITY_STEPS_MAX)


def _waiting() -> dict[str, object]:
    return {
        "state": State.NOT_CHECKED,
        "reason": Reason.WAITING,
        "changed_share": None,
        "phash_distance": None,
        "replay": "",
        "difference": "",
        "version": VERSION,
        "tries": 0,
        "checked_at": Now(),
    }
