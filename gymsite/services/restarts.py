"""Counts of how often the supervisor restarted each child, kept in a file for the metrics process.

The supervisor cannot serve metrics itself: it forks, and so must have only one thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from gymsite.services import endpoints

NAME = "restarts.json"


def restarts_write(var_dir: Path, restarts: Mapping[str, int]) -> None:
    file = endpoints.run_folder(var_dir) / NAME
    part = file.with_suffix(".part")
    with contextlib.suppress(OSError):  # a full disk must not prevent a restart
        part.write_bytes(msgspec.json.encode(restarts))
        part.replace(file)


def restarts_read(var_dir: Path) -> dict[str, int]:
    """Read how often each child was restarted; empty if no supervisor is running, as in containers."""
    try:
        return msgspec.json.decode((endpoints.run_folder(var_dir) / NAME).read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        return {}
