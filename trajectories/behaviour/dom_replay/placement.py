"""The search for the page load, and for the moment in its recording, that a step saw before it acted.

There are two sources. The first is the clocks: the harness records when the step began and when its
observation was made, and pages date their events. The second is the step numbers: pages mark their events
with the current step, at most a second late. Times are used unless step numbers contradict them by more than
``SLACK_MS``; otherwise the moment is the end of what was recorded during earlier steps. All times are Unix
milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

SLACK_MS = 2_000

Basis = Literal["time", "steps"]
Reason = Literal["nothing", "no_time", "too_early", "lost"]
"""The reason why a step has no moment.

``nothing``: the episode has no recording; ``no_time``: neither times nor step numbers place the step;
``too_early``: the step is earlier than the recording; ``lost``: the step's page load was not recorded.
"""


class Piece(NamedTuple):
    """A recording chunk as its database row describes it.

    ``step`` may be later than the step in which the chunk was recorded, but never earlier.
    """

    page: str
    step: int | None
    first_ms: float
    last_ms: float


@dataclass(frozen=True, kw_only=True)
class Turn:
    """The times of a step by the harness's clock.

    ``seen_ms`` is when the step's observation was made; ``began_ms`` and ``ended_ms`` enclose its action.
    ``path`` is the path of the page that the step saw, without the query string, or None if unknown.
    """

    index: int
    seen_ms: float | None = None
    began_ms: float | None = None
    ended_ms: float | None = None
    path: str | None = None


@dataclass(frozen=True, kw_only=True)
class Moment:
    """The moment in a recording that a step saw.

    ``page`` is load ``number`` of ``loads``, and the step acts on it from ``at_ms`` to ``until_ms``.
    ``still_ms`` is the time since the last recorded change, as far as the chunks show. ``before_action_ms``
    is the time from the moment to the action, or None without a clock.
    """

    page: str
    number: int
    loads: int
    at_ms: float
    until_ms: float
    basis: Basis
    still_ms: float
    before_action_ms: float | None = None


@dataclass(frozen=True, kw_only=True)
class _Load:
    page: str
    pieces: Sequence[Piece] = field(repr=False)

    @property
    def first_ms(self) -> float:
        return min(piece.first_ms for piece in self.pieces)

    @property
    def last_ms(self) -> float:
        return max(piece.last_ms for piece in self.pieces)

    def last_before(self, at_ms: float) -> float:
        """Return the last time up to ``at_ms`` when something was recorded, else the load's first time."""
        times = [min(piece.last_ms, at_ms) for piece in self.pieces if piece.first_ms <= at_ms]
        return max(times, default=self.first_ms)


def find_moment(
    turn: Turn,
    pieces: Sequence[Piece],
    *,
    acted_in: Collection[str] = (),
    paths: Mapping[str, str] | None = None,
) -> Moment | Reason:
    """Return the moment that a step saw, or the reason why there is none.

    ``acted_in`` holds the page loads in which the step caused page events; ``paths`` maps every page load
    that reported itself, recorded or not, to its path.
    """
    loads = _loads(pieces)
    if not loads:
        return "nothing"
    if acted_in and not any(load.page in acted_in for load in loads):
        return "lost"
    at_ms = turn.seen_ms if turn.seen_ms is not None else turn.began_ms
    is_numbered = any(piece.step is not None for piece in pieces)
    is_early = at_ms is not None and at_ms < loads[0].first_ms - SLACK_MS
    if at_ms is not None and not is_early and _agrees(at_ms, turn.index, pieces):
        return _by_time(turn, at_ms, loads, acted_in=acted_in, paths=paths or {})
    if not is_numbered:
        return "too_early" if is_early else "no_time"
    return _by_steps(turn, loads, acted_in=acted_in)


def moment_in(page: str, pieces: Sequence[Piece], *, at_ms: float, until_ms: float) -> Moment | Reason:
    """Return the moment at a known time of a known page load, or the reason why there is none."""
    loads = _loads(pieces)
    load = next((load for load in loads if load.page == page), None)
    if load is None:
        return "lost" if loads else "nothing"
    at_ms = max(at_ms, load.first_ms)
    return _moment(load, loads, at_ms=at_ms, until_ms=until_ms, basis="time", before=None)


