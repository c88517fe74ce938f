"""What a page of an episode says while it follows it."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from trajectories.models import Episode
from trajectories.replay.selectors import calls, episodes, steps


def seen_of(episode: Episode) -> str:
    """What has to differ for the page to be worth drawing again."""
    last, number = steps.steps_mark(episode_id=episode.pk)
    return _seen(episode, last=last, number=number)


def news_of(episode: Episode) -> dict[str, Any]:
    """``seen`` is read before all else: what comes meanwhile is then asked for again."""
    last, number = steps.steps_mark(episode_id=episode.pk)
    return {
        "episode": episode,
        "seen": _seen(episode, last=last, number=number),
        "start": steps.first_index(episode_id=episode.pk) or 0,
        "last": last,
        "live_state": episodes.live_state(episode, now=timezone.now()),
        "socket": f"/ws/episodes/{episode.pk}/",
    }


def _seen(episode: Episode, *, last: int, number: int) -> str:
    state = episodes.live_state(episode, now=timezone.now())
    verdict = episode.verdict_id or ""
    return f"{episode.status}-{last}-{number}-{verdict}-{state}{calls.calls_mark(episode)}"
