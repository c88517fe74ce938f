"""Each defence of the sandbox on its own: together they would hide that one of them has gone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, NoReturn

import pytest

from verifiers.sandbox import enclosure, suites
from verifiers.sandbox.suites import PROGRAM_CHARS, Report, Suite, suite_run

OUTSIDE = """
import json, os, socket
names = [name for _, name in socket.if_nameindex()]
print(json.dumps({"pid": os.getpid(), "networks": names, "environment": sorted(os.environ)}))
"""


@pytest.fixture(scope="module")
def enclosed() -> dict[str, Any]:
    """What a program sees with bubblewrap alone: no system-call filter, and an environment to inherit."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed here")
    run = subprocess.run(
        enclosure.command(text=OUTSIDE),
        check=True,
        capture_output=True,
        cwd="/",
        env={**os.environ, "GYM_SECRET_KEY": "secret"},
        **enclosure.account(),
    )
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def test_bubblewrap_alone_gives_a_program_processes_and_a_network_of_its_own(
    enclosed: dict[str, Any],
) -> None:
    assert enclosed["pid"] < 10
    assert enclosed["networks"] == ["lo"]


def test_bubblewrap_alone_clears_the_environment(enclosed: dict[str, Any]) -> None:
    assert "GYM_SECRET_KEY" not in enclosed["environment"]
    assert set(enclosed["environment"]) <= {"HOME", "LANG", "PATH", "PWD", "PYTHONHASHSEED", "TMPDIR"}


@pytest.mark.parametrize("record", [{"passed": [True]}, {"nonce": "guess", "passed": [True]}, ["nonce"]])
def test_a_line_without_the_checkers_nonce_is_no_record(record: object) -> None:
    lines = [json.dumps(record).encode(), json.dumps({"nonce": "n"}).encode()]
    assert suites._records(lines, nonce="n") == [{"nonce": "n"}]


def test_a_report_without_tests_is_no_pass() -> None:
    assert not Report(passed=()).is_pass
    assert not Report(passed=(True, False)).is_pass
    assert Report(passed=(True,)).is_pass


def test_a_program_that_is_too_long_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a sandbox was started")

    monkeypatch.setattr(suites.runner, "run_pair", start)
    report = suite_run("#" * (PROGRAM_CHARS + 1), Suite(names=("answer",), asserts=("assert True",)))
    assert not report.is_pass
    assert report.detail == "the program is too long"
