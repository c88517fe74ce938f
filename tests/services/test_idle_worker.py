"""A client says that no worker computes the report it waits for, and has the report once one does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from gymsite.services.processes import BASE_DIR
from tests.reports.plans import plan
from tests.services.kills import Installation

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("installation")]

REMARKED_S = 60.0
WRITTEN_S = 60.0


def test_a_report_whose_worker_is_stopped_says_so_and_comes_once_it_goes_on(
    installation: Installation, tmp_path: Path
) -> None:
    lab = f"http://127.0.0.1:{installation.up.ports['LAB_PORT']}"
    headers = {"Authorization": f"Bearer {installation.key}"}
    body = {"name": "idle", "plan": plan()}
    made = httpx.post(f"{lab}/api/v1/reports", json=body, headers=headers, trust_env=False)
    report = made.raise_for_status().json()["id"]
    worker = installation.now.child("worker-facts")
    arguments = ["report", "--server", lab, "--key", installation.key, "--report", str(report)]
    os.kill(worker, signal.SIGSTOP)
    try:
        command = subprocess.Popen(
            [sys.executable, "-m", "palaestra", *arguments, "--compute", "--out", str(tmp_path)],
            cwd=BASE_DIR,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert command.stderr
        began = time.monotonic()
        line = command.stderr.readline()
        print(f"said after {time.monotonic() - began:.1f} s: {line}")
        assert line.startswith(f"Report {report} is waiting, without progress for ")
        assert "worker-facts" in line
        assert time.monotonic() - began < REMARKED_S
    finally:
        os.kill(worker, signal.SIGCONT)
    _, rest = command.communicate(timeout=WRITTEN_S)
    assert command.returncode == 0, rest
    assert "report.json" in rest
