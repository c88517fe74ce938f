"""Values over policy versions as coordinates in SVGs that share their horizontal axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trajectories.lab.reports.charts.scale import Scale, scale_of, step_of

if TYPE_CHECKING:
    from trajectories.reports.training.alarms import Alarm

WIDTH, HEIGHT = 560, 230
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 30, 32
POINTS_MAX = 120
WHISKERS_MAX = 60
LEGEND_WIDTH = 120


@dataclass(frozen=True, kw_only=True)
class Point:
    """``low_y`` is empty without an interval; it lies below ``high_y``."""

    x: str
    y: str
    low_y: str
    high_y: str
    text: str
    link: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """``number`` from 1 on sets its colour and dashes; ``path`` are its points as SVG has them."""

    name: str
    number: int
    points: Sequence[Point]
    path: str
    legend_x: int

    @property
    def legend_text_x(self) -> int:
        return self.legend_x + 26


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A vertical line where an alarm was raised."""

    x: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Chart:
    """``table`` is the id of the table with its values."""

    id: str
    title: str
    unit: str
    table: str
    lines: Sequence[Line]
    marks: Sequence[Mark]
    x_ticks: Sequence[tuple[str, str]]
    y_ticks: Sequence[tuple[str, str]]
    zero_y: str
    has_whiskers: bool
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    foot: int = HEIGHT - BOTTOM
    legend_y: int = 14
    axis_y: int = HEIGHT - 12

    @property
    def has_legend(self) -> bool:
        return len(self.lines) > 1


@dataclass(frozen=True, kw_only=True)
class ChartSpec:
    """What a chart shows: columns of some rows of a table, and the alarms of these ``rules``."""

    id: str
    title: str
    unit: str
    table: str
    columns: Mapping[str, str]
    rules: frozenset[str] = frozenset()
    benchmark: str = ""


