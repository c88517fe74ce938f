"""What has become of an episode: its events folded over the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import msgspec

from tasks_app.worlds.reviews.types import World

Event = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Reviews found helpful, with "Read more" opened, shown in their own language, with the reply opened; and
    the pop-ups that were dismissed."""

    voted: frozenset[str] = frozenset()
    unfolded: frozenset[str] = frozenset()
    originals: frozenset[str] = frozenset()
    replies: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    searches: tuple[Mapping[str, Any], ...] = ()
    """Latest last, each once."""


def fold(world: World, events: Iterable[Event]) -> State:
    """The state after the events, given as kind and data in their order.

    - ``helpful_voted``, ``helpful_withdrawn``, ``review_unfolded``, ``original_shown``, ``translation_shown``
      and ``reply_opened`` ``{review}``
    - ``banner_closed`` ``{name}``
    - ``recent_search`` any data: the search

    Other kinds are passed over, and so are reviews of products that the shop does not have.
    """
    numbers = {str(product.number) for product in world.products}

    def step(state: State, event: Event) -> State:
        kind, data = event
        if kind in _STEPS and ("review" not in data or data["review"][1:4] in numbers):
            return _STEPS[kind](state, data)
        return state

    return reduce(step, events, State())


def plain(state: State) -> dict[str, Any]:
    """The state as JSON has it."""
    built: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(state, order="deterministic"))
    return built


def helpful_votes(state: State, *, review: str, drawn: int) -> int:
    """The votes to show: those of the world and the episode's own."""
    return drawn + (review in state.voted)


def _helpful_voted(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, voted=state.voted | {data["review"]})


def _helpful_withdrawn(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, voted=state.voted - {data["review"]})


def _review_unfolded(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, unfolded=state.unfolded | {data["review"]})


def _original_shown(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, originals=state.originals | {data["review"]})


def _translation_shown(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, originals=state.originals - {data["review"]})


def _reply_opened(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, replies=state.replies | {data["review"]})


def _banner_closed(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, closed=state.closed | {data["name"]})


def _recent_search(state: State, data: Mapping[str, Any]) -> State:
    others = tuple(search for search in state.searches if search != data)
    return replace(state, searches=(*others, dict(data)))


_STEPS: Mapping[str, Callable[[State, Mapping[str, Any]], State]] = {
    "helpful_voted": _helpful_voted,
    "helpful_withdrawn": _helpful_withdrawn,
    "review_unfolded": _review_unfolded,
    "original_shown": _original_shown,
    "translation_shown": _translation_shown,
    "reply_opened": _reply_opened,
    "banner_closed": _banner_closed,
    "recent_search": _recent_search,
}
