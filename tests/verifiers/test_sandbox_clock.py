"""A program's own time: what it sleeps counts, what a busy machine makes it wait does not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from verifiers.sandbox import enclosure, limits
from verifiers.sandbox.observation import ProgramClock
from verifiers.sandbox.suites import SandboxStalled, Suite, suite_run

SPIN = "while True: pass"
SLEEP = "import time; time.sleep(60)"
WATCHED_S = 1.0
RIVALS = 4

needs_statistics = pytest.mark.skipif(
    not Path("/proc/self/schedstat").is_file(), reason="the kernel keeps no scheduler statistics"
)
pytestmark = pytest.mark.slow


@pytest.fixture
def programs() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def started(stack: ExitStack, code: str) -> int:
    """A process on the first processor of this one."""
    process = stack.enter_context(subprocess.Popen([sys.executable, "-c", code]))
    stack.callback(process.kill)
    os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
    return process.pid


def own_share(process: int) -> float:
    watched = ProgramClock([process])
    time.sleep(WATCHED_S)
    return watched.own_s() / watched.wall_s()


@needs_statistics
def test_waiting_for_a_processor_is_not_a_programs_own_time(programs: ExitStack) -> None:
    spinning = [started(programs, SPIN) for _ in range(1 + RIVALS)]
    assert own_share(spinning[0]) < 0.6


@needs_statistics
def test_sleep_is_a_programs_own_time_on_a_busy_machine_too(programs: ExitStack) -> None:
    sleeping, *_ = [started(programs, code) for code in (SLEEP, *[SPIN] * RIVALS)]
    time.sleep(0.5)  # until it has started
    assert own_share(sleeping) > 0.9


def test_all_time_is_a_programs_own_where_nothing_says_more() -> None:
    assert ProgramClock([]).own_s() == pytest.approx(0, abs=0.1)
    gone = ProgramClock([2**22 + 1])
    time.sleep(0.2)
    assert gone.own_s() >= 0.2


class HeldUp(ProgramClock):
    """A machine on which nothing that was started gets on."""

    def own_s(self) -> float:
        return 0.0


@pytest.mark.skipif(enclosure.sandbox_problem() is not None, reason="no sandbox works here")
class TestRuns:
    SUITE = Suite(names=["f"], asserts=["assert f() == 1"])

    def test_a_program_that_the_machine_holds_up_is_not_judged(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("verifiers.sandbox.runner.ProgramClock", HeldUp)
        with pytest.raises(SandboxStalled) as stalled:
            suite_run(f"def f():\n    {SPIN}", self.SUITE, limits=limits.Limits(wall_s=1.0))
        assert stalled.value.code == "verifier_timeout"

    def test_a_program_that_got_far_on_a_busy_machine_is_out_of_time(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(HeldUp, "own_s", lambda _clock: 3.0)
        monkeypatch.setattr("verifiers.sandbox.runner.ProgramClock", HeldUp)
        report = suite_run(f"def f():\n    {SPIN}", self.SUITE, limits=limits.Limits(wall_s=1.0))
        assert report.detail == "out of time"

    @pytest.mark.parametrize(
        "body", ["import time; time.sleep(60)", SPIN, "input()", "import threading; threading.Event().wait()"]
    )
    def test_a_program_that_takes_its_time_is_out_of_time(self, body: str) -> None:
        report = suite_run(f"def f():\n    {body}", self.SUITE, limits=limits.Limits(cpu_s=1, own_s=1.5))
        assert not report.is_pass

    def test_a_program_cannot_give_up_its_share_of_the_processor(self) -> None:
        program = "import os\ndef f():\n    {}\n    return 1"
        for call in ("os.nice(19)", "os.setpriority(os.PRIO_PROCESS, 0, 19)", "os.sched_setaffinity(0, {0})"):
            report = suite_run(program.format(call), self.SUITE)
            assert "PermissionError" in report.detail, call


def test_a_slow_reference_allows_a_multiple_of_its_time() -> None:
    assert limits.cpu_allowed_s(0.2) is None
    assert limits.cpu_allowed_s(1.23) == 13
    assert limits.cpu_allowed_s(60) == limits.CPU_MAX_S
    slow = limits.Limits.of_program(13)
    assert (slow.cpu_s, slow.own_s) == (13, 15.0)


def test_every_run_ends_before_its_job_is_lost() -> None:
    from core.work.queues import SANDBOX
    from gymsite import settings

    slowest = limits.Limits.of_program(limits.CPU_MAX_S)
    assert slowest.own_s < slowest.wall_s
    assert slowest.wall_s + 2 * slowest.start_s < (SANDBOX.soft_limit_s or 0)
    assert (SANDBOX.hard_limit_s or 0) < settings.CLAIM_LOST_S
