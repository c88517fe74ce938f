"""Page actions of an episode, each with the moment of the recording that shows the page before it."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.behaviour.dom_replay import scenes
from trajectories.behaviour.dom_replay.css import Resolve
from trajectories.behaviour.dom_replay.placement import Moment, Reason, moment_in
from trajectories.behaviour.dom_replay.scenes import NoScene, Scene
from trajectories.behaviour.facts.page_actions import PageAction, SeenEvent, page_actions
from trajectories.models import PageEvent

# Those that make actions; only a program that drives a page reports more than a thousand.
KINDS = ("load", "click", "input", "key", "submit", "focus", "scroll")
EVENTS_READ = 5_000
# Just before the first event of the action.
BEFORE_MS = 1.0
# A page that was only opened is shown this long after its last event, unless something was done earlier.
REST_MS = 2_000.0
_COLUMNS = ("page", "seq", "kind", "at_ms", "data", "received_at")


def page_actions_of(episode_id: int) -> list[PageAction]:
    """The actions that the pages reported outside any step, in one query."""
    rows = PageEvent.objects.filter(episode_id=episode_id, step=None, kind__in=KINDS)
    values = rows.order_by("received_at", "page", "seq").values_list(*_COLUMNS)[:EVENTS_READ]
    return page_actions(
        SeenEvent(
            page=page,
            seq=seq,
            kind=kind,
            at_ms=at_ms,
            data=data if isinstance(data, dict) else {},
            received_ms=received_at.timestamp() * 1000,
        )
        for page, seq, kind, at_ms, data, received_at in values
    )


def scene_of(
    action: PageAction, actions: Sequence[PageAction], *, episode_id: int, resolve: Resolve
) -> Scene | NoScene:
    """The replay of an action, one of the episode's ``actions``: the page before it, and what it did."""
    moment = _moment(action, actions, episode_id)
    if isinstance(moment, str):
        return NoScene(reason=moment)
    return scenes.scene_at(moment, episode_id=episode_id, resolve=resolve)


def _moment(action: PageAction, actions: Sequence[PageAction], episode_id: int) -> Moment | Reason:
    if action.at_ms is None or action.until_ms is None:
        return "no_time"
    rest_ms = action.until_ms + REST_MS
    following = next((one for one in actions if one.number == action.number + 1), None)
    end_ms = rest_ms
    if following is not None and following.at_ms is not None:
        end_ms = max(action.at_ms, following.at_ms - BEFORE_MS)
    is_opening = action.kind in ("open", "navigate")
    at_ms = min(end_ms, rest_ms) if is_opening else action.at_ms - BEFORE_MS
    return moment_in(action.page, scenes.pieces_of(episode_id), at_ms=at_ms, until_ms=end_ms)
