"""Rows of fairness: how long a quiet trainer's steps take alongside a noisy trainer, compared with alone."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count, takewhile
from statistics import median

from tests.bench import load
from tests.bench.installation import BASE_DIR, Installation
from tests.bench.table import Row, middle

ROUNDS = 5
TURN_S = 4.0
SETTLE_S = 0.5
THINK_S = 0.05
PROCESSES = 2
CONNECTIONS = 128  # of each
EPISODES = 64


def rows(place: Installation) -> Iterator[Row]:
    noisy_key = place.manage("create_key", "--name", "noisy", "--scopes", "trainer")
    quiet = _Quiet(place)
    rates: list[float] = []
    quiet.p50_ms()
    pairs = []
    for _ in range(ROUNDS):
        alone = quiet.p50_ms()
        with _noise(place, noisy_key, rates):
            pairs.append((alone, quiet.p50_ms()))
    floor, ours = middle(pairs)
    yield Row(
        "steps of a quiet key beside a noisy one, p50",
        ours,
        "ms",
        2 * floor,
        is_lower_better=True,
        peer=floor,
        beside="alone",
        note=f"{PROCESSES * CONNECTIONS} connections of the noisy key, {median(rates) * PROCESSES:,.0f}"
        f" steps/s; the middle one of {ROUNDS} turns",
    )


class _Quiet:
    """One connection that alternately sends a step and thinks."""

    def __init__(self, place: Installation) -> None:
        self._place = place
        self._run, self._tasks = place.run_create("quiet", "train"), place.question_ids()
        (self._episode,) = [one["id"] for one in place.episodes_open(self._run, self._tasks, 1)]
        self._numbers = count(1)

    def p50_ms(self) -> float:
        end = time.monotonic() + TURN_S
        steps = takewhile(lambda _: time.monotonic() < end, iter(self._step, None))
        return load.paced(self._place.lab, steps, clients=1, think_s=THINK_S).percentile(0.5)

    def _step(self) -> bytes:
        step = {"index": next(self._numbers), "thought": "quiet " * 80, "action": {"type": "noop"}}
        path = f"{self._place.api}/episodes/{self._episode}/steps"
        return load.request_bytes("POST", path, key=self._place.key, body={"steps": [step]})


@contextlib.contextmanager
def _noise(place: Installation, key: str, rates: list[float]) -> Iterator[None]:
    """Run the noisy trainer while the block runs."""
    run, tasks = place.run_create("noisy", "train"), place.question_ids()
    command = [sys.executable, "-m", "tests.bench.noise", place.lab, key, str(CONNECTIONS), str(2 * TURN_S)]
    made = [
        subprocess.Popen(
            [*command, *(str(one["id"]) for one in place.episodes_open(run, tasks, EPISODES))],
            cwd=BASE_DIR,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    for process in made:
        if process.stdout:
            process.stdout.readline()
    time.sleep(SETTLE_S)
    yield
    rates += [float(process.communicate()[0]) for process in made]
