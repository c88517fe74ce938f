"""What a page of an episode says while it follows it."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from trajectories.lab.queries import episodes, programs, step_gaps, steps
from trajectories.lab.queries.episodes import LiveState
from trajectories.lab.queries.updates import Mark, episode_mark
from trajectories.models import Episode

# Said in the bar in place of "Live", with what the page waits for: what has its verdict is live no more.
JUDGED = "Judged"
STEPS_TO_COME = "Waits up to {} s for a last step: the client has not closed the episode"
MEASURES_TO_COME = "Closed: its measures come within seconds"


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
        "number": mark.number,
        "gaps": step_gaps.gaps_of(episode_id=episode.pk, last=mark.last, number=mark.number),
        "measured": _measured(mark),
        "live_state": state,
        "live_still": JUDGED if state == LiveState.ENDING else "",
        "live_why": _why(episode, state),
        "socket": f"/ws/episodes/{episode.pk}/",
    }


def _state(episode: Episode, mark: Mark) -> LiveState:
    is_measured = mark.measured_at is not None
    return episodes.live_state(episode, is_measured=is_measured, now=timezone.now())


def _why(episode: Episode, state: LiveState) -> str:
    if state != LiveState.ENDING:
        return ""
    if episode.closed_at:
        return MEASURES_TO_COME
    return STEPS_TO_COME.format(round(episodes.watched().total_seconds()))


def _measured(mark: Mark) -> str:
    return str(mark.measured_at.timestamp()) if mark.measured_at else ""


def _seen(episode: Episode, mark: Mark, *, state: LiveState) -> str:
    verdict = episode.verdict_id or ""
    ending = f"{verdict}-{state}-{'closed' if episode.closed_at else ''}"
    marks = f"{mark.last}-{mark.number}-{ending}-{_measured(mark)}"
    return f"{episode.status}-{marks}{programs.calls_mark(episode)}"
