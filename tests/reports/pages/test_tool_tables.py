"""The tables of tool use, on the page, in its file and as downloads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import LabClient
from tests.reports.test_tools import ARM, sometimes, tables_played
from trajectories.models import Report

pytestmark = pytest.mark.django_db
TABLES = ("tools", "tool_confusions", "tool_arguments")


def test_the_tables_are_the_same_on_the_page_and_in_every_file(
    lab: Callable[[Any], LabClient], owner: Any
) -> None:
    tables = tables_played({ARM: sometimes("made up")}, samples=2, copies=5)
    client, folder = lab(owner), f"/reports/{Report.objects.get().pk}/"

    def read(name: str) -> str:
        response: Any = client.get(folder + name)
        assert response.status_code == 200, name
        return b"".join(response).decode()

    pages = [read(""), read("report.html")]
    wrong = next(row for row in tables["tool_arguments"]["rows"] if row["wrong_low"])
    for row, name in ((tables["tools"]["rows"][0], "execution"), (wrong, "wrong")):
        shown = f"{row[f'{name}_low']:.1f}% to {row[f'{name}_high']:.1f}%"
        assert all(shown in page for page in pages), name
    # A policy's own names of arguments are counted, and shown nowhere.
    assert all("verbose" not in page and "(no such field)" in page for page in pages)
    for name in TABLES:
        columns, rows = [column["id"] for column in tables[name]["columns"]], tables[name]["rows"]
        assert json.loads(read(f"{name}.json")) == tables[name]
        lines = list(csv.DictReader(io.StringIO(read(f"{name}.csv"))))
        assert [list(line) for line in lines] == [columns for _ in rows]
        assert read(f"{name}.tex").count("\\midrule") == min(len(rows), 1)
