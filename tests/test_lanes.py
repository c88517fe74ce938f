"""All lanes run, whatever the first of them says, and the end names each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lanes import lane_of

ROOT = Path(__file__).parent.parent
LANES = """
good:
\t@echo "...."; echo "4 passed, 1 skipped in 0.50s"
bad:
\t@echo "F"; echo "FAILED tests/a.py::test_two - assert 1 == 2"; echo "1 failed, 3 passed in 61.20s (0:01:01)"
\t@exit 1
broken:
\t@exit 2
none:
\t@echo "SKIPPED the browser tests: no Chromium here"
hollow:
\t@echo "no tests ran in 0.01s"
breaking:
\t@if [ -e was_run ]; then echo "4 passed in 0.50s"; else touch was_run; echo "3 passed in 0.40s"; exit 3; fi
broken_off:
\t@echo "INTERNALERROR> RuntimeError: no worker"; echo "3 passed in 0.40s"; exit 3
skipping:
\t@echo "7 skipped in 0.10s"
"""


def lanes_run(tmp_path: Path, *names: str) -> tuple[int, list[str]]:
    (tmp_path / "Makefile").write_text(LANES)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MAKE": "make", "MAKEFLAGS": ""}
    run = subprocess.run(
        [sys.executable, "-m", "tests.lanes", *names],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    return run.returncode, run.stdout.splitlines()


def test_lanes_go_on_after_one_that_fails(tmp_path: Path) -> None:
    status, lines = lanes_run(tmp_path, "bad", "broken", "good")
    summary = lines[lines.index("---- all lanes") + 1 :]
    assert status == 1
    assert [line.split()[:2] for line in summary] == [
        ["bad", "FAILED"],
        ["broken", "FAILED"],
        ["good", "passed"],
    ]
    assert "1 failed, 3 passed" in summary[0]
    assert "1 failed, 3 passed in 61.20s (0:01:01)" in lines, "pytest's own line stays"


def test_the_status_is_0_only_where_every_lane_passed(tmp_path: Path) -> None:
    assert lanes_run(tmp_path, "good", "good")[0] == 0


@pytest.mark.parametrize("name", ["none", "hollow", "skipping"])
def test_a_lane_that_ran_no_test_is_not_green(name: str, tmp_path: Path) -> None:
    status, lines = lanes_run(tmp_path, "good", name)
    assert (status, "NO TEST RAN" in lines[-1]) == (1, True)


def test_a_lane_that_broke_off_is_run_once_more(tmp_path: Path) -> None:
    status, lines = lanes_run(tmp_path, "breaking")
    assert status == 0
    assert [line.split()[:2] for line in lines[-2:]] == [["breaking", "BROKE"], ["breaking", "passed"]]
    status, lines = lanes_run(tmp_path, "broken_off")
    assert (status, lines.count("---- broken_off")) == (1, 2)
    assert "INTERNALERROR> RuntimeError: no worker" in lines[lines.index("---- broken_off, in short") :]


def test_the_end_names_what_failed() -> None:
    lines = [
        "RERUN tests/a.py::test_one",
        "FAILED tests/a.py::test_two - assert 1 == 2",
        "INTERNALERROR> Traceback (most recent call last):",
        "INTERNALERROR> E   execnet.gateway_base.DumpError: strings must be utf-8 encodable",
        "!!!!! xdist.dsession.Interrupted: worker gw1 !!!!!",
        "ERRORS are described in a manual.",
    ]
    reasons = lane_of("unit", lines, status=1, seconds=1).reasons
    assert reasons == (*lines[:2], *lines[3:5])


def test_a_lane_that_fails_shows_its_reasons_before_the_summary(tmp_path: Path) -> None:
    _, lines = lanes_run(tmp_path, "bad", "good")
    place = lines.index("---- bad, in short")
    assert lines[place + 1] == "FAILED tests/a.py::test_two - assert 1 == 2"
    assert place < lines.index("---- all lanes")


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("12 passed in 3.21s", "12 passed"),
        ("=== 1 failed, 2 passed, 3 warnings in 70.00s (0:01:10) ===", "1 failed, 2 passed, 3 warnings"),
        ("2 passed in the middle of a sentence", ""),
    ],
)
def test_counts_are_those_of_pytest(line: str, counts: str) -> None:
    assert lane_of("unit", [line], status=0, seconds=1).counts == counts
