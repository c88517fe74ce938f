from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from core.work import child_processes
from gymsite.services import parent_death
from gymsite.services.processes import BASE_DIR
from tests.services.installations import until

MARK = "PALAESTRA_TEST_CHILDREN"
# Whoever starts the tests in the background hands down that SIGINT is ignored.
PROGRAM = """
import signal
import time

from core.work import child_processes

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with child_processes.start_executor() as pool:
        pool.submit(len, "").result()
        pool.submit(time.sleep, 60)
        print("begun", flush=True)
        time.sleep(60)
"""


def test_functions_in_child_processes_return_or_raise() -> None:
    with child_processes.start_executor() as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
        assert pool.submit(math.hypot, 3, 4).result() == 5
        with pytest.raises(ValueError, match="math domain error"):
            pool.submit(math.sqrt, -1).result()


def test_the_immediate_pool_runs_functions_in_this_process() -> None:
    with child_processes.InlineExecutor() as pool:
        assert pool.submit(os.getpid).result() == os.getpid()
        failed = pool.submit(math.sqrt, -1)
        with pytest.raises(ValueError, match="math domain error"):
            failed.result()


def begun(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A program with children at work, the leader of a group; and the mark that all of them carry."""
    program = folder / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    environment = {**os.environ, MARK: str(folder), "PYTHONPATH": str(BASE_DIR)}
    process = subprocess.Popen(
        [sys.executable, program],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout
    assert process.stdout.readline() == b"begun\n"
    assert len(parent_death.pids_with_environment(MARK, str(folder))) > 1
    return process, str(folder)


def test_children_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    process, mark = begun(tmp_path)
    process.kill()
    process.communicate()
    until(
        lambda: not parent_death.pids_with_environment(MARK, mark), seconds=20, what="the children have ended"
    )


def test_ctrl_c_ends_all_children_and_only_the_parent_prints_a_traceback(tmp_path: Path) -> None:
    process, mark = begun(tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert stderr.count(b"Traceback") == stderr.count(b"KeyboardInterrupt") == 1
    until(
        lambda: not parent_death.pids_with_environment(MARK, mark), seconds=20, what="the children have ended"
    )
