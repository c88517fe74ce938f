from __future__ import annotations

import math
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gymsite.core import child_processes
from gymsite.services import leash
from gymsite.services.processes import BASE_DIR
from tests.services.running import until

PROGRAM = """
import time

from gymsite.core import child_processes

if __name__ == "__main__":
    with child_processes.side_by_side() as pool:
        pool.submit(len, "").result()
        pool.submit(time.sleep, 60)
        print("begun", flush=True)
        time.sleep(60)
"""


def test_functions_run_in_other_processes_and_answer_or_raise() -> None:
    with child_processes.side_by_side() as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
        assert pool.submit(math.hypot, 3, 4).result() == 5
        with pytest.raises(ValueError, match="math domain error"):
            pool.submit(math.sqrt, -1).result()


def test_what_runs_at_once_runs_here() -> None:
    with child_processes.AtOnce() as pool:
        assert pool.submit(os.getpid).result() == os.getpid()


def test_children_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    mark = {"PALAESTRA_TEST_CHILDREN": str(tmp_path)}
    environment = {**os.environ, **mark, "PYTHONPATH": str(BASE_DIR)}
    process = subprocess.Popen([sys.executable, program], env=environment, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"begun\n"
    ((name, value),) = mark.items()
    assert len(leash.pids_with_environment(name, value)) > 1
    process.kill()
    process.communicate()
    until(lambda: not leash.pids_with_environment(name, value), seconds=20, what="the children have ended")
