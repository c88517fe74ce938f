"""A supervisor that is stopped or killed while it starts leaves an installation that can start."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.services import audit
from tests.services.installations import START_S, STOP_S, Started, Up, until
from tests.services.kills import installed

pytestmark = [pytest.mark.services, pytest.mark.slow]

# From before initdb, over the migrations, to doors that begin to answer.
KILLED_WHILE_STARTING_S = (0.4, 1.0, 1.4, 1.8, 2.2, 2.8, 3.6)


def test_a_supervisor_stopped_or_killed_at_any_moment_of_its_start_can_start_again(tmp_path: Path) -> None:
    up = Up(tmp_path / "var")
    _stopped_while_it_starts(up)
    for seconds in KILLED_WHILE_STARTING_S:
        starting = up.spawn()
        time.sleep(seconds)
        starting.kill()
        starting.communicate()
    with installed(up) as installation:
        until(lambda: up.health_record()["status"] == "ok", seconds=30, what="nothing is missing")
        durable = ("fsync", "synchronous_commit", "full_page_writes")
        shown = [audit.rows(installation.owner_url, f"SHOW {name}") for name in durable]
        assert shown == [[("on",)]] * len(durable)


def _stopped_while_it_starts(up: Up) -> None:
    process = up.spawn()
    starting = Started(up, process)
    try:
        starting.read_until("Creating a new installation", seconds=START_S)
        assert starting.interrupt() < STOP_S
        assert up.descendants() == []
    finally:
        process.kill()
        process.communicate()
