"""The files of a report, by name: its page, its episodes row by row, each table and each chart."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from core.errors import GymError, did_you_mean
from trajectories.lab.reports.charts.drawing import Drawing
from trajectories.lab.reports.charts.kinds import chart_draw
from trajectories.lab.reports.charts.paper import pdf_of, png_of
from trajectories.lab.reports.html_file import report_html
from trajectories.lab.reports.latex import table_tex
from trajectories.lab.reports.tables import table_shown
from trajectories.models import Report
from trajectories.reports import exports, selectors

Table = Mapping[str, Any]

CONTENT_TYPES = {
    **exports.CONTENT_TYPES,
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "tex": "application/x-tex; charset=utf-8",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
}
TABLES: dict[str, Callable[[Report, Table], bytes]] = {
    "csv": lambda _, table: exports.table_as_csv(table),
    "json": lambda _, table: msgspec.json.encode(table),
    "parquet": lambda _, table: exports.table_as_parquet(table),
    "tex": lambda report, table: table_tex(
        table_shown(table), caption=f"{table['title']}: {report.name}"
    ).encode(),
}
CHARTS: dict[str, Callable[[Drawing], bytes]] = {
    "svg": lambda drawing: drawing.file_svg().encode(),
    "pdf": lambda drawing: pdf_of(drawing.file_svg()),
    "png": lambda drawing: png_of(drawing.file_svg()),
}
PAGE, ROWS = "report", "rows"


class File(NamedTuple):
    """``parts`` are read once."""

    content_type: str
    parts: Iterable[bytes]


def file_names(report: Report) -> list[str]:
    """What there is: without a result, the page and the rows alone."""
    tables = report.result["tables"] if report.result else []
    names = [f"{PAGE}.html", f"{PAGE}.json", *(f"{ROWS}.{kind}" for kind in exports.ROWS)]
    for table in tables:
        names += [f"{table['id']}.{kind}" for kind in TABLES]
        if _drawing(report, table) is not None:
            names += [f"{table['id']}.{kind}" for kind in CHARTS]
    return names


def file_get(report: Report, name: str, *, splits: Collection[str] = ()) -> File:
    """One file. Raises ``GymError`` 404 ``unknown_file`` with the name that is nearest."""
    stem, _, kind = name.rpartition(".")
    parts = _parts(report, stem, kind, splits)
    if parts is None:
        names = file_names(report)
        hint = did_you_mean(name, names)
        raise GymError("unknown_file", f"Report {report.pk} has no file {name[:100]!r}. {hint}", status=404)
    return File(content_type(name), parts)


def content_type(name: str) -> str:
    return CONTENT_TYPES[name.rpartition(".")[2]]


def _parts(report: Report, stem: str, kind: str, splits: Collection[str]) -> Iterable[bytes] | None:
    if stem == PAGE and kind == "html":
        return [report_html(report.pk).encode("utf-8", "replace")]
    if stem == PAGE and kind == "json":
        return [msgspec.json.encode(_record(report))]
    if stem == ROWS and kind in exports.ROWS:
        return exports.rows_export(report, kind, splits=splits)
    table = next((one for one in (report.result or {}).get("tables", ()) if one["id"] == stem), None)
    if table is None:
        return None
    if kind in TABLES:
        return [TABLES[kind](report, table)]
    drawing = _drawing(report, table) if kind in CHARTS else None
    return None if drawing is None else [CHARTS[kind](drawing)]


def _drawing(report: Report, table: Table) -> Drawing | None:
    return chart_draw(table, margin=report.plan.get("margin"))


def _record(report: Report) -> dict[str, Any]:
    """What a reader of the file needs to know of its tables."""
    return {
        "id": report.pk,
        "name": report.name,
        "plan_sha256": report.plan_sha256,
        "computed_at": report.computed_at,
        "plan": report.plan,
        "runs": [run.pk for run in selectors.report_runs(report.pk)],
        "result": report.result,
    }
