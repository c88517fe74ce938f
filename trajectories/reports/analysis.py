"""The analysis of one benchmark in a report: its data, its set-ups, and the items that count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlencode

from palaestra.protocol.arms import ARMS
from trajectories.models import Run
from trajectories.reports import setups
from trajectories.reports.arm_data import BenchmarkData, Item
from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import Codes
from trajectories.reports.ladder import UNSCORED, ArmKey, contrasts_of
from trajectories.reports.tables import search_link

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A selection of the items that count in an analysis."""

    id: str
    title: str
    with_ineligible: bool = False
    with_disputed: bool = True

    def counts(self, item: Item) -> bool:
        return (self.with_ineligible or item.gap_eligible) and (self.with_disputed or not item.disputed)


MAIN = Variant(id="eligible", title="gap-eligible items")
VARIANTS = (
    MAIN,
    Variant(id="undisputed", title="without disputed golds", with_disputed=False),
    Variant(id="all", title="all items", with_ineligible=True),
)


@dataclass(frozen=True)
class Analysis:
    """The analysis of one benchmark; ``plan`` is as the report stores it, and ``runs`` are by id."""

    report_id: int
    plan: Mapping[str, Any]
    benchmark: str
    data: BenchmarkData
    runs: Mapping[int, Run]
    _results: dict[Callable[..., Any], list[Any]] = field(default_factory=dict, init=False, repr=False)

    def once(self, read: Callable[[Analysis], Iterable[T]]) -> list[T]:
        """Return what ``read`` yields for this benchmark, calling it only once however many tables ask."""
        if read not in self._results:
            self._results[read] = list(read(self))
        return self._results[read]

    @property
    def alpha(self) -> float:
        return float(self.plan["alpha"])

    @cached_property
    def items(self) -> Codes:
        return self.items_of(MAIN)

    def items_of(self, variant: Variant) -> Codes:
        return self.data.codes(variant.counts)

    @cached_property
    def arms(self) -> Sequence[ArmKey]:
        """The scored arms that have episodes, in the report's order."""
        return setups.arm_order(key for key in self.data.arms if key.arm not in UNSCORED)

    @cached_property
    def setups(self) -> Mapping[ArmKey, Sequence[setups.Setup]]:
        """The set-ups of each arm, one per run."""
        by_arm: dict[ArmKey, list[setups.Setup]] = {}
        for (key, run_id), conditions in self.data.conditions.items():
            made = setups.setup_of(self.runs[run_id], arm=key.arm, conditions=conditions)
            by_arm.setdefault(key, []).append(made)
        return by_arm

    def mixture(self, key: ArmKey) -> str:
        """Return the reason why an arm has no accuracy of its own.

        The text is empty if the arm has a single set-up in which its question can be seen.
        """
        made = self.setups.get(key, ())
        if mixed := setups.mixture(made):
            return f"a mixture of set-ups: {mixed}"
        return next((why for setup in made if (why := setups.unseen(setup, arm=key.arm))), "")

    def difference(self, a: ArmKey, b: ArmKey) -> str:
        """Describe how the set-ups of two arms differ, apart from the arm itself; empty if they do not."""
        if a not in self.setups or b not in self.setups:
            return ""
        # If one arm is shown in two ways, these ways are what is compared, so they may differ.
        compared = setups.OF_PICTURES if a.arm == b.arm else ()
        return setups.difference(self.setups[a][0], self.setups[b][0], compared=compared)

    @property
    def page_contrasts(self) -> Iterator[tuple[ArmKey, ArmKey]]:
        """The plan's contrasts of a text arm with a page arm, if both have episodes."""
        for a, b in contrasts_of(self.plan):
            if ARMS[b.arm].has_page and not ARMS[a.arm].has_page and {a, b} <= set(self.arms):
                yield a, b

    def arm_cells(self, key: ArmKey) -> dict[str, Any]:
        """Return the cells that identify a row about one arm."""
        return {"benchmark": self.benchmark, "arm": key.id}

    def pair_cells(self, a: ArmKey, b: ArmKey) -> dict[str, Any]:
        """Return the cells that identify a row about the first of two arms minus the second."""
        return {"benchmark": self.benchmark, "contrast": f"{a.id} − {b.id}"}

    def episodes_link(self, key: ArmKey, **filters: str) -> str:
        """Return the address of the lab's search for an arm's episodes in the arm's first run."""
        run = min(self.data.arms[key].runs)
        return search_link(run=run, benchmark=self.benchmark, arm=key.arm, **filters)

    def pairs_link(self, a: ArmKey, b: ArmKey) -> str:
        """Return the address of the page with the items on which two arms differ."""
        query = {"benchmark": self.benchmark, "a": a.id, "b": b.id}
        return f"/reports/{self.report_id}/items?{urlencode(query)}"


def pair_compared(
    analysis: Analysis, a: ArmKey, b: ArmKey, items: Codes, *, is_forced: bool = False
) -> tuple[str, gaps.Pair | None]:
    """Pair two arms on these items.

    Returns the pair with a note on the difference of their set-ups, or None with the reason why the arms are
    not compared. ``is_forced`` compares them even if the set-ups differ.
    """
    for key in (a, b):
        if key not in analysis.arms:
            return f"no episode of {key.label} has begun", None
        if mixed := analysis.mixture(key):
            return f"{key.label} is {mixed}", None
    difference = analysis.difference(a, b)
    if difference and not is_forced:
        return f"not a gap: the set-ups differ ({difference})", None
    pair = gaps.pair_of(analysis.data.answers(a, items), analysis.data.answers(b, items))
    return (difference, pair) if pair else (gaps.NO_SHARED, None)
