"""Every process is killed while work flows, and nothing that was acknowledged is lost or done twice."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.services import audit
from tests.services.canaries import words_in
from tests.services.chaos import SETTINGS, Chaos, say
from tests.services.installations import STOP_S, Up
from tests.services.kills import VICTIMS, installed

pytestmark = [pytest.mark.services, pytest.mark.slow]

SEED = int(os.environ.get("CHAOS_SEED", "20260302"))
SHOWN = 20


def test_kills_lose_and_duplicate_nothing(tmp_path: Path) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    up = Up(tmp_path / "var", extra=SETTINGS)
    with installed(up) as installation:
        chaos = Chaos(installation, SEED)
        try:
            chaos.play(in_haste=VICTIMS)  # the supervisor once: with it everything starts again
            say(audit.summary(installation.owner_url, chaos.ledger))
        finally:
            complaints = audit.complaints(installation.owner_url, chaos.ledger)
            say(f"{len(complaints)} complaints; logs are in {up.var_dir / 'logs'}\n{_excerpt(complaints)}")
        assert complaints == []
        for victim in VICTIMS:  # killed in haste, which no later start of everything has undone
            installation.running(victim)
        assert list(words_in(up.var_dir / "logs", chaos.ledger.tokens)) == []  # crashes log requests too
        assert "password" in installation.starts[0].output
        assert "password" not in installation.now.output
        assert installation.now.interrupt() < STOP_S
        assert installation.now.process.returncode == 0
        assert up.descendants() == []


def _excerpt(complaints: Sequence[str]) -> str:
    more = f"\nand {len(complaints) - SHOWN} more" if len(complaints) > SHOWN else ""
    return "\n".join(sorted(complaints)[:SHOWN]) + more
