"""What was done on the pages of an episode without a harness, and how much of the step budget it used."""

from __future__ import annotations

from trajectories.facts.page_actions import PageAction, SeenEvent, page_actions
from trajectories.models import PageEvent

# Those that make actions; a page reports more than a thousand only where a program drives it.
KINDS = ("load", "click", "input", "key", "submit", "focus", "scroll")
EVENTS_READ = 5_000
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


def events_of(episode_id: int, action: PageAction) -> list[PageEvent]:
    """The events that an action was made from."""
    rows = PageEvent.objects.filter(episode_id=episode_id, page=action.page, seq__in=action.seqs)
    return list(rows.order_by("seq"))
