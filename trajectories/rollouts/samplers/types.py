"""Inputs and outputs of a sampler's plug-ins, which are pure: the same pool and seed give the same draw."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeVar

from msgspec import Meta, Struct

from core.registry import Registry
from trajectories.rollouts.samplers.course import Progress

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]
    Integers = NDArray[numpy.int64]

Share = Annotated[float, Meta(ge=0, le=1)]
Fraction = Annotated[float, Meta(gt=0, lt=1)]
Weight = Annotated[float, Meta(gt=0, le=1_000)]
DECIMALS = 4
PREFIX: Final = "prefix"
START_STATE: Final = "start_state"


class Prior(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The Beta distribution of a task's success before any result, given as numbers of results."""

    correct: Weight = 1.0
    incorrect: Weight = 1.0


@dataclass(frozen=True, kw_only=True)
class Prefixes:
    """Knowledge about the tasks' solutions, one row per task.

    Solutions are reference solutions or recorded scripted ones. ``of`` is the number of a solution's steps or
    acts, 0 if there is none. ``clean`` is the number of first steps that can be given. ``shortest`` is the
    smallest number of steps with a success, 0 if there is none. Both are -1 if not yet checked. ``judged``
    and ``correct`` have a column for each number of steps, from 0.
    """

    of: Integers
    clean: Integers
    shortest: Integers
    judged: Integers
    correct: Integers

    @classmethod
    def nothing(cls, size: int) -> Prefixes:
        """Return the prefixes of tasks without solutions."""
        import numpy

        zeros, tries = numpy.zeros(size, dtype=numpy.int64), numpy.zeros((size, 1), dtype=numpy.int64)
        return cls(of=zeros, clean=zeros, shortest=zeros, judged=tries, correct=tries)

    @property
    def givable(self) -> Integers:
        """The number of steps that can be given, or the number of all steps if that has not been checked."""
        import numpy

        return numpy.where(self.clean < 0, self.of, self.clean)

    def no_prefix(self, row: int, *, steps: int, kind: str = PREFIX) -> dict[str, Any]:
        """Return the reason why a task gets no guidance of so many steps."""
        reason = f"no_{kind}"
        if not self.of[row]:
            return {"reason": reason, "because": "no_solution"}
        size = {"steps": steps, "clean": int(self.clean[row]), "of": int(self.of[row])}
        return {"reason": reason, "because": "leaks", **size}


@dataclass(frozen=True, kw_only=True)
class Pool:
    """The tasks that a draw chooses from, one row per task, by id.

    ``correct`` and ``incorrect`` are numbers of results weighted by recency. ``difficulty`` is NaN if
    unknown. ``failures`` counts the results since the last success. ``longest`` is the number of steps of the
    longest success (0 if there is none, or if no plug-in needs it). ``drawn`` counts the task's earlier
    draws. ``prefixes`` are for strategies that guide; for others, they are those of tasks without solutions.
    ``stages``, 0 for tasks that belong to none, and ``progress`` are for strategies with stages.
    """

    tasks: Integers
    difficulty: Floats
    steps: Integers
    correct: Floats
    incorrect: Floats
    judged: Integers
    failures: Integers
    longest: Integers
    drawn: Integers
    prefixes: Prefixes
    stages: Integers
    progress: Progress | None = None

    def __len__(self) -> int:
        return len(self.tasks)

    def part(self, rows: Any) -> Pool:
        """Return the pool with only these rows."""
        return _part(self, rows)

    def posterior(self, prior: Prior) -> tuple[Floats, Floats]:
        """Return the parameters of each task's Beta posterior of success, from a Beta prior."""
        return prior.correct + self.correct, prior.incorrect + self.incorrect


P = TypeVar("P", Pool, Prefixes)


def _part(table: P, rows: Any) -> P:
    columns: dict[str, Any] = {}
    for name in table.__dataclass_fields__:
        column = getattr(table, name)
        if isinstance(column, Prefixes):
            columns[name] = _part(column, rows)
        elif not isinstance(column, Progress | None):
            columns[name] = column[rows]
    return replace(table, **columns)


@dataclass(frozen=True)
class Chance:
    """The random numbers of one draw. Streams with different names are independent."""

    seed: int
    number: int

    def uniforms(self, count: int, name: str) -> Floats:
        """Draw ``count`` numbers between 0 and 1, excluding both.

        They are made from the raw bits of PCG64, because numpy promises only for these that they stay the
        same from version to version (NEP 19).
        """
        import numpy

        digest = hashlib.sha256(f"{self.seed}\0{self.number}\0{name}".encode()).digest()
        raw = numpy.random.PCG64(int.from_bytes(digest, "big")).random_raw(count)
        uniforms: Floats = ((raw >> numpy.uint64(11)).astype(numpy.float64) + 0.5) * 2.0**-53
        return uniforms

    def order(self, count: int, name: str) -> Integers:
        """Return the rows in a random order."""
        import numpy

        return numpy.argsort(self.uniforms(count, name), kind="stable")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A row of the pool, and why it was chosen. Numbers in ``why`` are probabilities or counts.

    If ``samples`` is None, the plan decides their number. ``guidance`` is a field of the call that opens
    episodes.
    """

    row: int
    why: dict[str, Any]
    samples: int | None = None
    guidance: dict[str, Any] | None = None


class Strategy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """A choice of tasks.

    A plug-in is a struct whose fields are its parameters, tagged with the name of its file. ``is_guiding``
    means that it hands out guidance and reads ``pool.prefixes``; it may then choose fewer rows than
    requested, or one row twice.
    """

    is_guiding: ClassVar[bool] = False

    def choose(self, pool: Pool, *, count: int, chance: Chance) -> list[Choice]:
        """Choose ``count`` different rows of a pool that has at least as many."""
        raise NotImplementedError


STRATEGIES: Registry[type[Strategy]] = Registry("strategy")
S = TypeVar("S", bound=type[Strategy])


def strategy(plugin: S) -> S:
    """Register a strategy under its tag. Raises ``ValueError`` for a tag used twice."""
    STRATEGIES.register(str(plugin.__struct_config__.tag), plugin)
    return plugin


def round_share(value: Any) -> float:
    """Round to the decimals that a draw stores."""
    return round(float(value), DECIMALS)
