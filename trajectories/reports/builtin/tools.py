"""The tables of tool use by arm: when tools are called, which ones and how.

They show the modality gap of tool use, in addition to that of answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tasks_app import kinds
from tasks_app.models import Benchmark
from tasks_app.tool_tasks.distances import FAULTS
from tasks_app.tool_tasks.rates import EXTRA, RATES, Pair, confusion_part, fault_part
from tasks_app.tool_tasks.scores import NOTHING
from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_tool_scores import ArmToolScores, scores_read
from trajectories.reports.estimators.accuracy import THESE_LOOKS
from trajectories.reports.estimators.answers import Estimate
from trajectories.reports.registry import report_table
from trajectories.reports.tables import (
    BY_ARM,
    COUNT,
    PERCENT,
    Column,
    Row,
    episodes_link,
    interval_columns,
    scaled,
    with_ends,
)

NOTE = Column("note", "Note")
TITLES = {
    "recall": "Calls where needed",
    "precision": "Needed where called",
    "selection": "Right tools",
    "arguments": "Right arguments",
    "execution": "Calls with a result",
}
USE = (
    *BY_ARM,
    Column("episodes", "Episodes", COUNT),
    Column("needing", "Need a call", COUNT),
    Column("calling", "With a call", COUNT),
    Column("calls", "Calls", COUNT),
    Column("surplus", "Needless", COUNT),
    *(
        column
        for name, title in TITLES.items()
        for column in interval_columns(name, title, PERCENT, prefix=f"{name}_")
    ),
    NOTE,
)
LOW_HIGH = (Column("low", "Low", PERCENT), Column("high", "High", PERCENT), NOTE)
CONFUSIONS = (
    *BY_ARM,
    Column("needed", "Needed"),
    Column("called", "Called"),
    Column("times", "Times", COUNT),
    Column("share", "Of the times that it was needed", PERCENT),
    *LOW_HIGH,
)
ARGUMENTS = (
    *BY_ARM,
    Column("tool", "Tool"),
    Column("field", "Field"),
    Column("calls", "Calls", COUNT),
    *interval_columns("wrong", "Wrong", PERCENT, prefix="wrong_"),
    Column("missing", "Missing", COUNT),
    Column("other", "Another value", COUNT),
    Column("extra", "No such field", COUNT),
    Column("distance", "Mean distance", PERCENT),
    NOTE,
)
NO_FIELD = "(no such field)"
USE_NOTE = (
    "Judged episodes on gap-eligible items. When: of the episodes that need a call, the share with a call, "
    "and of those with a call, the share that needs it; tasks that are right either way count in neither. "
    "Which: calls to the right tools, as a share of the calls that were made or are missing. How: 1 minus "
    "the mean distance between the arguments of right tools and the right arguments; both are means over "
    "episodes. On pages a call is a form that is filled in; in other arms it is an action. A cell is empty "
    "if there is nothing to count."
)
INTERVALS_NOTE = (
    "Intervals are score intervals on the effective sample size, over items and looks (two-way clustered). "
    "If there is no variation between items, each counts once. With fewer than 10 items there is no interval."
)
CONFUSIONS_NOTE = (
    "Which: calls that were needed and not made, paired in order with the needless calls of the same "
    "episode. If a row has the same tool on both sides, it was called before the call whose result it needs."
)
ARGUMENTS_NOTE = (
    "How: of the calls of the right tool, the share in which a field was left out or had an unacceptable "
    "value, and the share with an argument for which the tool has no field. The mean distance includes the "
    "right arguments."
)


def _arms(analysis: Analysis) -> Iterator[ArmToolScores]:
    if Benchmark.objects.filter(kind=kinds.TOOLS, pk=analysis.benchmark).exists():
        yield from (scores_read(analysis, key) for key in analysis.arms)


def _has_tools(analysis: Analysis) -> bool:
    return bool(analysis.once(_arms))


def _single(analysis: Analysis) -> list[ArmToolScores]:
    """Return the arms that have rates, without those that mix set-ups, which only have counts."""
    return [arm for arm in analysis.once(_arms) if not analysis.mixture(arm.key)]


@report_table(
    "tools",
    "Use of tools",
    30,
    columns=USE,
    notes=[USE_NOTE, INTERVALS_NOTE],
    main=(
        *("benchmark", "arm", "episodes", "needing", "calling"),
        *("recall", "precision", "selection", "arguments"),
    ),
    when=_has_tools,
)
def use_rows(analysis: Analysis) -> list[Row]:
    return [_use_row(arm) for arm in analysis.once(_arms)]


@report_table(
    "tool_confusions",
    "Tools that were confused",
    31,
    columns=CONFUSIONS,
    notes=lambda _analyses, _rows: [CONFUSIONS_NOTE],
    when=_has_tools,
)
def confusion_rows(analysis: Analysis) -> list[Row]:
    return [row for arm in _single(analysis) for row in _confusion_rows(arm)]


@report_table(
    "tool_arguments",
    "Arguments of tools",
    32,
    columns=ARGUMENTS,
    notes=lambda _analyses, _rows: [ARGUMENTS_NOTE],
    when=_has_tools,
)
def argument_rows(analysis: Analysis) -> list[Row]:
    return [row for arm in _single(analysis) for row in _argument_rows(arm)]


def _use_row(arm: ArmToolScores) -> Row:
    rates, mixed = arm.rates, arm.analysis.mixture(arm.key)
    estimates = {} if mixed else {name: arm.estimate(part) for name, part in RATES.items()}
    are_these_looks = any(estimate.reason == THESE_LOOKS for estimate in estimates.values())
    row = {
        **arm.analysis.arm_cells(arm.key),
        "episodes": rates.episodes,
        "needing": rates.needing,
        "calling": rates.calling,
        "calls": rates.calls,
        "surplus": rates.surplus,
        "note": mixed or (THESE_LOOKS if are_these_looks else ""),
        "links": {"episodes": arm.analysis.episodes_link(arm.key)},
    }
    for name, estimate in estimates.items():
        row |= with_ends(name, estimate, prefix=f"{name}_")
    return row


def _confusion_rows(arm: ArmToolScores) -> Iterator[Row]:
    """Yield a row per confusion of tools, the most frequent first."""
    counts = arm.rates.confusions
    for pair in sorted(counts, key=lambda pair: (-counts[pair], pair)):
        part = partial(confusion_part, pair=pair)
        needed, called = pair
        # The times when no tool was needed are not counted, so there is no share to estimate.
        estimate = Estimate() if needed == NOTHING else arm.estimate(part)
        yield {
            **arm.analysis.arm_cells(arm.key),
            "needed": needed,
            "called": called,
            "times": counts[pair],
            **with_ends("share", estimate),
            "note": estimate.reason,
            "links": {"times": episodes_link(arm.counting(part))},
        }


def _argument_rows(arm: ArmToolScores) -> list[Row]:
    """Return a row for each field of the called tools, those with the most errors first."""
    fields = arm.rates.distances
    without_field = [(tool, EXTRA) for tool in sorted({tool for tool, _ in fields})]
    rows = [_argument_row(arm, place) for place in (*fields, *without_field)]
    return sorted(
        (row for row in rows if row["field"] != NO_FIELD or row["extra"]), key=lambda row: -row["wrong"]
    )


def _argument_row(arm: ArmToolScores, place: Pair) -> Row:
    part = partial(fault_part, place=place)
    estimate, wrong, (tool, field) = arm.estimate(part), arm.counting(part), place
    faults: dict[str, int] = {
        fault: sum(int(part(score, fault=fault).counted) for score in arm.scores) for fault in FAULTS
    }
    return {
        **arm.analysis.arm_cells(arm.key),
        "tool": tool,
        "field": field or NO_FIELD,
        "calls": sum(int(part(score).among) for score in arm.scores),
        **with_ends("wrong", estimate, prefix="wrong_"),
        **faults,
        "distance": scaled(arm.rates.distances.get(place)),
        "note": estimate.reason,
        "links": {"wrong": episodes_link(wrong)} if wrong else {},
    }
