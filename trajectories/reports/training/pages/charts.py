"""Values over policy versions as drawings that share their horizontal axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trajectories.reports.pages.formats import CHARTS as KINDS
from trajectories.reports.pages.formats import FileLink, file_links
from trajectories.reports.pages.tables import INTERVALS, link_of
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.scale import scale_of
from trajectories.shell.charts.version_axes import axes_draw, versions_scale
from trajectories.shell.text.untrusted import visible

if TYPE_CHECKING:
    from trajectories.reports.training.alarms import Alarm

WIDTH, HEIGHT = 560, 244
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 30, 46
POINTS_MAX = 120
WHISKERS_MAX = 60
LEGEND_WIDTH = 120
LEGEND_Y = 14
# By the number of a chart's line: they differ in more than colour.
LINES = (("plot-stroke-0", "plot-ink-0"), ("plot-stroke-1 plot-dashed", "plot-ink-1"))

WORDS = "words per thought"
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ChartSpec:
    """Specification of a chart.

    It draws columns of a table, of the rows with ``scope`` in column ``by``, and the alarms of ``rules``.
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
        """Lowest and highest possible value."""
        if self.unit == WORDS:
            return 0.0, math.inf
        return (0.0, 100.0) if self.unit.startswith("%") else (-math.inf, math.inf)


@dataclass(frozen=True, kw_only=True)
class Chart:
    """``table`` is the id of the table with its values."""

    id: str
    title: str
    table: str
    drawing: Drawing
    has_intervals: bool

    @property
    def files(self) -> list[FileLink]:
        return file_links(self.id, KINDS)


