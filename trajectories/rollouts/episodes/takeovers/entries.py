"""The page on which a person begins, and how the page of a fork is restored there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from core.errors import GymError
from core.sql import Statement
from palaestra.protocol.action_results import CARRIED_OUT, UNDONE
from palaestra.protocol.actions import LOOKS
from palaestra.protocol.outline import PICTURE_LINE, PUBLIC_ROOT, STILL_LOADING
from tasks_app.worlds.evidence import PAGE_SERVED
from trajectories.models import Episode, Step
from trajectories.record.api.auth import Principal
from trajectories.record.hot_sql.takeovers import is_below
from trajectories.record.prompts.interface import setup_of
from trajectories.rollouts.episodes.forks import recipe
from trajectories.rollouts.episodes.forks.lineage import places_until, steps_held

IN_FLIGHT_MAX = 8
"""Maximum number of an agent's steps believed to be in flight."""
ACTED = Statement(__file__, "acted", page_served=PAGE_SERVED, in_flight_max=str(IN_FLIGHT_MAX))


class Visit(Struct, kw_only=True):
    """A document that is opened as it was at the event ``as_of``, and what is done on it again."""

    address: str
    as_of: int
    acts: list[dict[str, Any]]


class Entry(Struct, frozen=True, kw_only=True):
    """The start of a takeover: the address of a page below the first one.

    For a fork also the documents on the way there, and the outline sent to the agent (empty if it cannot be
    compared).
    """

    begins_after: int
    element_ids: str
    address: str = ""
    visits: Sequence[Visit] = ()
    expected: str = ""


def entry_of(episode: Episode, principal: Principal) -> Entry:
    """Return where the person begins; a fork in which nothing was done is restored, even if it was before."""
    if episode.parent_id is None:
        return _current(episode)
    try:
        restored = recipe.fork_restore(episode_id=episode.pk, principal=principal)
    except GymError as error:
        if error.code != "restored":
            raise
        return _current(episode)
    visits = list(_visits(restored.steps))
    return Entry(
        begins_after=restored.next_index - 1,
        element_ids=restored.element_ids,
        address=visits[0].address if visits else "",
        visits=visits,
        expected=_expected(episode) if visits else "",
    )


def _current(episode: Episode) -> Entry:
    """The last page of an episode that is played: what its agent had typed and not sent is not there."""
    index, path = ACTED.row(episode=episode.pk) or (episode.begins_after, None)
    steps = places_until(episode.pk, index)
    url = steps[-1].url if steps else ""
    return Entry(
        begins_after=index,
        element_ids=" ".join(step.element_ids for step in steps if step.element_ids),
        address=address_of(url, path or ""),
    )


def _visits(steps: Sequence[recipe.PastAct]) -> Iterator[Visit]:
    """The last document that the parent was served, after those on which something was done that the tab
    remembers: what was typed, and which parts were opened or closed."""
    visits: list[Visit] = []
    for act in steps:
        done = _done(act)
        if visits:
            # The last action of a step in which a document came is what led to it.
            visits[-1].acts += done[:-1] if act.served else done
        if act.served:
            document = act.served[-1]
            visits.append(Visit(address=address_of(act.url, document.path), as_of=document.seq, acts=[]))
    for visit in visits[:-1]:
        if any(one.get("type") not in LOOKS for one in visit.acts):
            yield visit
    yield from visits[-1:]


def _done(act: recipe.PastAct) -> list[dict[str, Any]]:
    """The actions of a step that were carried out."""
    if act.action is None:
        return []
    if parts := act.action.get("actions"):
        carried_out = CARRIED_OUT.match(act.result_message or "")
        return list(parts[: int(carried_out[1])] if carried_out else parts)
    return [] if act.action_result in UNDONE else [act.action]


def _expected(episode: Episode) -> str:
    """Return the outline sent to the agent, without what it says of its picture.

    Empty if it is not on record, or the page had not been complete.
    """
    holder, index = next(
        (
            held
            for held in reversed(steps_held(episode.parent_id or 0))
            if held[1] == episode.begins_after + 1
        ),
        (0, 0),
    )
    row = Step.objects.filter(episode_id=holder, index=index).values_list("observation_text", flat=True)
    head, *lines = (row.first() or "").split("\n")
    form = setup_of(episode.run, arm=episode.arm, channel=episode.answer_channel).observation
    if form.has_screenshot and lines and lines[0].startswith(PICTURE_LINE):
        del lines[0]
    return "" if lines[-1:] == [STILL_LOADING] else "\n".join([head, *lines])


def address_of(url: str, path: str) -> str:
    """The address, below the episode's first page, of the document at ``path``: with the query of ``url``, as
    it is shown to models, if that is of this document; empty where it could lead elsewhere."""
    shown = url.removeprefix(PUBLIC_ROOT) if url.startswith(PUBLIC_ROOT) else ""
    is_same = shown.partition("?")[0].partition("#")[0] == path
    address = shown if is_same else path
    return address if is_below(address) else ""
