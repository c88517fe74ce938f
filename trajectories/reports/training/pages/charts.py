"""Charts of values over policy versions, which share their horizontal axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.reports.labels import interval_of, link_of
from trajectories.reports.pages.formats import CHARTS as KINDS
from trajectories.reports.pages.formats import FileLink, file_links
from trajectories.reports.training.alarms import Alarm
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.lines import FRAME, Line, LineChart, Point, series_style, thin
from trajectories.shell.text.untrusted import visible

LEGEND_WIDTH = 120
WORDS = "words per thought"
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ChartSpec:
    """The specification of a chart.

    The chart draws ``columns`` of the rows of a table that have ``scope`` in column ``by``, and the alarms of
    ``rules``.
    """

    id: str
    title: str
    unit: str
    table: str
    columns: Mapping[str, str]
    rules: frozenset[str] = frozenset()
    scope: str = ""
    by: str = "benchmark"

    @property
    def within(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        if self.unit == WORDS:
            return 0.0, math.inf
        return (0.0, 100.0) if self.unit.startswith("%") else (-math.inf, math.inf)


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart that has been drawn; ``table`` is the id of the table with its values."""

    id: str
    title: str
    table: str
    drawing: Drawing
    has_intervals: bool

    @property
    def files(self) -> list[FileLink]:
        return file_links(self.id, KINDS)


NARRATION = "% of the thought that restates page or action"
# The charts of measures by version: id, title, unit, the column with its name, and the rule of its alarms.
MEASURES = (
    ("reward", "Reward", "%", {"reward": "Reward"}, ""),
    ("thoughts", "Thought length", WORDS, {"thought_words": "Words"}, "thoughts"),
    ("narration", "Narration", NARRATION, {"restates": "Narration"}, "narration"),
    ("invalid", "Invalid actions", "% of steps", {"invalid_actions": "Invalid"}, "invalid_actions"),
    ("void", "Void", "% of episodes", {"void": "Void"}, "void"),
)
CHARTS = (
    *(
        ChartSpec(id=id_, title=title, unit=unit, table="versions", columns=columns, rules=frozenset({rule}))
        for id_, title, unit, columns, rule in MEASURES
    ),
    ChartSpec(
        id="degenerate",
        title="Degenerate groups",
        unit="% of groups",
        table="tasks",
        columns={"all_right_share": "All right", "all_wrong_share": "All wrong"},
    ),
)


def charts_of(tables: Mapping[str, Mapping[str, Any]], alarms: Sequence[Alarm]) -> list[Chart]:
    """Return the charts with at least two points, on a common axis of versions; tables are by id."""
    specs = [
        *_evaluated(tables["evaluations"]),
        *CHARTS,
        *_components(tables["components"], alarms),
        *_posted(tables["metrics"]),
    ]
    start = _start(tables)
    rows = {spec.id: _rows(spec, tables[spec.table], start=start) for spec in specs}
    versions = sorted({version for placed in rows.values() for version, _ in placed})
    return [_chart(spec, rows[spec.id], versions, alarms) for spec in specs if len(rows[spec.id]) > 1]


def _evaluated(table: Mapping[str, Any]) -> list[ChartSpec]:
    """Return, for each benchmark, the specifications of a chart of the accuracies and a chart of the gap."""
    names = list(dict.fromkeys(row["benchmark"] for row in table["rows"]))
    specs = []
    for index, name in enumerate(names):
        accuracies = ("accuracy", "Accuracy", "%", {"text": "As text", "page": "As a page"})
        gap = ("gap", "Gap", "points, text less page", {"gap": "Gap"})
        specs += [
            ChartSpec(
                id=f"{id_}_{index}",
                title=f"{title} on {name}",
                unit=unit,
                table="evaluations",
                columns=columns,
                rules=frozenset({"text"}),
                scope=name,
            )
            for id_, title, unit, columns in (accuracies, gap)
        ]
    return specs


