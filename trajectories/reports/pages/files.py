"""The files of a report by name: its page, its episodes row by row, each table and each chart."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection
from functools import cache
from typing import Any

import msgspec
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import mark_safe

from core.errors import GymError
from core.web.assets import static_file
from palaestra.protocol.suggestions import did_you_mean
from trajectories.models import Report
from trajectories.reports import exports, selectors
from trajectories.reports.catalogue import chart_draw
from trajectories.reports.pages.formats import (
    CHARTS,
    CONTENT_TYPES,
    TABLES,
    File,
    Table,
    chart_file,
    table_file,
)
from trajectories.reports.pages.pages import ReportPage
from trajectories.reports.pages.tables import table_get
from trajectories.shell.charts.drawing import Drawing

PAGE, ROWS = "report", "rows"
SHEETS = ("base.css", "lab/tokens.css", "lab/base.css", "lab/report.css")
TYPEFACE = "vendor/inter/inter-latin.woff2"


def file_names(report: Report) -> list[str]:
    """Return the names of a report's files.

    Before it has a result, these are only its page, JSON and rows.
    """
    tables = report.result["tables"] if report.result else []
    names = [f"{PAGE}.html", f"{PAGE}.json", *(f"{ROWS}.{kind}" for kind in exports.ROWS)]
    for table in tables:
        names += [f"{table['id']}.{kind}" for kind in TABLES]
        if _drawing(report, table) is not None:
            names += [f"{table['id']}.{kind}" for kind in CHARTS]
    return names


def file_get(report: Report, name: str, *, splits: Collection[str] = ()) -> File:
    """Return a file of a report.

    Raises ``GymError`` 404 ``unknown_file``, which suggests the nearest name.
    """
    stem, _, kind = name.rpartition(".")
    file = _file(report, stem, kind, splits)
    if file is None:
        names = file_names(report)
        hint = did_you_mean(name, names)
        raise GymError("unknown_file", f"Report {report.pk} has no file {name[:100]!r}. {hint}", status=404)
    return file


def _file(report: Report, stem: str, kind: str, splits: Collection[str]) -> File | None:
    if stem == PAGE and kind == "html":
        return File(CONTENT_TYPES[kind], [report_html(report.pk).encode("utf-8", "replace")])
    if stem == PAGE and kind == "json":
        return File(CONTENT_TYPES[kind], [msgspec.json.encode(_record(report))])
    if stem == ROWS and kind in exports.ROWS:
        return File(CONTENT_TYPES[kind], exports.rows_export(report, kind, splits=splits))
    table = table_get(report.result, stem)
    if table is None:
        return None
    if kind in TABLES:
        return table_file(table, kind, source=report.name)
    drawing = _drawing(report, table) if kind in CHARTS else None
    return None if drawing is None else chart_file(drawing, kind)


def _drawing(report: Report, table: Table) -> Drawing | None:
    return chart_draw(table, margin=report.plan.get("margin"))


def _record(report: Report) -> dict[str, Any]:
    """Return the report as JSON, with its plan, its runs and its tables."""
    return {
        "id": report.pk,
        "name": report.name,
        "plan_sha256": report.plan_sha256,
        "computed_at": report.computed_at,
        "plan": report.plan,
        "runs": [run.pk for run in selectors.report_runs(report.pk)],
        "result": report.result,
    }


def report_html(report_id: int) -> str:
    """Render the report's page as one file, which fetches and runs nothing. Its links lead to the lab."""
    context = {
        "page": ReportPage(report_id),
        "styles": mark_safe(f"<style>{_styles()}</style>"),  # noqa: S308 (files of this project)
        "lab_url": settings.LAB_URL,
        "made_at": timezone.now(),
        "is_file": True,
    }
    return render_to_string("lab/reports/file.html", context)


@cache
def _styles() -> str:
    sheets = [static_file(f"css/{name}").read_text(encoding="utf-8") for name in SHEETS]
    letters = b64encode(static_file(TYPEFACE).read_bytes()).decode()
    source = f'url("data:font/woff2;base64,{letters}") format("woff2")'
    face = f'@font-face {{ font-family: "Inter"; font-weight: 100 900; src: {source}; }}'
    return "".join([face, *sheets])
