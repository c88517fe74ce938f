"""The file formats in which the lab offers tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from django.http import StreamingHttpResponse

from trajectories.reports import exports
from trajectories.reports.pages.latex import table_tex
from trajectories.reports.pages.tables import table_shown
from trajectories.shell.charts.drawing import Drawing

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
# Names of formats in links; other formats are shown as their file ending in capitals.
NAMES = {"tex": "LaTeX", "parquet": "Parquet"}
# A file from the lab is data, so browsers must not run anything in it.
FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

# Three pixels per page pixel, which gives 300 dpi in a column of a paper.
PNG_SCALE = 3.0


def pdf_of(svg: str) -> bytes:
    # The library takes 30 MB and is needed only to export charts, so it is imported here.
    import vl_convert

    return vl_convert.svg_to_pdf(svg)


def png_of(svg: str) -> bytes:
    import vl_convert

    return vl_convert.svg_to_png(svg, scale=PNG_SCALE)


TABLES: dict[str, Callable[[Table, str], bytes]] = {
    "csv": lambda table, _: exports.table_as_csv(table),
    "parquet": lambda table, _: exports.table_as_parquet(table),
    "json": lambda table, _: msgspec.json.encode(table),
    "tex": lambda table, source: table_tex(
        table_shown(table), caption=f"{table['title']}: {source}"
    ).encode(),
}
CHARTS: dict[str, Callable[[Drawing], bytes]] = {
    "svg": lambda drawing: drawing.file_svg().encode(),
    "pdf": lambda drawing: pdf_of(drawing.file_svg()),
    "png": lambda drawing: png_of(drawing.file_svg()),
}


class File(NamedTuple):
    """A file to send, whose ``parts`` can be read only once."""

    content_type: str
    parts: Iterable[bytes]


class FileLink(NamedTuple):
    """A link to a file, with its ``format`` for readers and its ``name`` without the page's folder."""

    format: str
    name: str


def content_type(name: str) -> str:
    return CONTENT_TYPES[name.rpartition(".")[2]]


def table_file(table: Table, kind: str, *, source: str) -> File:
    """Write a table as a file of a ``kind`` in ``TABLES``; captions name the ``source`` of the table."""
    return File(CONTENT_TYPES[kind], [TABLES[kind](table, source)])


def chart_file(drawing: Drawing, kind: str) -> File:
    """Write a chart as a file of a ``kind`` in ``CHARTS``."""
    return File(CONTENT_TYPES[kind], [CHARTS[kind](drawing)])


def file_links(stem: str, kinds: Collection[str]) -> list[FileLink]:
    return [FileLink(NAMES.get(kind, kind.upper()), f"{stem}.{kind}") for kind in kinds]


def download(file: File, name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(file.parts, content_type=file.content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = FILE_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    return response
