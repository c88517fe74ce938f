"""Courses of stages: the criteria that end each stage, and the stage that a run has reached.

Everything here is pure, given the measurements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, convert

from tasks_app.tool_tasks.registry import STAGE_TAG

# The components of tool use: whether a call was needed, and whether one was made.
NEEDED, CALLED = "needed", "called"
# The share of a window's episodes that must have a value, because one call in two hundred proves nothing.
PART_MIN = 0.25
CRITERIA_MAX = 4
Number = Annotated[int, Meta(ge=1, le=9_999)]
Values = Mapping[str, float | None]


class Criterion(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A mark that the newest episodes of a stage must reach.

    A component's mean must lie from ``at_least`` to ``at_most``. ``precision`` and ``recall`` measure the
    decision to call a tool: of the episodes with a call, the share that needed one; and of the episodes that
    needed a call, the share that made one.
    """

    component: Annotated[str, Meta(min_length=1, max_length=200)]
    measure: Literal["mean", "precision", "recall"] = "mean"
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        if self.at_least is None and self.at_most is None:
            raise ValueError(f"a criterion of {self.component!r} needs at_least or at_most")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least of {self.component!r} must not exceed its at_most")
        if self.measure != "mean" and self.component != NEEDED:
            raise ValueError(f"{self.measure} is a measure of {NEEDED!r} only, not of {self.component!r}")

    @property
    def components(self) -> tuple[str, ...]:
        """Return all components that the criterion reads."""
        return (self.component,) if self.measure == "mean" else (NEEDED, CALLED)

    def counted(self, episodes: Iterable[Values]) -> list[float]:
        """Return the values of those episodes that count."""
        if self.measure == "mean":
            return [value for episode in episodes if (value := episode.get(self.component)) is not None]
        decisions = [
            (episode[NEEDED], episode[CALLED]) for episode in episodes if episode.get(CALLED) is not None
        ]
        if self.measure == "precision":
            return [float(needed or 0) for needed, called in decisions if called]
        # A call was needed if one was made and was right, or if none was made and that was wrong.
        return [float(called or 0) for needed, called in decisions if needed == called]


class Stage(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The tasks tagged ``stage:N``, and the criteria that must all hold before the next stage begins."""

    stage: Number
    until: Annotated[tuple[Criterion, ...], Meta(max_length=CRITERIA_MAX)] = ()

    @property
    def tag(self) -> str:
        return f"{STAGE_TAG}{self.stage}"


class Measured(Struct, frozen=True, kw_only=True):
    """A criterion of a stage, measured over the stage's newest ``judged`` episodes.

    ``episodes`` of them have a value. ``value`` is null as long as these are too few."""

    stage: int
    component: str
    measure: str
    at_least: float | None
    at_most: float | None
    value: float | None
    judged: int
    episodes: int

    @property
    def holds(self) -> bool:
        return self.value is not None and not self.misses(by=0.0)

    def misses(self, *, by: float) -> bool:
        """Return whether the value is known and misses the criterion's marks by more than ``by``."""
        if self.value is None:
            return False
        is_low = self.at_least is not None and self.value < self.at_least - by
        return is_low or (self.at_most is not None and self.value > self.at_most + by)


class Progress(Struct, frozen=True, kw_only=True):
    """The state of a course at a draw: its stage, since which draw it has lasted, and its criteria.

    ``is_over`` is true if the criteria of the last stage hold too. ``because`` has the criteria of the stage
    that this draw left; it is empty if the draw left none.
    """

    stage: int
    since: int
    move: Literal["begins", "stays", "moves_on", "goes_back"]
    criteria: list[Measured]
    because: list[Measured] = []
    is_over: bool = False


def progress_of(summary: Mapping[str, Any]) -> Progress | None:
    """Return the progress stored in a draw's summary, or None for other strategies."""
    stored = summary.get("progress")
    return convert(stored, Progress) if stored else None


def measure_criteria(stage: Stage, episodes: Sequence[Values], *, window: int, judged: int) -> list[Measured]:
    """Measure the criteria of a stage over a window of episodes, each given as its components by name."""
    return [_measured(one, stage.stage, episodes, window=window, judged=judged) for one in stage.until]


def _measured(
    criterion: Criterion, stage: int, episodes: Sequence[Values], *, window: int, judged: int
) -> Measured:
    values = criterion.counted(episodes)
    is_known = judged >= window and len(values) >= PART_MIN * window
    return Measured(
        stage=stage,
        component=criterion.component,
        measure=criterion.measure,
        at_least=criterion.at_least,
        at_most=criterion.at_most,
        value=sum(values) / len(values) if is_known else None,
        judged=judged,
        episodes=len(values),
    )


def progress_make(
    stages: Sequence[Stage],
    measure: Callable[[Stage], list[Measured]],
    *,
    before: Progress | None,
    number: int,
    back_beyond: float | None = None,
) -> Progress:
    """Return the progress at draw ``number``; ``before`` is the progress at the previous draw.

    A course that joins a run late skips all stages whose criteria already hold.
    """
    numbers = [stage.stage for stage in stages]
    start = numbers.index(before.stage) if before else 0
    if before is not None and back_beyond is not None:
        for stage in stages[:start]:
            measured = measure(stage)
            if any(one.misses(by=back_beyond) for one in measured):
                return Progress(
                    stage=stage.stage, since=number, move="goes_back", criteria=measured, because=measured
                )
    place, because, measured = start, [], measure(stages[start])
    while place + 1 < len(stages) and _all_hold(measured):
        place, because = place + 1, measured
        measured = measure(stages[place])
    move: Literal["begins", "stays", "moves_on"] = "moves_on" if because else "stays" if before else "begins"
    return Progress(
        stage=numbers[place],
        since=before.since if before and not because else number,
        move=move,
        criteria=measured,
        because=because,
        is_over=place + 1 == len(stages) and _all_hold(measured),
    )


def _all_hold(measured: Sequence[Measured]) -> bool:
    return bool(measured) and all(one.holds for one in measured)
