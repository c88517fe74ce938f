"""``palaestra report``."""

from __future__ import annotations

from pathlib import Path

import pytest

from fake_server import TABLES, FakeServer
from palaestra.commands import main
from palaestra.errors import PalaestraError
from palaestra.evaluation.reports import Standstill
from palaestra.records import Report

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
    assert "Report 1 has not been computed yet: add --compute." in capsys.readouterr().err
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


def standing(state: str, progress: float = 0.0) -> Report:
    return Report(id=1, plan={}, plan_sha256="a", url="http://lab/reports/1/", state=state, progress=progress)


def test_a_report_that_stands_still_is_remarked_on_once_and_given_up_in_the_end() -> None:
    lines: list[str] = []
    clock = [0.0]
    standstill = Standstill(lines.append, now=lambda: clock[0])
    seen = ((19, "waiting", 0.0), (21, "waiting", 0.0), (40, "waiting", 0.0), (41, "computing", 0.1))
    seen += ((100, "computing", 0.2), (189, "computing", 0.2))
    for clock[0], state, progress in seen:
        standstill.look(standing(state, progress))

    (line,) = lines
    assert line.startswith("Report 1 is waiting, without progress for 21 s.")
    assert "worker-facts" in line
    clock[0] = 191.0
    standstill.look(standing("computing", 0.2))
    assert lines[1].startswith("Report 1 is computing, without progress for 91 s.")
    clock[0] = 701.0
    with pytest.raises(PalaestraError, match="http://lab/reports/1/"):
        standstill.look(standing("computing", 0.2))
