"""When, which and how tools were called, by arm: the modality gap of tool use beside that of answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from core.outcomes import VOID
from tasks_app import kinds
from tasks_app.models import Benchmark
from tasks_app.tool_tasks.rates import rates_of
from tasks_app.tool_tasks.scores import Score
from trajectories.reports.analysis import Analysis
from trajectories.reports.ladder import ArmKey
from trajectories.reports.tables import COUNT, PERCENT, Column, Row, Table, scaled
from trajectories.rewards.store import readings_of
from trajectories.rewards.tool_scores import score_read

CHUNK = 500
COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Arm"),
    Column("episodes", "Episodes", COUNT),
    Column("needing", "Need a call", COUNT),
    Column("calling", "With a call", COUNT),
    Column("calls", "Calls", COUNT),
    Column("surplus", "Needless", COUNT),
    Column("recall", "Calls where needed", PERCENT),
    Column("precision", "Needed where called", PERCENT),
    Column("selection", "Right tools", PERCENT),
    Column("arguments", "Right arguments", PERCENT),
    Column("execution", "Calls with a result", PERCENT),
)
NOTE = (
    "Judged episodes on gap-eligible items. When: of episodes that need a call, the share with one, and of "
    "those with one, the share that needs it; tasks that are right either way count in neither. Which: calls "
    "of right tools, as a share of those made and those missing. How: 1 less the mean distance of the "
    "arguments of right tools from the right ones; both are means over episodes. On pages a call is a form "
    "that is filled in; in other arms it is an action. A cell is empty where there is nothing to share."
)


def tool_table(analyses: Sequence[Analysis]) -> Table | None:
    """None for a report without a benchmark of tools."""
    ids = set(Benchmark.objects.filter(kind=kinds.TOOLS).values_list("id", flat=True))
    own = [analysis for analysis in analyses if analysis.benchmark in ids]
    rows = [_row(analysis, key) for analysis in own for key in analysis.arms]
    return Table(id="tools", title="Use of tools", columns=COLUMNS, rows=rows, notes=[NOTE]) if rows else None


def _row(analysis: Analysis, key: ArmKey) -> Row:
    rates = rates_of(list(_scores(analysis, key)))
    return {
        "benchmark": analysis.benchmark,
        "arm": key.id,
        "episodes": rates.episodes,
        "needing": rates.needing,
        "calling": rates.calling,
        "calls": rates.calls,
        "surplus": rates.surplus,
        "recall": scaled(rates.recall),
        "precision": scaled(rates.precision),
        "selection": scaled(rates.selection),
        "arguments": scaled(rates.arguments),
        "execution": scaled(rates.execution),
        "links": {"episodes": analysis.episodes_link(key)},
    }


def _scores(analysis: Analysis, key: ArmKey) -> Iterator[Score]:
    """Of an arm's judged episodes; read in chunks, since each is read with its steps and events."""
    made = analysis.data.episodes(key, analysis.items)
    episodes = iter(made.where(made.outcome >= 0).episode.tolist())
    while chunk := list(islice(episodes, CHUNK)):
        for reading in readings_of(chunk):
            if reading.outcome != VOID and (score := score_read(reading)) is not None:
                yield score
