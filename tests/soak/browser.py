"""The scripted policies of the demonstration in a browser, one round after another."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import httpx

from gymsite.services import secrets
from tests.services.kills import Installation

EPISODES = 6  # episodes of each policy in a round; few, so that a round ends within a minute
POLL_S = 0.5
STOP_S = 20.0
EXPORT_S = 60.0


def browser_play(installation: Installation, over: threading.Event) -> int:
    """Play rounds until ``over``, and return how many were completed. The last round is interrupted."""
    server = f"http://127.0.0.1:{installation.up.ports['LAB_PORT']}"
    key = secrets.read(installation.up.var_dir, "demo_key")
    golds = installation.up.var_dir.parent / "golds.ndjson"
    answer = httpx.get(
        f"{server}/api/v1/golds/export", headers={"Authorization": f"Bearer {key}"}, timeout=EXPORT_S
    )
    golds.write_bytes(answer.raise_for_status().content)
    command = ["-m", "palaestra", "demo", "--server", server, "--golds", str(golds), "--pages", "1"]
    rounds = 0
    while not over.is_set():
        demo = subprocess.Popen(
            [sys.executable, *command, "--episodes", str(EPISODES)],
            env={**os.environ, "PALAESTRA_KEY": key},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while demo.poll() is None and not over.wait(POLL_S):
            pass
        rounds += demo.poll() == 0
        demo.terminate()
        demo.wait(STOP_S)
    return rounds
