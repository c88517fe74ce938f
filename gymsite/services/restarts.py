"""Restarts of each of the supervisor's children, in a file for the metrics.

It forks from its one thread, so it has none that could answer for itself.
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
    with contextlib.suppress(OSError):  # a full disk stops no restart
        part.write_bytes(msgspec.json.encode(restarts))
        part.replace(file)


def restarts_read(var_dir: Path) -> dict[str, int]:
    """Read how often each child was restarted, by name; empty if no supervisor runs, as in containers."""
    try:
        return msgspec.json.decode((endpoints.run_folder(var_dir) / NAME).read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError):
        return {}
