"""The choice of steps to check by default, which is an even sample from each ended episode with a recording.

In an episode without steps, page actions are chosen instead; their pages are rendered but not compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from core.database.sql import Statement
from core.work import sweep
from palaestra.protocol.observations import MARKED_FORMATS
from trajectories.behaviour.facts.page_actions import read_page_actions
from trajectories.behaviour.fidelity.check import TRIES, VERSION, Reason, State
from trajectories.models import Episode, EpisodeFidelity, Fidelity, RecordingChunk, Step
from trajectories.models.fidelity import LEFT

# Seconds to wait after an episode's end, because pages send the last of a recording while they are being
# left, and harnesses send their last step after the answer.
SETTLE_S = 30
# A check in progress cannot take longer than this, as its job has a time limit.
UNDER_WAY_S = 60

AFTER = Statement(__file__, "after")
WAITING = Statement(
    __file__, "waiting", left=", ".join(f"'{reason}'" for reason in LEFT), waiting=Reason.WAITING
)
SETTLES_IN = Statement(__file__, "settles_in")
EXHAUSTED = Statement(__file__, "exhausted")


class Place(NamedTuple):
    """The key of a step's row in ``Fidelity``."""

    episode_id: int
    step: int


def spread(indexes: Sequence[int], *, most: int) -> list[int]:
    """Choose at most ``most`` of the indexes, evenly spaced, including the first and the last."""
    if len(indexes) <= most:
        return list(indexes)
    if most < 2:
        return list(indexes[:most])
    last = len(indexes) - 1
    return [indexes[round(place * last / (most - 1))] for place in range(most)]


def episodes_after(place: sweep.Place[int], age_s: float) -> list[sweep.Seen[int]]:
    """Return the next page of episodes that ended at least ``age_s`` seconds ago.

    An episode is due if it was recorded in full, and this version has not chosen its steps yet or chose them
    before the recording was complete.
    """
    rows = AFTER.rows(
        since=place.since, key=place.key, age=age_s, settle=SETTLE_S, version=VERSION, limit=sweep.PAGE
    )
    return [sweep.Seen(*row) for row in rows]


@transaction.atomic
def episode_choose(episode_id: int) -> list[int]:
    """Choose the steps of an ended episode, mark them as waiting and return them.

    Steps whose outcome is of another version, or from before the recording was complete, wait again.
    Otherwise a second call changes nothing.
    """
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
    """Mark steps as waiting for a check, unless they already have a row."""
    rows = [Fidelity(episode_id=episode_id, index=index, **_waiting()) for index in indexes]
    Fidelity.objects.bulk_create(rows, ignore_conflicts=True)


def step_wait_again(*, episode_id: int, index: int) -> None:
    """Mark a requested step as waiting, ahead of sampled steps.

    A step that is already waiting keeps its tries.
    """
    steps_wait(episode_id=episode_id, indexes=[index])
    mine = Fidelity.objects.filter(episode_id=episode_id, index=index)
    mine.exclude(reason=Reason.WAITING).update(**_waiting())
    mine.update(requested_at=Now())


def steps_waiting(*, limit: int) -> list[Place]:
    """List the waiting steps of ended episodes that are not being checked.

    Steps with the fewest tries come first, then the latest requests, then the newest episodes.
    """
    rows = WAITING.rows(tries=TRIES, under_way=UNDER_WAY_S, settle=SETTLE_S, limit=limit)
    return [Place(*row) for row in rows]


def still_waiting(places: Sequence[Place]) -> list[Place]:
    """Return the given steps whose check has not finished."""
    mine = Q(pk__in=[tuple(place) for place in places])
    return [
        Place(*pk) for pk in Fidelity.objects.filter(mine, reason=Reason.WAITING).values_list("pk", flat=True)
    ]


def fail_exhausted() -> int:
    """Mark steps as failed if their check killed its process on every try; return their number."""
    return EXHAUSTED.run(
        failed=State.FAILED,
        crashed=Reason.CRASHED,
        waiting=Reason.WAITING,
        tries=TRIES,
        under_way=UNDER_WAY_S,
    )


def settles_in(episode_id: int) -> float:
    """Return the seconds until the recording of an ended episode counts as complete; 0 if it already does."""
    (seconds,) = SETTLES_IN.row(settle=SETTLE_S, id=episode_id) or (0,)
    return max(0.0, float(seconds))


def problem_of(episode: Episode) -> str:
    """Return a sentence that gives the reason why no step of an episode can be chosen; empty if one can."""
    if not RecordingChunk.objects.filter(episode_id=episode.pk).exists():
        return f"None of its pages was recorded (recording: {episode.recording})."
    if not _shown(episode.pk).exists():
        return "None of its steps has a screenshot without marks."
    return "" if settings.FIDELITY_STEPS_MAX else "FIDELITY_STEPS_MAX is 0: --all or --step N checks steps."


def _chosen(episode_id: int) -> list[int]:
    if not RecordingChunk.objects.filter(episode_id=episode_id).exists():
        return []
    most = settings.FIDELITY_STEPS_MAX
    if not Step.objects.filter(episode_id=episode_id).exists():
        return spread([action.number for action in read_page_actions(episode_id)], most=most)
    shown = _shown(episode_id).order_by("index")
    return spread(list(shown.values_list("index", flat=True)), most=most)


def _shown(episode_id: int) -> QuerySet[Step]:
    """Return the steps with an unmarked screenshot, which a replay can match."""
    return Step.objects.filter(episode_id=episode_id).exclude(
        Q(screenshot="") | Q(observation_kind__in=MARKED_FORMATS)
    )


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
