"""What the plug-ins of a sampler take and give. They are pure: the same pool and seed, the same draw."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]
    Integers = NDArray[numpy.int64]

Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(gt=0, le=1_000)]
DECIMALS = 4


class Prior(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The Beta distribution of a task's success before any result, as numbers of results."""

    correct: Weight = 1.0
    incorrect: Weight = 1.0


@dataclass(frozen=True, kw_only=True)
class Pool:
    """The tasks that a draw chooses from, one row each, by id.

    ``correct`` and ``incorrect`` are numbers of results weighted by recency; ``difficulty`` is NaN where it
    is unknown; ``drawn`` counts the earlier draws of the task.
    """

    tasks: Integers
    difficulty: Floats
    steps: Integers
    correct: Floats
    incorrect: Floats
    judged: Integers
    drawn: Integers

    def __len__(self) -> int:
        return len(self.tasks)

    def part(self, rows: Any) -> Pool:
        """The pool of these rows alone."""
        return replace(self, **{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    def posterior(self, prior: Prior) -> tuple[Floats, Floats]:
        """The parameters of each task's Beta posterior of success, from a Beta prior."""
        return prior.correct + self.correct, prior.incorrect + self.incorrect


@dataclass(frozen=True)
class Chance:
    """The random numbers of one draw. Streams with different names are independent."""

    seed: int
    number: int

    def uniforms(self, count: int, name: str) -> Floats:
        """``count`` numbers between 0 and 1, neither included.

        From the raw bits of PCG64: numpy keeps those the same from version to version, and nothing else
        (NEP 19).
        """
        import numpy

        digest = hashlib.sha256(f"{self.seed}\0{self.number}\0{name}".encode()).digest()
        raw = numpy.random.PCG64(int.from_bytes(digest, "big")).random_raw(count)
        uniforms: Floats = ((raw >> numpy.uint64(11)).astype(numpy.float64) + 0.5) * 2.0**-53
        return uniforms

    def order(self, count: int, name: str) -> Integers:
        """The rows in a random order."""
        import numpy

        return numpy.argsort(self.uniforms(count, name), kind="stable")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A row of the pool, and why it was chosen; numbers in ``why`` are probabilities or counts."""

    row: int
    why: dict[str, Any]


class Strategy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """Which tasks. A plug-in is a struct whose fields are its parameters, tagged with its file's name."""

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        """``count`` different rows of a pool that has at least as many."""
        raise NotImplementedError


class Rollouts(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """How many samples of each task."""

    def samples(self, pool: Pool) -> Sequence[int]:
        """One number for each row."""
        raise NotImplementedError


class Horizon(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """How many steps an episode has, as training goes on."""

    def max_steps(self, pool: Pool, *, number: int) -> Sequence[int | None]:
        """One number for each row in draw ``number`` (from 1); None leaves it to the task."""
        raise NotImplementedError


def rounded(value: Any) -> float:
    return round(float(value), DECIMALS)
