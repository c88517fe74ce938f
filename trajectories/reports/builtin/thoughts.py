"""The table of the length of thoughts in each arm, in words per episode and per step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.database.sql import Statement
from core.statistics import Mean, clustered_mean
from palaestra.protocol.plans import ITEMS_MIN
from trajectories.reports import setups
from trajectories.reports.analysis import Analysis
from trajectories.reports.charts.forest import Forest
from trajectories.reports.estimators.accuracy import FEW_ITEMS
from trajectories.reports.ladder import ArmKey, arm_of
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import BY_ARM, COUNT, WORDS, Column, Row, interval_columns, number

COLUMNS = (
    *BY_ARM,
    Column("items", "Items", COUNT),
    Column("episodes", "Episodes", COUNT),
    *interval_columns("words", "Words per episode", WORDS),
    *interval_columns("per_step", "Words per step", WORDS, prefix="per_step_"),
    Column("hidden", "With a hidden thought", COUNT),
    Column("without_facts", "Not measured yet", COUNT),
    Column("note", "Note"),
)
NOTE = (
    "Words per episode: the sum over an episode's thoughts, then the mean over episodes. Arms are compared "
    "by this, since an answer as text takes one step and a page takes many. Words per step: the mean over an "
    "episode's steps, then over episodes. Intervals are 95% intervals clustered by item. Episodes with a "
    "hidden thought count only per step, with the thoughts that are known."
)
ALIKE = "there is no variation between items"
UNMEASURED = (
    "{} ended episodes are missing from these means, because their facts have not been computed yet. Compute "
    "the report again."
)
BY_ITEM = Statement(__file__, "thoughts")


@dataclass(kw_only=True)
class _Sums:
    """The sums of an arm: for each item a count and a total, by episode and by step, and what is left out.

    ``hidden`` counts episodes with a hidden thought, and ``without_facts`` those that are not measured yet.
    """

    episodes: list[tuple[int, float]] = field(default_factory=list)
    steps: list[tuple[int, float]] = field(default_factory=list)
    hidden: int = 0
    without_facts: int = 0


def _notes(_analyses: Sequence[Analysis], rows: Sequence[Row]) -> list[str]:
    missing = sum(row["without_facts"] for row in rows)
    notes = [NOTE, *([UNMEASURED.format(f"{missing:,}")] if missing else [])]
    return notes if rows else []


@report_table(
    "thoughts",
    "Length of thoughts",
    60,
    columns=COLUMNS,
    notes=_notes,
    chart=Chart(
        draw=Forest(value="words", label=("arm",), unit="words per episode").draw,
        caption="Words in all thoughts of an episode, as the mean over episodes that are not void.",
    ),
)
def thought_rows(analysis: Analysis) -> Iterator[Row]:
    sums = _sums(analysis)
    for key in setups.arm_order(analysis.data.arms):
        own = sums.get(key, _Sums())
        whole, by_step = clustered_mean(own.episodes), clustered_mean(own.steps)
        if not (whole or by_step or own.without_facts):
            continue
        yield {
            **analysis.arm_cells(key),
            "items": whole.tasks if whole else 0,
            "episodes": whole.episodes if whole else 0,
            **_values(whole, names=("words", "low", "high")),
            **_values(by_step, names=("per_step", "per_step_low", "per_step_high")),
            "hidden": own.hidden,
            "without_facts": own.without_facts,
            "note": _note(whole),
            "links": {"words": analysis.episodes_link(key)},
        }


def _sums(analysis: Analysis) -> dict[ArmKey, _Sums]:
    sums: dict[ArmKey, _Sums] = {}
    rows = BY_ITEM.rows(runs=list(analysis.runs), benchmark=analysis.benchmark)
    for arm, retest, observation, _, *values in rows:
        key = arm_of(analysis.plan["arms"], arm=arm, retest=retest, observation=observation)
        own = sums.setdefault(key, _Sums())
        count, words, known, means, hidden, without_facts = values
        own.episodes.append((count, words))
        own.steps.append((known, means))
        own.hidden += hidden
        own.without_facts += without_facts
    return sums


def _values(mean: Mean | None, *, names: tuple[str, str, str]) -> dict[str, float | None]:
    """Return the mean and the ends of its interval, which are None unless the interval has a width."""
    if mean is None:
        return dict.fromkeys(names)
    ends = (mean.low, mean.high) if _has_width(mean) else (None, None)
    return dict(zip(names, map(number, (mean.mean, *ends)), strict=True))


def _note(mean: Mean | None) -> str:
    """Return the reason why there are no words per episode, or no interval around them."""
    if mean is None:
        return "there is no episode whose thoughts are all known"
    if mean.tasks < ITEMS_MIN:
        return FEW_ITEMS
    return "" if _has_width(mean) else ALIKE


def _has_width(mean: Mean) -> bool:
    if mean.tasks < ITEMS_MIN or mean.low is None or mean.high is None:
        return False
    return mean.low < mean.high
