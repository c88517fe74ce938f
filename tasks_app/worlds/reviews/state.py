"""State of an episode: its events folded over the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tasks_app.worlds.reviews.types import World

Event = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Line of the basket: a product in one colour and size."""

    product: str
    colour: str
    size: str
    quantity: int

    def is_of(self, product: str, colour: str, size: str) -> bool:
        return (self.product, self.colour, self.size) == (product, colour, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Reviews found helpful, with "Read more" opened, with the reply opened; the pop-ups that were dismissed;
    and the basket, in the order in which its lines were put there."""

    voted: frozenset[str] = frozenset()
    unfolded: frozenset[str] = frozenset()
    replies: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    basket: tuple[Line, ...] = ()
    searches: tuple[Mapping[str, Any], ...] = ()
    """Latest last, each once."""
    seen: int = 0
    """Number of things looked at: products, questions, lists of reviews, and what was opened of one."""


def fold(world: World, events: Iterable[Event]) -> State:
    """Fold the events, given as kind and data in their order, into a state.

    - ``helpful_voted`` and ``helpful_withdrawn`` ``{review}``
    - ``shown`` ``{facts}``: what a page held; of a review, ``review V1234567 more`` is what was folded, and
      ``review V1234567 reply`` the seller's reply
    - ``product_opened`` and ``questions_opened`` ``{product}``
    - ``banner_closed`` ``{name}``
    - ``basket_changed`` ``{product, colour, size, quantity}``: how many there are now, 0 for none
    - ``recent_search`` any data: the search

    Other kinds are ignored, and so are reviews of products that the shop does not have.
    """
    numbers = {str(product.number) for product in world.products}
    state = State()
    for kind, data in events:
        if kind in _STEPS and ("review" not in data or data["review"][1:4] in numbers):
            state = _STEPS[kind](state, data)
    return state


def helpful_votes(state: State, *, review: str, drawn: int) -> int:
    """Return the votes to show: those of the world and the episode's own."""
    return drawn + (review in state.voted)


def _show(state: State, data: Mapping[str, Any]) -> State:
    """Note shown facts; folded text is on a page only when its opening was requested."""
    opened = [fact.split() for fact in data["facts"] if fact.endswith((" more", " reply"))]
    return replace(
        state,
        unfolded=state.unfolded | {review for _, review, part in opened if part == "more"},
        replies=state.replies | {review for _, review, part in opened if part == "reply"},
        seen=state.seen + 1,
    )


def _looked(state: State, data: Mapping[str, Any]) -> State:
    return replace(state, seen=state.seen + 1)


def _change_basket(state: State, data: Mapping[str, Any]) -> State:
    line = Line(**data)
    key = (line.product, line.colour, line.size)
    if any(old.is_of(*key) for old in state.basket):
        basket = tuple(line if old.is_of(*key) else old for old in state.basket)
    else:
        basket = (*state.basket, line)
    return replace(state, basket=tuple(old for old in basket if old.quantity))


def _recent_search(state: State, data: Mapping[str, Any]) -> State:
    others = tuple(search for search in state.searches if search != data)
    return replace(state, searches=(*others, dict(data)))


_STEPS: Mapping[str, Callable[[State, Mapping[str, Any]], State]] = {
    "helpful_voted": lambda state, data: replace(state, voted=state.voted | {data["review"]}),
    "helpful_withdrawn": lambda state, data: replace(state, voted=state.voted - {data["review"]}),
    "shown": _show,
    "product_opened": _looked,
    "questions_opened": _looked,
    "banner_closed": lambda state, data: replace(state, closed=state.closed | {data["name"]}),
    "basket_changed": _change_basket,
    "recent_search": _recent_search,
}