CHARTS = (
    ChartSpec(id="reward", title="Reward", unit="%", table="versions", columns={"reward": "Reward"}),
    ChartSpec(
        id="thoughts",
        title="Thought length",
        unit=WORDS,
        table="versions",
        columns={"thought_words": "Words"},
        rules=frozenset({"thoughts"}),
    ),
    ChartSpec(
        id="narration",
        title="Narration",
        unit="% of the thought that restates page or action",
        table="versions",
        columns={"restates": "Narration"},
        rules=frozenset({"narration"}),
    ),
    ChartSpec(
        id="invalid",
        title="Invalid actions",
        unit="% of steps",
        table="versions",
        columns={"invalid_actions": "Invalid"},
        rules=frozenset({"invalid_actions"}),
    ),
    ChartSpec(
        id="void",
        title="Void",
        unit="% of episodes",
        table="versions",
        columns={"void": "Void"},
        rules=frozenset({"void"}),
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
    """The charts that have two points or more, on one axis of versions; tables by id."""
    specs = [
        *_evaluated(tables["evaluations"]),
        *CHARTS,
        *_components(tables["components"], alarms),
        *_posted(tables["metrics"]),
    ]
    start = _start(tables)
    rows = {spec.id: _rows(spec, tables[spec.table], start=start) for spec in specs}
    versions = sorted({version for placed in rows.values() for version, _ in placed})
    return [
        Chart(
            id=spec.id,
            title=visible(spec.title),
            table=spec.table,
            drawing=_Plot(spec, rows[spec.id], versions, alarms).draw(),
            has_intervals=any(
                _interval(row, name)[0] is not None for _, row in rows[spec.id] for name in spec.columns
            ),
        )
        for spec in specs
        if len(rows[spec.id]) > 1
    ]


def _evaluated(table: Mapping[str, Any]) -> list[ChartSpec]:
    """Accuracies together and the gap, of each benchmark."""
    names = list(dict.fromkeys(row["benchmark"] for row in table["rows"]))
    specs = []
    for place, name in enumerate(names):
        accuracies = ("accuracy", "Accuracy", "%", {"text": "As text", "page": "As a page"})
        gap = ("gap", "Gap", "points, text less page", {"gap": "Gap"})
        specs += [
            ChartSpec(
                id=f"{id_}_{place}",
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
    """Return charts of the components that raised an alarm, and of each stage's accuracy beside shaping."""
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

    It is the version before the run's first, or version 0 if that is the start itself, since no evaluation
    names a checkpoint of its own for it.
    """
    versions = {
        name: {int(row["version"]) for row in tables[name]["rows"] if row["version"] is not None}
        for name in ("versions", "tasks", "metrics", "evaluations")
    }
    first = min(set().union(*versions.values()), default=1)
    return 0 if first == 0 and 0 not in versions["evaluations"] else first - 1


def _rows(spec: ChartSpec, table: Mapping[str, Any], *, start: int) -> list[tuple[int, Row]]:
    """Rows with a number to draw, by version."""
    rows = [row for row in table["rows"] if row.get(spec.by, "") == spec.scope]
    rows = [row for row in rows if any(row.get(name) is not None for name in spec.columns)]
    placed = [(start if row["version"] is None else int(row["version"]), row) for row in rows]
    stride = -(-len(placed) // POINTS_MAX)
    return placed[::-1][::stride][::-1] if placed else []


class _Plot:
    """One chart: the scales, and what is drawn on them."""

    def __init__(
        self,
        spec: ChartSpec,
        rows: Sequence[tuple[int, Row]],
        versions: Sequence[int],
        alarms: Sequence[Alarm],
    ) -> None:
        self._spec, self._rows, self._versions = spec, rows, versions
        self._alarms = [
            alarm for alarm in alarms if alarm.rule in spec.rules and alarm.scope in ("", spec.scope)
        ]
        self._x = versions_scale(versions, start=LEFT, end=WIDTH - RIGHT)
        self._y = scale_of(_ends(spec, rows), start=HEIGHT - BOTTOM, end=TOP, within=spec.within)
        self._drawing = Drawing(
            name=f"chart-{spec.id}",
            width=WIDTH,
            height=HEIGHT,
            title=f"{visible(spec.title)} by policy version",
            description=f"{len(rows)} versions, in {spec.unit}. The table has the same.",
        )

    def draw(self) -> Drawing:
        self._drawing.text("plot-soft plot-small plot-end", self._x.end, LEGEND_Y, self._spec.unit)
        axes_draw(self._drawing, self._x, self._y, versions=self._versions)
        for alarm in self._alarms:
            x = self._x.place(alarm.version)
            tip = f"{alarm.title}, version {alarm.version}"
            self._drawing.line("plot-alarm", x, TOP, x, HEIGHT - BOTTOM, tip=tip)
        for number, (column, name) in enumerate(self._spec.columns.items()):
            rows = [(version, row) for version, row in self._rows if row.get(column) is not None]
            if rows:
                self._line(number, column, visible(name), rows)
        return self._drawing

    def _line(self, number: int, column: str, name: str, rows: Sequence[tuple[int, Row]]) -> None:
        drawing, (stroke, ink) = self._drawing, LINES[number]
        if len(self._spec.columns) > 1:
            start = LEFT + number * LEGEND_WIDTH
            drawing.line(stroke, start, LEGEND_Y, start + 20, LEGEND_Y)
            drawing.text("", start + 26, LEGEND_Y, name)
        points = [(self._x.place(version), self._y.place(row[column])) for version, row in rows]
        drawing.path(stroke, points)
        for (_, row), (x, y) in zip(rows, points, strict=True):
            low, high = _interval(row, column)
            if low is not None and high is not None and len(self._rows) <= WHISKERS_MAX:
                drawing.line(f"{stroke} plot-faint", x, self._y.place(low), x, self._y.place(high))
            tip = _tip(row, column, name, self._spec.unit)
            drawing.dot(ink, x, y, r=3.5, link=link_of(row, column), tip=tip)


def _tip(row: Row, column: str, name: str, unit: str) -> str:
    low, high = _interval(row, column)
    where = "the start" if row["version"] is None else f"version {row['version']}"
    between = "" if low is None else f" ({low:.4g} to {high:.4g})"
    return f"{name} at {where}: {row[column]:.4g}{between} {unit}"


def _interval(row: Row, column: str) -> tuple[float | None, float | None]:
    low, high = INTERVALS.get(column, ("", ""))
    return row.get(low), row.get(high)


def _ends(spec: ChartSpec, rows: Iterable[tuple[int, Row]]) -> list[float]:
    """All values to draw, with the ends of their intervals."""
    values = [
        value for _, row in rows for name in spec.columns for value in (row.get(name), *_interval(row, name))
    ]
    return [value for value in values if value is not None]
