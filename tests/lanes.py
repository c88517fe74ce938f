"""The test lanes, run one after another as by ``make test``: ``python -m tests.lanes test-unit``.

The other lanes run even if one fails. A lane that broke off is run once more, because some of its tests never
ran. The output ends with the failures and one line for each lane. The exit status is 0 only if every lane ran
tests and none of them failed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COUNTS = re.compile(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s\b.*$")
PASSED = re.compile(r"\b[1-9]\d* passed\b")
FAILED = re.compile(r"\b[1-9]\d* (failed|errors?)\b")
SKIPPED = re.compile(r"^SKIPPED (.*)$")
# Lines of pytest's summary about single tests, interruptions, and internal errors of pytest.
REASON = re.compile(
    r"^(FAILED |ERROR |RERUN |!+ |INTERNALERROR> \s*(E\s+)?[\w.]+(Error|Exception|Interrupt)\b)"
)
REASONS = 20
ATTEMPTS = 2
REASON_CHARACTERS = 200


@dataclass(frozen=True, kw_only=True)
class Lane:
    """The result of a lane: ``counts`` is pytest's closing line, ``reasons`` are its lines about failures."""

    name: str
    status: int
    seconds: float
    counts: str = ""
    skipped: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        return self.status == 0 and PASSED.search(self.counts) is not None

    @property
    def is_broken_off(self) -> bool:
        """True if the lane ended with an error although none of its tests failed."""
        return self.status != 0 and PASSED.search(self.counts) is not None and not FAILED.search(self.counts)

    @property
    def line(self) -> str:
        bad = "BROKE OFF" if self.is_broken_off else "FAILED"
        word = bad if self.status else "passed" if self.is_passed else "NO TEST RAN"
        words = self.counts or self.skipped or f"exit status {self.status}"
        return f"{self.name:<14} {word:<12} {self.seconds:5.0f} s   {words}"


def lane_of(name: str, lines: Iterable[str], *, status: int, seconds: float) -> Lane:
    """Parse the output of a lane."""
    counts = skipped = ""
    reasons = deque[str](maxlen=REASONS)
    for line in lines:
        if REASON.match(line):
            reasons.append(line.rstrip()[:REASON_CHARACTERS])
        if match := COUNTS.match(line.strip()):
            counts = match[1]
        if match := SKIPPED.match(line):
            skipped = match[1]
    return Lane(
        name=name, status=status, seconds=seconds, counts=counts, skipped=skipped, reasons=tuple(reasons)
    )


def lane_run(name: str) -> Lane:
    """Run a target of the Makefile and pass its output through."""
    begun, lines = time.monotonic(), list[str]()
    command = [os.environ.get("MAKE", "make"), "--no-print-directory", name]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, errors="replace", env=environment
    ) as lane:
        assert lane.stdout is not None
        for line in lane.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return lane_of(name, lines, status=lane.returncode, seconds=time.monotonic() - begun)


def main(names: Sequence[str]) -> int:
    lanes, last = list[Lane](), dict[str, Lane]()
    for name in names:
        for _ in range(ATTEMPTS):
            print(f"---- {name}", flush=True)
            last[name] = lane_run(name)
            lanes.append(last[name])
            if not last[name].is_broken_off:
                break
    for lane in lanes:
        if lane.reasons:
            print(f"\n---- {lane.name}, in short", *lane.reasons, sep="\n")
    print("\n---- all lanes")
    for lane in lanes:
        print(lane.line)
    return 0 if all(lane.is_passed for lane in last.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
