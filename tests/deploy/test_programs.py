from __future__ import annotations

import os
import signal
import subprocess
import sys

from gymsite.services.processes import BASE_DIR

# Whoever starts the tests in the background hands down that SIGINT is ignored.
BEGIN = """
import os
import signal
import sys
import time

from deploy.programs import main_exit, program_run

signal.signal(signal.SIGINT, signal.default_int_handler)
"""
OUTER = """
main_exit(lambda: program_run([sys.executable, "-c", sys.argv[1]], environment=os.environ))
"""
ALONE = """
def main():
    print("begun", flush=True)
    time.sleep(60)

main_exit(main)
"""
INNER = """
import sys
import time

try:
    print("begun", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(0.6)
    print("put away", flush=True)
    sys.exit(130)
"""


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", *arguments],
        cwd=BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_an_interrupted_program_ends_in_its_own_time_and_says_so_itself() -> None:
    with started(BEGIN + OUTER, INNER) as outer:
        assert outer.stdout is not None
        assert outer.stdout.readline() == "begun\n"
        os.killpg(outer.pid, signal.SIGINT)
        out, err = outer.communicate(timeout=60)
    assert (out, err, outer.returncode) == ("put away\n", "", 130)


def test_a_command_of_ours_that_is_interrupted_says_so_in_one_line() -> None:
    with started(BEGIN + ALONE) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == "begun\n"
        command.send_signal(signal.SIGINT)
        _, err = command.communicate(timeout=60)
    assert (err, command.returncode) == ("Interrupted.\n", 130)