CHARTS = (
    ChartSpec(id="reward", title="Reward", unit="%", table="versions", columns={"reward": "Reward"}),
    ChartSpec(
        id="thoughts",
        title="Thought length",
        unit="words per thought",
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
    specs = [*_evaluated(tables["evaluations"]), *CHARTS, *_posted(tables["metrics"])]
    points = {spec.id: _rows(spec, tables[spec.table]) for spec in specs}
    versions = sorted({version for rows in points.values() for version, _ in rows})
    if not versions:
        return []
    drawn = (_chart(spec, points[spec.id], versions, alarms) for spec in specs)
    return [chart for chart in drawn if chart]


def _evaluated(table: Mapping[str, Any]) -> list[ChartSpec]:
    """Accuracies together and the gap, of each benchmark."""
    names = list(dict.fromkeys(row["benchmark"] for row in table["rows"]))
    specs = []
    for place, name in enumerate(names):
        accuracies = ("accuracy", "Accuracy", "%", {"text": "As text", "page": "As a page"})
        gap = ("gap", "Gap", "points, text less page", {"gap": "Gap"})
        specs += [
            ChartSpec(
                id=f"{id_}-{place}",
                title=f"{title} on {name}",
                unit=unit,
                table="evaluations",
                columns=columns,
                rules=frozenset({"text"}),
                benchmark=name,
            )
            for id_, title, unit, columns in (accuracies, gap)
        ]
    return specs


def _posted(table: Mapping[str, Any]) -> list[ChartSpec]:
    return [
        ChartSpec(
            id=column["id"].replace("_", "-"),
            title=column["title"],
            unit="as posted",
            table="metrics",
            columns={column["id"]: column["title"]},
        )
        for column in table["columns"][1:]
    ]


def _rows(spec: ChartSpec, table: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """Rows with a number to draw, by version; the start of training stands before the first."""
    rows = [row for row in table["rows"] if row.get("benchmark", "") == spec.benchmark]
    rows = [row for row in rows if any(row.get(name) is not None for name in spec.columns)]
    numbered = [int(row["version"]) for row in rows if row["version"] is not None]
    start = min(numbered, default=1) - 1
    placed = [(start if row["version"] is None else int(row["version"]), row) for row in rows]
    stride = -(-len(placed) // POINTS_MAX)
    return placed[::-1][::stride][::-1] if placed else []


def _chart(
    spec: ChartSpec,
    rows: Sequence[tuple[int, Mapping[str, Any]]],
    versions: Sequence[int],
    alarms: Sequence[Alarm],
) -> Chart | None:
    if len(rows) < 2:
        return None
    within = (0.0, 100.0) if spec.unit.startswith("%") else (-math.inf, math.inf)
    across = Scale(
        low=versions[0], high=max(versions[-1], versions[0] + 1), step=1, start=LEFT, end=WIDTH - RIGHT
    )
    up = scale_of(_ends(spec, rows), start=HEIGHT - BOTTOM, end=TOP, within=within)

    def x_of(version: int) -> str:
        return f"{across.place(version):.1f}"

    def y_of(value: float) -> str:
        return f"{up.place(value):.1f}"

    raised = [alarm for alarm in alarms if alarm.rule in spec.rules and alarm.scope in ("", spec.benchmark)]
    return Chart(
        id=spec.id,
        title=spec.title,
        unit=spec.unit,
        table=spec.table,
        lines=_lines(spec, rows, x_of, y_of),
        marks=[
            Mark(x=x_of(alarm.version), text=f"{alarm.title}, version {alarm.version}") for alarm in raised
        ],
        x_ticks=[(str(version), x_of(version)) for version in _version_ticks(versions)],
        y_ticks=[(text, f"{y:.1f}") for text, y in up.ticks],
        zero_y=y_of(0.0) if up.low < 0 < up.high else "",
        has_whiskers=len(rows) <= WHISKERS_MAX,
    )


def _lines(
    spec: ChartSpec,
    rows: Sequence[tuple[int, Mapping[str, Any]]],
    x_of: Callable[[int], str],
    y_of: Callable[[float], str],
) -> list[Line]:
    lines = []
    for number, (column, name) in enumerate(spec.columns.items(), 1):
        points = [
            _point(row, column, name, x_of(version), y_of, unit=spec.unit)
            for version, row in rows
            if row.get(column) is not None
        ]
        path = " ".join(f"{point.x},{point.y}" for point in points)
        legend_x = LEFT + (number - 1) * LEGEND_WIDTH
        lines.append(Line(name=name, number=number, points=points, path=path, legend_x=legend_x))
    return [line for line in lines if line.points]


def _point(
    row: Mapping[str, Any], column: str, name: str, x: str, y_of: Callable[[float], str], *, unit: str
) -> Point:
    value, (low, high) = row[column], _interval(row, column)
    where = "the start" if row["version"] is None else f"version {row['version']}"
    between = "" if low is None else f" ({low:.4g} to {high:.4g})"
    links = row.get("links", {})
    return Point(
        x=x,
        y=y_of(value),
        low_y="" if low is None else y_of(low),
        high_y="" if high is None else y_of(high),
        text=f"{name} at {where}: {value:.4g}{between} {unit}",
        link=links.get(column) or links.get("episodes") or links.get("page", ""),
    )


def _interval(row: Mapping[str, Any], column: str) -> tuple[float | None, float | None]:
    low, high = ("low", "high") if column == "gap" else (f"{column}_low", f"{column}_high")
    return row.get(low), row.get(high)


def _ends(spec: ChartSpec, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> list[float]:
    """All values to draw, with the ends of their intervals."""
    values = [
        value for _, row in rows for name in spec.columns for value in (row.get(name), *_interval(row, name))
    ]
    return [value for value in values if value is not None]


def _version_ticks(versions: Sequence[int]) -> list[int]:
    low, high = versions[0], versions[-1]
    if high == low:
        return [low]
    size = max(round(step_of(high - low)), 1)
    return list(range(-(-low // size) * size, high + 1, size))