def _components(table: Mapping[str, Any], alarms: Sequence[Alarm]) -> list[ChartSpec]:
    """Return the specifications of charts of reward components.

    There is one for each component that raised an alarm, and one of accuracy with shaping for each stage.
    """
    titles = {column["id"]: column["title"] for column in table["columns"]}
    stages = list(dict.fromkeys(row["stage"] for row in table["rows"]))
    alone = [(alarm.measure, alarm.scope) for alarm in alarms if alarm.measure in titles]
    pairs = [("shaping", stage) for stage in stages if "shaping" in titles]
    return [
        ChartSpec(
            id=f"{measure}_{stages.index(stage)}",
            title=f"{titles[measure]} in {stage}" if stage else titles[measure],
            unit="%",
            table="components",
            columns={name: titles[name] for name in names},
            rules=frozenset(
                alarm.rule for alarm in alarms if (alarm.measure, alarm.scope) == (measure, stage)
            ),
            scope=stage,
            by="stage",
        )
        for measure, stage in dict.fromkeys([*pairs, *alone])
        for names in [("outcome", measure) if measure == "shaping" else (measure,)]
    ]


def _posted(table: Mapping[str, Any]) -> list[ChartSpec]:
    return [
        ChartSpec(
            id=column["id"],
            title=column["title"],
            unit="as posted",
            table="metrics",
            columns={column["id"]: column["title"]},
        )
        for column in table["columns"][1:]
    ]


def _start(tables: Mapping[str, Mapping[str, Any]]) -> int:
    """Return the version at which the start of training is drawn.

    It is the version before the run's first, except if the first is 0 and no evaluation has a checkpoint of
    its own for it. In that case, version 0 is the start itself.
    """
    versions = {
        name: {int(row["version"]) for row in tables[name]["rows"] if row["version"] is not None}
        for name in ("versions", "tasks", "metrics", "evaluations")
    }
    first = min(set().union(*versions.values()), default=1)
    return 0 if first == 0 and 0 not in versions["evaluations"] else first - 1


def _rows(spec: ChartSpec, table: Mapping[str, Any], *, start: int) -> Sequence[tuple[int, Row]]:
    """Return the rows that have a number to draw, each with its version, thinned out if there are many."""
    rows = [row for row in table["rows"] if row.get(spec.by, "") == spec.scope]
    rows = [row for row in rows if any(row.get(name) is not None for name in spec.columns)]
    placed = [(start if row["version"] is None else int(row["version"]), row) for row in rows]
    return thin(placed)


def _chart(
    spec: ChartSpec, rows: Sequence[tuple[int, Row]], versions: Sequence[int], alarms: Sequence[Alarm]
) -> Chart:
    lines = [_line(spec, number, column, rows) for number, column in enumerate(spec.columns)]
    points = [point for line in lines for point in line.points]
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    chart = LineChart(
        name=f"chart-{spec.id}",
        title=f"{visible(spec.title)} by policy version",
        description=f"{len(rows)} versions, in {spec.unit}. The table has the same numbers.",
        lines=lines,
        versions=versions,
        values=FRAME.scale_of(ends, within=spec.within),
        unit=spec.unit,
        alarms=[
            (alarm.version, f"{alarm.title}, version {alarm.version}")
            for alarm in alarms
            if alarm.rule in spec.rules and alarm.scope in ("", spec.scope)
        ],
        legend_width=LEGEND_WIDTH if len(spec.columns) > 1 else 0,
    )
    return Chart(
        id=spec.id,
        title=visible(spec.title),
        table=spec.table,
        drawing=chart.draw(),
        has_intervals=any(point.low is not None for point in points),
    )


def _line(spec: ChartSpec, number: int, column: str, rows: Sequence[tuple[int, Row]]) -> Line:
    """Return the line of one column, which is dashed if it is the second."""
    name = visible(spec.columns[column])
    points = []
    for version, row in rows:
        if row.get(column) is None:
            continue
        low, high = interval_of(row, column)
        where = "the start" if row["version"] is None else f"version {row['version']}"
        between = "" if low is None else f" ({low:.4g} to {high:.4g})"
        tip = f"{name} at {where}: {row[column]:.4g}{between} {spec.unit}"
        points.append(Point(version, row[column], tip, low, high, link_of(row, column)))
    return Line(name=name, style=series_style(number, is_dashed=number == 1), points=points)
