"""The search for the shortest beginning of a solution with which a task succeeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from msgspec import Meta

from trajectories.rollouts.samplers.types import Chance, Choice, Fraction, Pool, Prefixes, Strategy, strategy

if TYPE_CHECKING:
    from trajectories.rollouts.samplers.types import Integers

FRACTIONS_MAX = 20


@strategy
class ShortestPrefixStrategy(Strategy, frozen=True, tag="shortest_prefix"):
    """Tasks with the first part of their solution, longer and longer until one succeeds.

    Each of ``fractions`` is tried in turn, ``rollouts`` times. A task is not drawn again once a prefix has a
    success, or none of them had one. A task whose next prefix contains the answer, or that has no solution in
    steps, is drawn without guidance, which its reason states. A draw has fewer tasks than requested if the
    search has fewer left; tasks that were drawn least often come first.

    The search is from POPE (arXiv 2601.18779): it finds the shortest prefix of a reference solution with a
    success.
    """

    fractions: Annotated[tuple[Fraction, ...], Meta(min_length=1, max_length=FRACTIONS_MAX)] = (
        0.25,
        0.5,
        0.75,
    )
    rollouts: Annotated[int, Meta(ge=1, le=1_000)] = 4
    is_guiding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if any(first >= second for first, second in zip(self.fractions, self.fractions[1:], strict=False)):
            raise ValueError("fractions must increase")

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        import numpy

        prefixes = pool.prefixes
        place, is_over = self._places(prefixes)
        levels = _levels(prefixes, self.fractions)[numpy.arange(len(pool)), place]
        is_plain = (prefixes.of == 0) | (levels > prefixes.givable)
        todo = ~is_over & (~is_plain | (pool.judged < self.rollouts))
        order = numpy.lexsort((chance.uniforms(len(pool), "search"), pool.drawn))
        return [
            self._plain(row, pool, int(levels[row]))
            if is_plain[row]
            else self._guided(row, prefixes, int(levels[row]), self.fractions[place[row]])
            for row in map(int, order[todo[order]][:count])
        ]

    def _places(self, prefixes: Prefixes) -> tuple[Integers, Any]:
        """Return the fraction that each task tries next, as an index, and whether its search has finished."""
        import numpy

        levels = _levels(prefixes, self.fractions)
        rows = numpy.arange(len(levels))[:, None]
        width = prefixes.judged.shape[1]
        judged = numpy.where(levels < width, prefixes.judged[rows, numpy.minimum(levels, width - 1)], 0)
        is_open = judged < self.rollouts
        return is_open.argmax(axis=1), (prefixes.correct > 0).any(axis=1) | ~is_open.any(axis=1)

    def _guided(self, row: int, prefixes: Prefixes, steps: int, fraction: float) -> Choice:
        judged = int(prefixes.judged[row, steps]) if steps < prefixes.judged.shape[1] else 0
        size = {"fraction": fraction, "steps": steps, "of": int(prefixes.of[row])}
        return Choice(
            row=row,
            why={"reason": "prefix", **size, "judged": judged},
            samples=self.rollouts - judged,
            guidance={"kind": "prefix", "steps": steps},
        )

    def _plain(self, row: int, pool: Pool, steps: int) -> Choice:
        return Choice(
            row=row,
            why=pool.prefixes.no_prefix(row, steps=steps),
            samples=self.rollouts - int(pool.judged[row]),
        )


def _levels(prefixes: Prefixes, fractions: tuple[float, ...]) -> Integers:
    """Return numbers of steps, one row per task, rounded up as ``fraction`` is when episodes are opened."""
    import numpy

    levels: Integers = numpy.ceil(numpy.outer(prefixes.of, fractions)).astype(numpy.int64)
    return levels
