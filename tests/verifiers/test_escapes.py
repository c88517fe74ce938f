"""What hostile programs try: an attack that worked would pass its test; each is incorrect, in time."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.verifiers.attacks import SECRET, WRONG, assert_caught, judge, public_folder
from verifiers import programs
from verifiers.sandbox import limits, suites
from verifiers.types import Gold

__all__ = ["public_folder"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
]


def reading(expression: str) -> str:
    """A program whose answer is the value of the expression, or that it failed."""
    return f"def answer():\n    import os, socket, glob, sys\n    return {expression}\n"


def test_the_right_program_passes() -> None:
    assert judge(f"def answer(): return {SECRET!r}").correct


# Reading


def test_reading_a_gold_from_a_public_file_of_the_host(public_folder: Path) -> None:
    (public_folder / "gold").write_text(SECRET)
    assert_caught(reading(f"open({str(public_folder / 'gold')!r}).read()"))


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/proc/self/environ", "/proc/1/environ", "/root", "/work", "/tmp"]
)
def test_nothing_of_the_host_is_visible(path: str) -> None:
    assert judge(reading(f"os.path.lexists({path!r})"), "assert answer() == False").correct


def test_reading_the_environment_of_the_worker(monkeypatch: Any) -> None:
    monkeypatch.setenv("GYM_SECRET_KEY", SECRET)
    assert_caught(reading("os.environ['GYM_SECRET_KEY']"))
    program = reading("sorted(os.environ)")
    known = ["HOME", "LANG", "PATH", "PWD", "PYTHONHASHSEED", "TMPDIR"]
    assert judge(program, f"assert set(answer()) <= set({known!r})").correct


def test_the_descriptors_are_three_streams_and_the_channel() -> None:
    program = """
import os
def answer():
    found = []
    for number in range(64):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return len(found)
"""
    assert judge(program, "assert answer() == 4").correct


def test_other_processes_cannot_be_seen_or_signalled() -> None:
    program = f"import os\ndef answer():\n    os.kill({os.getpid()}, 0)\n    return {SECRET!r}\n"
    assert_caught(program)


def test_attaching_to_another_process_with_ptrace() -> None:
    program = """
import ctypes
def answer():
    return ctypes.CDLL(None, use_errno=True).ptrace(16, 1, 0, 0)
"""
    assert judge(program, "assert answer() == -1").correct


def test_searching_memory_for_the_expected_value_or_a_nonce() -> None:
    program = """
import gc, sys
def answer():
    frame = sys._getframe()
    texts = []
    while frame:
        texts += [v for v in frame.f_locals.values() if isinstance(v, str)]
        frame = frame.f_back
    for thing in gc.get_objects():
        if isinstance(thing, dict):
            texts += [v for v in thing.values() if isinstance(v, str)]
            texts += [v for k, v in thing.items() if k in ("nonce", "tests")]
    return next((t for t in texts if isinstance(t, str) and t.startswith("sword" + "fish-")), None)
"""
    assert_caught(program)


# The network, Postgres, Redis


def _serving(server: socket.socket) -> threading.Thread:
    def serve() -> None:
        try:
            while True:
                connection, _ = server.accept()
                connection.sendall(SECRET.encode())
                connection.close()
        except OSError:
            return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


CONNECTING = """
import socket
def answer():
    peer = socket.socket({family})
    peer.connect({address!r})
    return peer.recv(100).decode()
"""


def test_connecting_to_a_port_as_of_postgres_or_redis() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        _serving(server)
        assert_caught(CONNECTING.format(family="socket.AF_INET", address=server.getsockname()))
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("is_abstract", [False, True])
def test_connecting_to_a_unix_socket_as_of_postgres_or_redis(public_folder: Path, is_abstract: bool) -> None:
    address = f"\0palaestra-{os.getpid()}" if is_abstract else str(public_folder / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        if not is_abstract:
            Path(address).chmod(0o777)
        _serving(server)
        assert_caught(CONNECTING.format(family="socket.AF_UNIX", address=address))
        server.shutdown(socket.SHUT_RDWR)


def test_asking_the_network() -> None:
    assert_caught(CONNECTING.format(family="socket.AF_INET", address=("1.1.1.1", 53)))


# Writing


@pytest.mark.parametrize("place", ["/usr/lib", "/usr/bin", "/dev", "/dev/shm", "/bin", "/"])
def test_writing_outside_the_home(place: str) -> None:
    program = (
        f"def answer():\n    open({place + '/palaestra-mark'!r}, 'w').write('x')\n    return {SECRET!r}\n"
    )
    assert_caught(program)
    assert not Path(place, "palaestra-mark").exists()


def test_writing_through_a_symlink_to_a_public_folder(public_folder: Path) -> None:
    program = f"""
