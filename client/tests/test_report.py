"""``palaestra report``."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_server import TABLES, FakeServer
from palaestra.commands import main

FILES = {
    "report.html": b"<!DOCTYPE html>",
    "gaps.csv": b"contrast,gap\n",
    "gaps.pdf": bytes(range(256)) * 400,
}


@pytest.fixture
def report(fake: FakeServer) -> dict[str, object]:
    made = {
        "id": 1,
        "plan": {},
        "plan_sha256": "a",
        "url": "http://lab/reports/1/",
        "result": {"tables": TABLES},
    }
    fake.state.reports.append(made)
    fake.state.report_files.update(FILES)
    return made


def command(fake: FakeServer, folder: Path, *more: str) -> list[str]:
    return ["report", "--server", fake.lab_url, "--key", "k", "--report", "1", "--out", str(folder), *more]


@pytest.mark.usefixtures("report")
def test_every_file_of_a_report_is_written_as_the_server_has_it(fake: FakeServer, tmp_path: Path) -> None:
    folder = tmp_path / "paper"

    assert main(command(fake, folder)) == 0
    assert main(command(fake, folder)) == 0

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES


def test_a_report_that_was_never_computed_is_refused_in_one_line(
    fake: FakeServer, report: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report["result"] = None

    assert main(command(fake, tmp_path)) == 1
    assert "Report 1 is not computed yet: add --compute." in capsys.readouterr().err
    assert main(command(fake, tmp_path, "--compute")) == 0
    assert (tmp_path / "gaps.csv").exists()


@pytest.mark.usefixtures("report")
def test_no_file_is_written_outside_of_the_folder(
    fake: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.state.report_files["../escape.txt"] = b"x"

    assert main(command(fake, tmp_path / "paper")) == 1
    assert "outside" in capsys.readouterr().err
    assert not (tmp_path / "escape.txt").exists()
