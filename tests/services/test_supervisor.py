from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gymsite.services import parent_death
from gymsite.services.processes import BASE_DIR
from gymsite.services.supervisor import (
    FIRST_DELAY_S,
    HEALTHY_S,
    LONGEST_DELAY_S,
    Backoff,
    Child,
    Supervisor,
    log_open,
    log_path,
    logs_rotate,
)
from tests.services.installations import until

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
DEAF_PROGRAM = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
"""
PARENT_PROGRAM = """
import subprocess, sys, time
print(subprocess.Popen(["/bin/sleep", "60"]).pid, flush=True)
time.sleep(60)
"""
DEAF = (sys.executable, "-c", DEAF_PROGRAM)
PARENT = (sys.executable, "-c", PARENT_PROGRAM)


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, messages: list[str]) -> Iterator[Supervisor]:
    made = Supervisor(logs_dir=tmp_path, say=messages.append)
    yield made
    made.stop(grace_s=1.0)


def _child(name: str, command: tuple[str, ...] = SLEEPER) -> Child:
    return Child(name, lambda log: parent_death.spawn(command, env={"PATH": os.environ["PATH"]}, log=log))


def test_delays_double_up_to_a_longest_and_start_over_after_a_healthy_life() -> None:
    backoff = Backoff()
    delays = [backoff.delay(lived_s=0.1) for _ in range(12)]
    assert delays[:3] == [FIRST_DELAY_S, 2 * FIRST_DELAY_S, 4 * FIRST_DELAY_S]
    assert delays == sorted(delays)
    assert delays[-1] == LONGEST_DELAY_S
    assert backoff.delay(lived_s=HEALTHY_S) == FIRST_DELAY_S


def test_a_child_that_ends_is_started_again_and_reported(supervisor: Supervisor, messages: list[str]) -> None:
    child = _child("one")
    supervisor.start(child)
    assert child.process
    before = child.process.pid
    os.kill(before, signal.SIGKILL)

    def restarted() -> bool:
        supervisor.watch_once()
        return bool(child.process and child.process.pid != before and child.process.poll() is None)

    until(restarted, seconds=10, what="a new process")
    assert len(messages) == 1
    assert "one was ended by SIGKILL; restarting it in 0.2 s" in messages[0]
    assert "one.log" in messages[0]


def test_the_rest_of_a_dead_childs_session_is_killed(supervisor: Supervisor, tmp_path: Path) -> None:
    child = _child("parent", PARENT)
    supervisor.start(child)
    log = log_path(tmp_path, "parent")
    until(log.read_text, seconds=10, what="the grandchild's number")
    grandchild = int(log.read_text().split()[0])
    assert child.process
    os.kill(child.process.pid, signal.SIGKILL)
    until(lambda: child.process.poll() is not None, seconds=5, what="the child's end")
    supervisor.watch_once()
    until(lambda: not parent_death.is_alive(grandchild), seconds=5, what="the grandchild's end")


def test_a_child_that_ignores_the_signal_is_killed_after_the_grace(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    child = _child("deaf", DEAF)
    supervisor.start(child)
    until(log_path(tmp_path, "deaf").read_text, seconds=10, what="its first word")
    supervisor.stop(grace_s=0.2)
    assert child.process
    assert child.process.returncode == -signal.SIGKILL


def test_stages_are_stopped_in_the_reverse_of_their_start(supervisor: Supervisor, tmp_path: Path) -> None:
    first, second = _child("first"), _child("second")
    supervisor.start(first)
    supervisor.start(second)
    assert first.process
    os.kill(first.process.pid, signal.SIGSTOP)  # it cannot end before it is killed
    supervisor.stop(grace_s=0.5)
    assert second.process
    assert second.process.returncode == -signal.SIGTERM
    assert first.process.returncode == -signal.SIGKILL


def test_children_die_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    program = textwrap.dedent(
        f"""
        import sys, time
        sys.path.insert(0, {str(BASE_DIR)!r})
        from gymsite.services import parent_death
        child = parent_death.spawn([sys.executable, "-c", "import time; time.sleep(60)"], env={{}})
        print(child.pid, flush=True)
        time.sleep(60)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        assert parent_death.is_alive(child)
        parent.kill()
    until(lambda: not parent_death.is_alive(child), seconds=5, what="the child's end")


def test_processes_are_listed_by_mark_and_by_folder(tmp_path: Path) -> None:
    marked = parent_death.spawn(["/bin/sleep", "60"], env={"GYM_TEST_MARK": str(tmp_path)}, cwd=tmp_path)
    try:
        assert parent_death.pids_with_environment("GYM_TEST_MARK", str(tmp_path)) == [marked.pid]
        assert parent_death.pids_with_environment("GYM_TEST_MARK", str(tmp_path.parent)) == []
        program = Path(f"/proc/{marked.pid}/exe").resolve().name
        assert parent_death.pids_inside(tmp_path, program=program) == [marked.pid]
        assert parent_death.pids_inside(tmp_path, program="postgres") == []
    finally:
        marked.kill()
        marked.wait()


def test_an_oversized_log_is_rotated_while_its_writer_goes_on(tmp_path: Path) -> None:
    with log_open(tmp_path, "chatty") as log:
        log.write(b"old" * 10)
        logs_rotate(tmp_path, max_bytes=20)
        log.write(b"new")
    assert log_path(tmp_path, "chatty").read_bytes() == b"new"
    assert (tmp_path / "chatty.log.1").read_bytes() == b"old" * 10


def test_a_child_started_from_a_thread_dies_with_that_thread() -> None:
    """The kernel ties a child to the thread that started it, so ``start`` is called from the main thread."""
    started: list[subprocess.Popen[bytes]] = []
    thread = threading.Thread(target=lambda: started.append(parent_death.spawn(["/bin/sleep", "60"], env={})))
    thread.start()
    thread.join()
    assert started[0].wait(5) == -signal.SIGKILL


STOPPED_AT_A_FORK = """
import os, signal, sys
from gymsite.services import parent_death
from gymsite.services.supervisor import Stop, handle_stops

# The logging module has such a hook too: what is raised in one is printed, and lost.
os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGTERM))
try:
    with handle_stops():
        parent_death.spawn([sys.executable, "-c", "pass"], env={})
except Stop:
    sys.exit(7)
"""


def test_a_stop_during_the_start_of_a_child_is_not_lost() -> None:
    done = subprocess.run([sys.executable, "-c", STOPPED_AT_A_FORK], cwd=BASE_DIR, capture_output=True)
    assert (done.returncode, done.stderr) == (7, b"")


STOPPED_AT_A_START = """
import os, signal, sys
from pathlib import Path
from gymsite.services import parent_death
from gymsite.services.supervisor import Child, Stop, Supervisor, handle_stops

os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGTERM))
supervisor = Supervisor(logs_dir=Path(sys.argv[1]), say=print)
sleeper = Child("sleeper", lambda log: parent_death.spawn(["/bin/sleep", "60"], env={}, log=log))
try:
    with handle_stops():
        supervisor.start(sleeper)
except Stop:
    supervisor.stop(grace_s=5)
    print(sleeper.process.returncode)
"""


def test_a_child_whose_start_coincides_with_a_stop_is_stopped_too(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STOPPED_AT_A_START, str(tmp_path)]
    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{-signal.SIGTERM}\n", "")


def test_a_child_started_while_stops_are_delayed_can_be_stopped(supervisor: Supervisor) -> None:
    child = _child("sleeper")
    supervisor.start(child)
    assert child.process
    child.process.send_signal(signal.SIGTERM)
    assert child.process.wait(5) == -signal.SIGTERM
