"""The documents on the way to a fork's page: which of them are opened again, and which stay blank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote, urlsplit

from palaestra.actions import Action
from palaestra.protocol.action_results import CARRIED_OUT, UNDONE
from palaestra.protocol.actions import LOOKS
from palaestra.protocol.outline import PUBLIC_ROOT
from palaestra.records.recipes import PastAct, Recipe, Served
from palaestra.recovery.lost_pages import AT_FIRST_PAGE, fills


@dataclass(frozen=True)
class Interaction:
    """A past action to repeat; ``action`` is None if nothing was done on the page."""

    past: PastAct
    action: Action | None

    @property
    def parts(self) -> Sequence[Action]:
        return () if self.action is None else getattr(self.action, "actions", (self.action,))

    @property
    def only_fills(self) -> bool:
        """True if the action succeeded and changed nothing but fields."""
        return self.past.action_result == "ok" and all(map(fills, self.parts))


@dataclass
class Visit:
    """A document that was shown at the masked URL ``url`` after the past act ``landing`` led to it.

    ``interactions`` took place on it. ``parting`` are the actions of the step in which it was left; the last
    of them led away from it.
    """

    landing: PastAct
    served: Served
    url: str
    is_back: bool
    interactions: list[Interaction] = field(default_factory=list)
    parting: Sequence[Action] = ()

    def has_state(self, *, is_remembered: bool) -> bool:
        """Return whether an interaction has left state that a later document may show.

        With ``is_remembered``, typed text counts because the tab stores it. Otherwise, the only interactions
        that count are those that may have led to an unrecorded page.
        """
        done = [
            part
            for interaction in self.interactions
            if _has_effect(interaction)
            for part in interaction.parts
        ]
        return any(_counts(part, is_remembered=is_remembered) for part in (*done, *self.parting[:-1]))


Arrival = tuple[Visit, bool]
"""A document to open, and whether it is really opened; if not, a blank document takes its place."""


def list_visits(recipe: Recipe, *, read_action: Callable[[PastAct], Action | None]) -> list[Visit]:
    """Return the documents that were shown since the page was opened, in order."""
    visits: list[Visit] = []
    for past in recipe.steps:
        interaction = Interaction(past, read_action(past))
        if (past.result_message or "").endswith(AT_FIRST_PAGE):
            visits.clear()
        elif visits and not past.served:
            visits[-1].interactions.append(interaction)
            continue
        parting = _find_parting(interaction)
        if visits:
            visits[-1].parting = parting
        served = past.served[-1] if past.served else Served(seq=past.seq, path="")
        is_back = bool(visits and parting and parting[-1].type == "back")
        visits.append(Visit(landing=past, served=served, url=_find_url(past, served), is_back=is_back))
    return visits


def list_ways(visits: Sequence[Visit], *, is_remembered: bool) -> Iterator[list[Arrival]]:
    """Yield ways to the last document, the shortest first.

    Each way opens more of the documents than the one before instead of blank ones; the last way opens all of
    them.
    """
    everything = set(range(len(visits)))
    last = len(visits) - 1
    needed = {last} | {n for n, visit in enumerate(visits) if visit.has_state(is_remembered=is_remembered)}
    if is_remembered and visits[last].is_back:
        needed |= {_find_origin(visits, last)}  # going back shows that document as it was left
    # The previous page may be needed, because a truncated outline begins with the changes since that page.
    ways = (needed, needed | {max(last - 1, 0)}, everything)
    for number, real in enumerate(ways):
        if real not in ways[:number]:
            yield _shorten(visits, real) if real != everything else [(visit, True) for visit in visits]


def _find_origin(visits: Sequence[Visit], landing: int) -> int:
    """Return the number of the visit to which the agent went back in visit ``landing``."""
    stack: list[int] = []
    for number, visit in enumerate(visits[:landing]):
        if visit.is_back:
            stack[-2:] = [number]
        else:
            stack.append(number)
    return stack[-2] if len(stack) > 1 else 0


def _shorten(visits: Sequence[Visit], real: set[int]) -> list[Arrival]:
    """Return the way without the blank documents from which the agent went back."""
    way: list[tuple[Visit, bool, bool]] = []
    for number, visit in enumerate(visits):
        is_real, is_back = number in real, visit.is_back
        if is_back and len(way) > 1 and _is_detour(way[-2][0], way[-1]):
            _, was_real, came_back = way[-2]
            if not was_real:
                way[-2:] = [(visit, is_real, came_back)]
                continue
            if not is_real:
                way.pop()
                continue
        way.append((visit, is_real, is_back))
    return [(replace(visit, is_back=is_back), is_real) for visit, is_real, is_back in way]


def _is_detour(below: Visit, top: tuple[Visit, bool, bool]) -> bool:
    visit, is_real, is_back = top
    # A document with the previous one's URL replaced the previous one in the history, so it is not a detour.
    return not is_real and not is_back and visit.url != below.url


def _find_parting(interaction: Interaction) -> Sequence[Action]:
    """Return the actions of a step that led to another document, up to the action that led there."""
    carried_out = CARRIED_OUT.match(interaction.past.result_message or "")
    return interaction.parts[: int(carried_out[1])] if carried_out else interaction.parts


def _find_url(past: PastAct, served: Served) -> str:
    """Return a document's masked URL: the observed URL, including its query, if the paths agree."""
    path = unquote(urlsplit(past.url).path).removeprefix("/")
    return past.url if path == served.path else PUBLIC_ROOT + quote(served.path)


def _has_effect(interaction: Interaction) -> bool:
    return interaction.past.action_result not in UNDONE or len(interaction.parts) > 1


def _counts(part: Action, *, is_remembered: bool) -> bool:
    return part.type not in LOOKS and (is_remembered or not fills(part))
