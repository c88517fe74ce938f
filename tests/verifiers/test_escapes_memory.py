"""Programs that take the machine's memory past the limits of their process; it is measured while they run."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from verifiers.sandbox import Suite, limits, seccomp, suite_run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
    pytest.mark.skipif(seccomp.seccomp_filter() is None, reason="no filter for this machine's system calls"),
]

MEGABYTE = 2**20
# More than a home holds, a fraction of what these programs try to take, and room for other programs.
BOUND_BYTES = 150 * MEGABYTE
KERNEL_BOUND_BYTES = 60 * MEGABYTE
SAMPLE_S = 0.02

PRELUDE = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = libc.mmap.restype = ctypes.c_void_p
libc.shmdt.argtypes = [ctypes.c_void_p]
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
MB = 2 ** 20
def mapped(size, flags):
    address = libc.mmap(None, size, 3, flags, -1, 0)
    if address in (None, 2 ** 64 - 1):
        raise OSError(ctypes.get_errno(), "mmap")
    return address
"""
HOLD = "    time.sleep(0.3)\n    return 1\n"
SHARED = {
    "detached segments": """
def answer():
    for _ in range(12):
        segment = libc.shmget(0, 100 * MB, 0o1600)
        address = libc.shmat(segment, None, 0) if segment >= 0 else os.strerror(ctypes.get_errno())
        ctypes.memset(address, 1, 100 * MB)
        libc.shmdt(address)
""",
    "files in memory": """
def answer():
    files = [os.memfd_create("x") for _ in range(50)]
    for file in files:
        os.write(file, bytes(15 * MB))
""",
    "shared mappings, all but a page unmapped": """
def answer():
    for _ in range(12):
        address = mapped(100 * MB, 0x21)
        ctypes.memset(address, 1, 100 * MB)
        libc.munmap(address + 4096, 100 * MB - 4096)
""",
    "the home": """
def answer():
    for number in range(1000):
        open(f"/box/{number}", "wb").write(bytes(MB))
""",
}
KERNEL = {
    "semaphores": """
def answer():
    while libc.semget(0, 32000, 0o1600) >= 0:
        pass
""",
    "empty files": """
def answer():
    for number in range(2_000_000):
        os.close(os.open(f"/box/{number:0200}", os.O_CREAT))
""",
    "links": """
def answer():
    for number in range(2_000_000):
        os.symlink("x" * 120, f"/box/{number:0200}")
""",
}
HUGE = """
def answer():
    for _ in range(10):
        address = mapped(160 * MB, 0x22)
        libc.madvise(address, 160 * MB, 14)
        for place in range((address + 2 * MB - 1) // (2 * MB) * 2 * MB, address + 158 * MB, 2 * MB):
            ctypes.memset(place, 1, 1)
            libc.munmap(place + 4096, 2 * MB - 4096)
"""


def _meminfo(name: str) -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def _split_bytes() -> int:
    """Huge pages, since the start of the machine, of which a part was unmapped and the whole kept."""
    counts = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    return int(counts.get("thp_deferred_split_page", 0)) * 2 * MEGABYTE


@contextmanager
def sampled(measure: Callable[[], int]) -> Iterator[list[int]]:
    """How far the measure was above its first value, again and again until the end."""
    start, over = measure(), threading.Event()
    growth = [0]

    def sample() -> None:
        while not over.wait(SAMPLE_S):
            growth.append(measure() - start)

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield growth
    finally:
        over.set()
        thread.join()


def taken(body: str, measure: Callable[[], int]) -> int:
    """Bytes of the machine that a program took at most while it ran."""
    with sampled(measure) as growth:
        suite_run(PRELUDE + body + HOLD, Suite(names=["answer"], calls=["answer()"]))
    return max(growth)


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED)
def test_shared_memory_that_no_process_maps(body: str) -> None:
    assert taken(body, lambda: _meminfo("Shmem")) < BOUND_BYTES


@pytest.mark.parametrize("body", KERNEL.values(), ids=KERNEL)
def test_the_kernels_own_memory(body: str) -> None:
    assert taken(body, lambda: _meminfo("SUnreclaim")) < KERNEL_BOUND_BYTES


def test_huge_pages_held_by_a_small_one() -> None:
    assert taken(HUGE, _split_bytes) < BOUND_BYTES


def test_a_program_may_have_the_memory_that_its_limit_says() -> None:
    body = f"""
def answer():
    data = bytearray({limits.CANDIDATE_MEMORY_BYTES * 3 // 4})
    for place in range(0, len(data), 4096):
        data[place] = 1
    time.sleep(0.3)
    return len(data)
"""
    report = suite_run(PRELUDE + body, Suite(names=["answer"], asserts=["assert answer() > 300 * 2**20"]))
    assert report.is_pass, report.detail


def test_a_program_with_too_many_files_is_stopped_and_its_asserts_count() -> None:
    body = (
        "def answer():\n    return 1\ndef fill():\n"
        + KERNEL["empty files"].partition("\n")[2].partition("\n")[2]
    )
    report = suite_run(
        PRELUDE + body, Suite(names=["answer", "fill"], asserts=["assert answer() == 1"], calls=["fill()"])
    )
    assert (report.asserts, report.detail) == ((True,), "too many files")
