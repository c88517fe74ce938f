"""Installations that are shared by tests which do not mind each other's traces.

There is one for most tests, and one with short times for the sweeper.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import httpx
import pytest

from tests.services.canaries import Scene, Seen, canaries_load, scene_make
from tests.services.installations import Up
from tests.services.kills import Installation, installed

BLOB = b"a page as the agent saw it"
TOOL_CALL_S = 25
SETTINGS = {
    "LOG_FORMAT": "json",
    # The scene's last episode must stay open even if the machine is busy.
    "LEASE_S": "3600",
    "SANDBOXES": "2",
    # Every statement counts as slow, so that anything that a statement reveals appears in the log.
    "SLOW_STATEMENT_MS": "0",
    "TOOL_CALL_TIMEOUT_S": str(TOOL_CALL_S),
}

LEASE_S = 5.0
# Leases expire soon, but claims do not: in time, only a worker's lock can show that its claims are lost.
SWEPT = {
    "LEASE_S": str(LEASE_S),
    "LEASE_GRACE_S": "8",
    "CLAIM_LOST_S": "600",
    "RESEND_AFTER_S": "600,600",
    "VERIFIER_TIMEOUT_S": "100",
}


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Yield the shared installation.

    Tests that use it are marked ``xdist_group("installation")``, so that only one process starts it, once.
    """
    with installed(Up(tmp_path_factory.mktemp("shared") / "var", extra=SETTINGS)) as running:
        yield running


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Yield the installation with short times; tests that use it are marked ``xdist_group("swept")``."""
    with installed(Up(tmp_path_factory.mktemp("swept") / "var", extra=SWEPT)) as running:
        yield running


@pytest.fixture(scope="session")
def scene(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    canaries_load(installation.up, tmp_path_factory.mktemp("canaries"))
    with httpx.Client(trust_env=False, timeout=40.0) as http:
        made = scene_make(installation.up, key=installation.key, http=http, seen=Seen())
        made.blob = hashlib.sha256(BLOB).hexdigest()
        answer = http.put(
            f"{made.lab}/api/v1/blobs/{made.blob}",
            content=BLOB,
            headers={"Authorization": f"Bearer {made.key}"},
        )
        assert answer.status_code == 201, answer.text
        yield made
