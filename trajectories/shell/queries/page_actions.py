"""Data about page actions that the page of an episode without a harness shows beside them."""

from __future__ import annotations

from trajectories.behaviour.facts.page_actions import PageAction
from trajectories.models import Fidelity, PageEvent
from trajectories.shell.queries import prunings


def events_of(episode_id: int, action: PageAction) -> list[PageEvent]:
    """The events that an action was made from."""
    rows = PageEvent.objects.filter(episode_id=episode_id, page=action.page, seq__in=action.seqs)
    return list(rows.order_by("seq"))


def pictures_of(episode_id: int) -> dict[int, str]:
    """The pictures that were drawn from the recording, by the number of the action, unless pruned."""
    rows = Fidelity.objects.filter(episode_id=episode_id).exclude(replay="").values_list("index", "replay")
    drawn = dict(rows)
    return {} if drawn and prunings.pruning_of(episode_id) else drawn
