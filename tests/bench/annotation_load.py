"""Annotators who label simultaneously, each in a thread of this process, as browsers without scripts do.

`python -m tests.bench.annotation_load LAB_URL PROJECT UNITS PAUSE_S SESSION ...` prints a JSON object with
the milliseconds until the next unit was available and until a label was stored, and the slots that were
handed out.
"""

from __future__ import annotations

import json
import random
import re
import sys
import threading
import time

import httpx

MS_PER_SECOND = 1000
COOKIE = "palaestra_lab"
ANSWERS = {"type": "reasoning", "target": "problem", "behaviours": "plan", "contradiction": "none"}
HIDDEN = re.compile(r'<input type="hidden"\s+name="([a-z_]+)"\s+value="([^"]*)"')
SLOT = re.compile(r'data-slot="(\d+)"')


class Annotator:
    """One annotator, who requests a unit, waits a moment, sends the label, and repeats."""

    def __init__(self, lab: str, project: int, session: str, *, pause_s: float, seed: int) -> None:
        self._client = httpx.Client(base_url=lab, cookies={COOKIE: session}, timeout=60)
        self._address = f"/annotation/{project}"
        self._pause_s = pause_s
        self._rng = random.Random(seed)
        self.next_ms: list[float] = []
        self.saved_ms: list[float] = []
        self.slots: list[int] = []

    def label(self, units: int) -> None:
        for _ in range(units):
            time.sleep(self._rng.uniform(0, 2 * self._pause_s))
            begun = time.perf_counter()
            page = self._client.get(f"{self._address}/queue?fragment")
            self.next_ms.append((time.perf_counter() - begun) * MS_PER_SECOND)
            self.slots.append(int(SLOT.findall(page.text)[0]))
            body = {**dict(HIDDEN.findall(page.text)), **ANSWERS}
            begun = time.perf_counter()
            answer = self._client.post(
                f"{self._address}/label", data=body, headers={"Accept": "application/json"}
            )
            self.saved_ms.append((time.perf_counter() - begun) * MS_PER_SECOND)
            if answer.status_code != httpx.codes.OK:
                raise RuntimeError(f"{answer.status_code}: {answer.text[:500]}")


def main(lab: str, project: int, units: int, pause_s: float, sessions: list[str]) -> None:
    people = [
        Annotator(lab, project, session, pause_s=pause_s, seed=seed) for seed, session in enumerate(sessions)
    ]
    threads = [threading.Thread(target=one.label, args=[units]) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(
        json.dumps(
            {
                "next_ms": [time_ms for one in people for time_ms in one.next_ms],
                "saved_ms": [time_ms for one in people for time_ms in one.saved_ms],
                "slots": [slot for one in people for slot in one.slots],
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:])
