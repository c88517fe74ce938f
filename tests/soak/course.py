"""The course of a soak: start, measure the maximum rate, load steadily while sampling, come to rest, stop."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.services.installations import Up
from tests.services.kills import installed
from tests.soak.browser import browser_play
from tests.soak.homes import homes_check
from tests.soak.load import Harness, Tally, load_steady, rate_measure
from tests.soak.reader import Reader
from tests.soak.samples import Record

SAMPLE_EVERY_S = 10.0
SAMPLES_MIN = 10
MEASURE_S = 20.0
# Short, so that abandoned episodes already end during the warm-up.
LEASES = {"LEASE_S": "60", "LEASE_GRACE_S": "30"}
LOST_S = 150.0  # a lease, its grace period, and some rounds of the reaper


@dataclass(frozen=True)
class Course:
    """The result of a soak."""

    rate: float
    tally: Tally
    record: Record
    rounds: int
    reads: int
    complaints: list[str]

    def summary(self) -> str:
        first, last = self.record.samples[0], self.record.samples[-1]
        files = ", ".join(f"{name} {last.files[name]:,}" for name in last.files)
        return (
            f"{self.tally.episodes:,} episodes, {self.rate:.1f}/s planned ({self.tally.late_s:.0f} s late),"
            f" {self.rounds} rounds in a browser, {self.tally.answers:,} answers to programs,"
            f" {self.reads:,} to readers; rows {first.rows:,} → {last.rows:,}, database"
            f" {first.database_mb:.0f} → {last.database_mb:.0f} MB; files: {files}"
        )


def course_run(up: Up, *, seconds: float, share: float, with_browser: bool) -> Course:
    """Soak a new installation and stop it. Raises if a call fails that no client would expect to fail."""
    with installed(up) as installation:
        harness, record, reader = Harness(installation, Tally()), Record(installation), Reader(installation)
        rate = rate_measure(harness, seconds=min(MEASURE_S, seconds)) * share
        print(f"{rate:.1f} episodes/s are {share:.0%} of the most", file=sys.stderr)
        every_s = min(SAMPLE_EVERY_S, seconds / SAMPLES_MIN)
        with ThreadPoolExecutor() as threads, _over_afterwards() as over:
            beside = [
                threads.submit(record.take_all, over, every_s=every_s),
                threads.submit(reader.read, over),
            ]
            playing = threads.submit(browser_play, installation, over) if with_browser else None
            load_steady(harness, rate=rate, seconds=seconds)
        lost = datetime.now(UTC) - timedelta(seconds=LOST_S)
        # A failure alongside the load must not cost half an hour of samples.
        complaints = [f"stopped early: {error!r}" for each in beside if (error := each.exception())]
        complaints += homes_check(up, installation.owner_url, lost=lost)
        installation.now.interrupt()
        complaints += [f"process {pid} is left over" for pid in up.descendants()]
        refused = harness.tally.refused + reader.refused
        complaints += [f"{count:,} times {refusal}" for refusal, count in refused.items()]
    return Course(
        rate=rate,
        tally=harness.tally,
        record=record,
        rounds=playing.result() if playing else 0,
        reads=reader.reads,
        complaints=complaints,
    )


@contextmanager
def _over_afterwards() -> Iterator[threading.Event]:
    """An event that is set once the body has ended."""
    over = threading.Event()
    try:
        yield over
    finally:
        over.set()
