"""State of an episode: its events folded over the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tasks_app.worlds.reviews.types import World

Event = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the basket: a product in one colour and size."""

    product: str
    colour: str
    size: str
    quantity: int

    def is_of(self, product: str, colour: str, size: str) -> bool:
        return (self.product, self.colour, self.size) == (product, colour, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of the shop in an episode.

    It holds the reviews voted helpful, those whose "Read more" or reply was opened, the closed pop-ups, and
    the basket in the order in which its lines were added.
    """

    voted: frozenset[str] = frozenset()
    unfolded: frozenset[str] = frozenset()
    replies: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    basket: tuple[Line, ...] = ()
    searches: tuple[Mapping[str, Any], ...] = ()
    """Distinct searches, latest last."""
    seen: int = 0
    """Number of things viewed: products, questions, lists of reviews, and opened parts of reviews."""


def fold(world: World, events: Iterable[Event]) -> State:
    """Fold the events, given as kind and data in order, into a state.

    - ``helpful_voted`` and ``helpful_withdrawn`` ``{review}``
    - ``shown`` ``{facts}``: the contents of a page; ``review V1234567 more`` stands for a review's folded
      text and ``review V1234567 reply`` for the seller's reply
    - ``product_opened`` and ``questions_opened`` ``{product}``
    - ``banner_closed`` ``{name}``
    - ``basket_changed`` ``{product, colour, size, quantity}``: the new quantity, 0 for none
    - ``recent_search`` with any data: the search

    Other kinds are ignored, and so are reviews of products that the shop does not have.
    """
    numbers = {str(product.number) for product in world.products}
    state = State()
    for kind, data in events:
        if kind in _STEPS and ("review" not in data or data["review"][1:4] in numbers):
            state = _STEPS[kind](state, data)
    return state


def helpful_votes(state: State, *, review: str, drawn: int) -> int:
    """Return the number of votes to show: the world's plus the episode's own."""
    return drawn + (review in state.voted)


def _show(state: State, data: Mapping[str, Any]) -> State:
    """Record the facts shown. A page contains folded text only if its opening was requested."""
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
