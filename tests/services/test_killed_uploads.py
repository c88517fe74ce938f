"""Uploads whose server is killed while it stores them, in a whole installation."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import threading
import time
from pathlib import Path

import httpx
import pytest

from core.storage import durable_files
from tests.services.canaries import manage
from tests.services.installations import until
from tests.services.kills import RESTART_S, VICTIMS, Installation

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("installation")]

BYTES = 30 * 1024 * 1024
KILLS = 5
UPLOAD_S = 60.0


def test_a_killed_upload_leaves_no_name_and_the_next_one_heals(installation: Installation) -> None:
    """Killed as soon as a part appears: before a rename nothing has a name, after it all bytes are there."""
    store = installation.up.var_dir / "blobs"
    parts = store / "incoming"
    parts_left = 0
    for round_ in range(KILLS):
        data = os.urandom(64) + bytes([round_]) * BYTES
        name = hashlib.sha256(data).hexdigest()
        statuses: list[int] = []
        workers = VICTIMS["lab's worker"](installation)  # any of which may have the upload
        upload = threading.Thread(target=_upload, args=(installation, name, data, statuses))
        upload.start()
        seen = _wait_for_part(parts, upload)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        upload.join()
        parts_left += len(list(parts.iterdir())) if seen else 0
        path = store / name[:2] / name[2:4] / name
        assert not path.exists() or path.stat().st_size == len(data)
        assert path.exists() or statuses != [201]
        until(lambda: _is_up(installation), seconds=RESTART_S, what="the lab is back")
        again: list[int] = []
        _upload(installation, name, data, again)
        assert again in ([200], [201])
        assert path.read_bytes() == data
    assert parts_left, "no kill came in the middle of storing"
    _parts_are_swept(installation, parts)


def _parts_are_swept(installation: Installation, parts: Path) -> None:
    left = list(parts.iterdir())
    for part in left:
        long_ago = time.time() - durable_files.PART_MAX_AGE_S - 60
        os.utime(part, (long_ago, long_ago))
    assert "Every file is there." in manage(installation.up, "check_blobs", "--contents")
    # The housekeeper sweeps at its start.
    os.kill(installation.now.child("housekeeper"), signal.SIGKILL)
    until(lambda: not list(parts.iterdir()), seconds=UPLOAD_S, what="the parts are swept")


def _upload(installation: Installation, name: str, data: bytes, statuses: list[int]) -> None:
    lab = f"http://127.0.0.1:{installation.up.ports['LAB_PORT']}"
    headers = {"Authorization": f"Bearer {installation.key}"}
    with (
        contextlib.suppress(httpx.HTTPError),
        httpx.Client(base_url=lab, headers=headers, trust_env=False, timeout=UPLOAD_S) as http,
    ):
        statuses.append(http.put(f"/api/v1/blobs/{name}", content=data).status_code)


def _wait_for_part(parts: Path, upload: threading.Thread) -> bool:
    known = set(parts.iterdir()) if parts.is_dir() else set()
    while upload.is_alive():
        if parts.is_dir() and set(parts.iterdir()) - known:
            return True
    return False


def _is_up(installation: Installation) -> bool:
    """Whether the lab answers, by other workers than those that were killed."""
    return installation.up.health("LAB_PORT", "/api/v1/health")[0] == 200