def _loads(pieces: Sequence[Piece]) -> list[_Load]:
    by_page: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_page.setdefault(piece.page, []).append(piece)
    loads = [_Load(page=page, pieces=own) for page, own in by_page.items()]
    return sorted(loads, key=lambda load: (load.first_ms, load.page))


def _agrees(at_ms: float, index: int, pieces: Sequence[Piece]) -> bool:
    """Return whether a time is consistent with the step numbers of the pieces around the step."""
    before = [piece.last_ms for piece in pieces if piece.step is not None and piece.step < index - 1]
    within = [piece.last_ms for piece in pieces if piece.step == index]
    after = [piece.first_ms for piece in pieces if piece.step is not None and piece.step > index]
    low, high = max(before, default=at_ms), min([*after, max(within, default=at_ms)], default=at_ms)
    return low - SLACK_MS <= at_ms <= high + SLACK_MS


def _by_time(
    turn: Turn, at_ms: float, loads: Sequence[_Load], *, acted_in: Collection[str], paths: Mapping[str, str]
) -> Moment | Reason:
    at_ms = max(at_ms, loads[0].first_ms)
    started = [load for load in loads if load.first_ms <= at_ms]
    alive = [load for load in started if not any(later.first_ms > load.last_ms for later in started)]
    acted = [load for load in started if load.page in acted_in and load.last_ms >= at_ms]
    named = [load for load in started if turn.path is not None and paths.get(load.page) == turn.path]
    if not acted and not named and _is_elsewhere(turn, alive, loads, paths):
        return "lost"
    fitting = acted or [load for load in named if load in alive] or named or alive
    load = max(fitting, key=lambda load: (load.last_before(at_ms), load.first_ms))
    began_ms = turn.began_ms if turn.began_ms is not None else at_ms
    until_ms = turn.ended_ms if turn.ended_ms is not None else began_ms
    return _moment(
        load, loads, at_ms=at_ms, until_ms=until_ms, basis="time", before=max(0.0, began_ms - at_ms)
    )


def _is_elsewhere(
    turn: Turn, alive: Sequence[_Load], loads: Sequence[_Load], paths: Mapping[str, str]
) -> bool:
    """Return whether the step saw a page that reported itself but was not recorded."""
    recorded = {load.page for load in loads}
    unrecorded = {path for page, path in paths.items() if page not in recorded}
    return turn.path in unrecorded and all(load.page in paths for load in alive)


def _by_steps(turn: Turn, loads: Sequence[_Load], *, acted_in: Collection[str]) -> Moment | Reason:
    pieces = [piece for load in loads for piece in load.pieces]
    before = [piece for piece in pieces if (piece.step or 0) < turn.index]
    fitting = [piece for piece in before if piece.page in acted_in] or before
    if fitting:
        last = max(fitting, key=lambda piece: (piece.last_ms, piece.page))
        at_ms = last.last_ms
    else:
        begun = [piece for piece in pieces if (piece.step or 0) <= turn.index]
        if not begun:
            return "too_early"
        last = min(begun, key=lambda piece: (piece.first_ms, piece.page))
        at_ms = last.first_ms
    load = next(load for load in loads if load.page == last.page)
    own = [piece.last_ms for piece in load.pieces if piece.step is not None and piece.step <= turn.index]
    return _moment(load, loads, at_ms=at_ms, until_ms=max(own, default=at_ms), basis="steps", before=None)


def _moment(
    load: _Load, loads: Sequence[_Load], *, at_ms: float, until_ms: float, basis: Basis, before: float | None
) -> Moment:
    return Moment(
        page=load.page,
        number=loads.index(load) + 1,
        loads=len(loads),
        at_ms=at_ms,
        until_ms=max(at_ms, min(until_ms, load.last_ms)),
        basis=basis,
        still_ms=max(0.0, at_ms - load.last_before(at_ms)),
        before_action_ms=before,
    )
