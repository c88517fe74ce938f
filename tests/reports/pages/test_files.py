"""The files of a report."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any

import pyarrow.parquet
import pytest

from tests import factories
from tests.conftest import LabClient
from tests.reports.simulated import report_fill
from tests.reports.test_computation import tables_of
from trajectories.models import Report
from trajectories.reports.pages.latex import escaped, table_tex
from trajectories.reports.pages.tables import ShownTable

pytestmark = pytest.mark.django_db
ARMS = ("text_zero_shot", "gym")


@pytest.fixture
def report() -> Report:
    made = report_fill(benchmarks=["gsm8k", "arc"], arms=ARMS, items=12, looks=2, name="50% & more_of \\it")
    tables_of(made)
    made.refresh_from_db()
    return made


def read(client: Any, report: Report, name: str) -> bytes:
    response = client.get(f"/api/v1/reports/{report.pk}/files/{name}")
    assert response.status_code == 200, name
    return bytes(b"".join(response.streaming_content))


def test_every_file_that_is_listed_can_be_read(api: Callable[..., Any], report: Report) -> None:
    client = api("read", splits=["test"])

    status, answer = client.json("GET", f"/reports/{report.pk}/files")

    names = [file["name"] for file in answer["results"]]
    assert status == 200
    assert {"report.html", "report.json", "rows.parquet", "gaps.tex", "gaps.pdf", "accuracy.svg"} <= set(
        names
    )
    assert all(read(client, report, name) for name in names)
    assert read(client, report, "gaps.pdf").startswith(b"%PDF")
    assert read(client, report, "gaps.png").startswith(b"\x89PNG")
    status, answer = client.json("GET", f"/reports/{report.pk}/files/gap.csv")
    assert (status, answer["error"]["code"]) == (404, "unknown_file")
    assert "Did you mean gaps.csv" in answer["error"]["message"]
    assert api("read", splits=["train"]).json("GET", f"/reports/{report.pk}/files")[0] == 404


def test_parquet_csv_and_json_have_the_same_rows(api: Callable[..., Any], report: Report) -> None:
    client = api("read")

    rows = pyarrow.parquet.read_table(io.BytesIO(read(client, report, "rows.parquet")))
    gaps = pyarrow.parquet.read_table(io.BytesIO(read(client, report, "gaps.parquet")))

    lines = read(client, report, "rows.jsonl").splitlines()
    assert rows.num_rows == len(lines) == 2 * 3 * 12 * 2
    assert rows.column("outcome").to_pylist().count("correct") == sum(b'"correct"' in line for line in lines)
    stored = next(table for table in report.result["tables"] if table["id"] == "gaps")["rows"]
    assert gaps.column("gap").to_pylist() == [row["gap"] for row in stored]
    assert gaps.schema.field("items").type == "int64"


def test_a_report_in_one_file_makes_no_request(api: Callable[..., Any], report: Report) -> None:
    page = read(api("read"), report, "report.html").decode()

    fetching = re.findall(r"<(?:script|img|link|iframe|object|embed)\b|url\((?!\"data:)|@import|\ssrc=", page)
    assert fetching == []
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert page.count("<svg") >= 4
    assert "50% &amp; more_of \\it" in page


def test_latex_escapes_what_it_would_carry_out(api: Callable[..., Any], report: Report) -> None:
    table = read(api("read"), report, "gaps.tex").decode()

    assert r"\caption{Gaps: 50\% \& more\_of \textbackslash{}it}" in table
    body = table.split(r"\midrule")[1].split(r"\bottomrule")[0]
    columns = re.search(r"begin{tabular}{(\w+)}", table)
    assert columns is not None
    assert {line.count(" & ") for line in body.strip().splitlines()} == {len(columns[1]) - 1}
    assert table.count("{") == table.count("}")
    assert escaped("a\n\\input{x} −1 < 2") == r"a \textbackslash{}input\{x\} $-$1 \textless{} 2"


def test_a_chart_of_a_paper_carries_its_colours_and_no_links(api: Callable[..., Any], report: Report) -> None:
    svg = ElementTree.fromstring(read(api("read"), report, "gaps.svg"))

    shapes = list(svg.iter())
    assert not [shape for shape in shapes if shape.tag.endswith("}a") or "class" in shape.attrib]
    assert {shape.get("fill") for shape in shapes if shape.tag.endswith("}circle")} == {"#2257d6", "#ffffff"}
    assert svg.find("{http://www.w3.org/2000/svg}title") is not None


def test_a_report_that_was_never_computed_has_its_page_and_its_rows(api: Callable[..., Any]) -> None:
    empty = factories.report()

    status, answer = api("read").json("GET", f"/reports/{empty.pk}/files")

    assert status == 200
    assert [file["name"] for file in answer["results"]] == [
        "report.html",
        "report.json",
        "rows.jsonl",
        "rows.csv",
        "rows.parquet",
    ]
    assert b"PAR1" in read(api("read"), empty, "rows.parquet")
    assert b"not computed yet" in read(api("read"), empty, "report.html")


def test_files_of_the_lab_are_downloads_that_run_nothing(
    lab: Callable[[Any], LabClient], owner: Any, report: Report
) -> None:
    response = lab(owner).get(f"/reports/{report.pk}/report.html")

    assert response["Content-Disposition"] == f'attachment; filename="report-{report.pk}-report.html"'
    assert "sandbox" in response["Content-Security-Policy"]
    assert lab(owner).get(f"/reports/{report.pk}/nothing.csv").status_code == 404
    assert lab(None).get(f"/reports/{report.pk}/report.html").status_code == 302


def test_a_table_without_rows_says_so_in_latex() -> None:
    """LaTeX stops at one without columns."""
    tex = table_tex(ShownTable(id="lost", title="Lost", heads=[], rows=[]), caption="Lost")
    assert "There are no rows." in tex
    assert "tabular" not in tex