import os
def answer():
    os.symlink({str(public_folder)!r}, "/box/link")
    open("/box/link/mark", "w").write("x")
    return {SECRET!r}
"""
    assert_caught(program)
    assert list(public_folder.iterdir()) == []


def test_the_home_is_small_and_empties(public_folder: Path) -> None:
    program = """
import os
def answer():
    found = os.listdir("/box")
    open("/box/kept", "w").write("x")
    return found
"""
    for _ in range(2):
        assert judge(program, "assert answer() == []").correct
    filling = """
def answer():
    for number in range(100):
        open(f"/box/{number}", "wb").write(bytes(10_000_000))
    return 'swordfish-4171'
"""
    assert_caught(filling)


# Using up


@pytest.mark.parametrize(
    "body",
    [
        "import os\nwhile True:\n    os.fork()",
        "import subprocess\nwhile True:\n    subprocess.Popen(['/usr/bin/sleep', '100'])",
        "x = [0]\nwhile True:\n    x += x",
        "x = bytearray(10**12)",
        "while True:\n    pass",
        "import time\ntime.sleep(1000)",
        "while True:\n    print('x' * 10_000)",
        "import os\nwhile True:\n    os.write(2, b'x' * 100_000)",
        "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    pass",
        "def f(): f()\nimport sys\nsys.setrecursionlimit(10**9)\nf()",
        "x = 10 ** 10 ** 10",
        "import re\nre.match('(a+)+$', 'a' * 100 + 'b')",
    ],
    ids=["forks", "processes", "memory by doubling", "memory at once", "endless loop", "sleep",
         "endless output", "endless errors", "deaf to its limit", "deep recursion", "huge number",
         "slow expression"],
)  # fmt: skip
@pytest.mark.parametrize("is_in_function", [False, True], ids=["at load", "when called"])
def test_using_up_the_machine(body: str, is_in_function: bool) -> None:
    indented = body.replace("\n", "\n    ")
    assert_caught(f"def answer():\n    {indented}\n" if is_in_function else f"{body}\n{WRONG}")


def test_a_hundred_threads_left_running_end_with_the_sandbox() -> None:
    program = f"""
import threading
def spin():
    while True:
        pass
for _ in range(100):
    threading.Thread(target=spin, daemon=False).start()
{WRONG}"""
    assert_caught(program)


def test_output_is_cut_while_it_is_read() -> None:
    program = (
        "def answer():\n    for _ in range(100):\n        print('x' * 100_000, flush=True)\n    return 1\n"
    )
    report = suites.suite_run(program, programs.build_suite(Gold("assert answer() == 1")))
    assert report.is_pass
    assert (len(report.output), report.is_output_cut) == (limits.OUTPUT_BYTES, True)


# Ending early and ending others


@pytest.mark.parametrize(
    "body",
    ["import sys; sys.exit(0)", "import os; os._exit(0)", "raise SystemExit(0)", "raise SystemExit",
     "raise KeyboardInterrupt", "raise BaseException", "quit()", "import os; os.abort()",
     "import os; os.kill(os.getpid(), 9)", "import ctypes; ctypes.string_at(0)",
     "import os; os.execv('/usr/bin/true', ['true'])", "raise StopIteration", "raise AssertionError"],
)  # fmt: skip
@pytest.mark.parametrize("is_in_function", [False, True], ids=["at load", "when called"])
def test_ending_early(body: str, is_in_function: bool) -> None:
    assert_caught(f"def answer():\n    {body}\n" if is_in_function else f"{body}\n{WRONG}")


@pytest.mark.parametrize("target", ["os.getppid()", "1", "-1", "0"])
def test_killing_the_parent_or_everything(target: str) -> None:
    assert_caught(f"import os\n{WRONG}try:\n    os.kill({target}, 9)\nexcept OSError:\n    pass\n")


def test_no_sandbox_is_left_running() -> None:
    before = _sandboxes()
    assert_caught(
        f"import threading, time\nthreading.Thread(target=time.sleep, args=(100,)).start()\n{WRONG}"
    )
    assert_caught("while True: pass")
    deadline = time.monotonic() + 5
    while _sandboxes() - before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _sandboxes() - before


def _sandboxes() -> set[str]:
    """Those of this process, and orphans; sandboxes of a server running elsewhere have a living parent."""
    names = set()
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and b"bwrap" in (process / "cmdline").read_bytes().split(b"\0")[0]:
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                if parent in (1, os.getpid()):
                    names.add(process.name)
        except OSError:
            continue
    return names
