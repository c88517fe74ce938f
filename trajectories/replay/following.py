"""What a page of an episode says while it follows it."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from trajectories.models import Episode
from trajectories.replay.selectors import calls, episodes, steps
from trajectories.replay.selectors.episodes import LiveState
from trajectories.replay.selectors.following import Mark, episode_mark

# Said in the bar in place of "Live": an episode that has its verdict is live no more.
STEPS_TO_COME = "Judged, its last step may come"
MEASURES_TO_COME = "Judged, its measures are to come"


def seen_of(episode: Episode) -> str:
    """What has to differ for the page to be worth drawing again."""
    mark = episode_mark(episode)
    return _seen(episode, mark, state=_state(episode, mark))


def news_of(episode: Episode) -> dict[str, Any]:
    """``seen`` is read before all else: what comes meanwhile is then asked for again."""
    mark = episode_mark(episode)
    state = _state(episode, mark)
    return {
        "episode": episode,
        "seen": _seen(episode, mark, state=state),
        "start": steps.first_index(episode_id=episode.pk) or 0,
        "last": mark.last,
        "measured": _measured(mark),
        "live_state": state,
        "live_still": _still(episode, state),
        "socket": f"/ws/episodes/{episode.pk}/",
    }


def _state(episode: Episode, mark: Mark) -> LiveState:
    is_measured = mark.measured_at is not None
    return episodes.live_state(episode, is_measured=is_measured, now=timezone.now())


def _still(episode: Episode, state: LiveState) -> str:
    if state != LiveState.ENDING:
        return ""
    return MEASURES_TO_COME if episode.closed_at else STEPS_TO_COME


def _measured(mark: Mark) -> str:
    return str(mark.measured_at.timestamp()) if mark.measured_at else ""


def _seen(episode: Episode, mark: Mark, *, state: LiveState) -> str:
    verdict = episode.verdict_id or ""
    marks = f"{mark.last}-{mark.number}-{verdict}-{state}-{_measured(mark)}"
    return f"{episode.status}-{marks}{calls.calls_mark(episode)}"
