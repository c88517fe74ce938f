"""Secrets of an installation: files under ``VAR_DIR/secrets`` that only their owner can read."""

from __future__ import annotations

import os
import re
import secrets as random_source
from pathlib import Path

from core.errors import GymError

RANDOM_BYTES = 32
PASSWORDS = (
    *("gym_owner", "gym_arena", "gym_lab", "gym_worker", "gym_sandbox", "gym_metrics"),
    *("redis", "redis_sandbox"),
)
# The lab, the live server and manage.py share `secret_key`, because live reads sessions signed by the lab.
KEYS = ("token_key", "world_salt", "secret_key", "secret_key_arena", "secret_key_worker")
NAME = re.compile(r"[a-z_]+")


def folder(var_dir: Path) -> Path:
    return var_dir / "secrets"


def ensure_all(var_dir: Path) -> None:
    """Create the folder (0700) and every missing secret (0600); existing secrets never change."""
    folder(var_dir).mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in PASSWORDS + KEYS:
        if not (folder(var_dir) / name).exists():
            write(var_dir, name, random_source.token_hex(RANDOM_BYTES))


def write(var_dir: Path, name: str, value: str) -> None:
    """Write or replace a secret atomically. Raises ``ValueError`` for an invalid name."""
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid secret name: use letters and underscores only")
    file_write(folder(var_dir) / name, value + "\n")


def file_write(target: Path, text: str) -> None:
    """Write a file that only its owner may read (0600) atomically, and flush it to disk."""
    half = target.with_name(f".{target.name}.{os.getpid()}")
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half.replace(target)


def read(var_dir: Path, name: str) -> str:
    """Read a secret. Raises ``GymError`` ``no_secret`` or ``secret_not_readable``."""
    path = folder(var_dir) / name
    try:
        return path.read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        message = f"{path} does not exist: start Palaestra once with `make up`, or set it in the environment."
        raise GymError("no_secret", message) from None
    except PermissionError:
        message = f"{path} belongs to another user: run as that user, or choose another VAR_DIR."
        raise GymError("secret_not_readable", message) from None


def read_or_empty(var_dir: Path, name: str) -> str:
    """Read an optional secret of the operator, such as a bucket's key; return "" if there is none."""
    try:
        return read(var_dir, name)
    except GymError:
        return ""


def read_or_ephemeral(var_dir: Path, name: str) -> str:
    """Read the secret of an existing installation, or make up a random one for this process.

    So commands that need no running server (``check``, ``makemigrations``) work without a VAR_DIR.
    """
    return read_or_empty(var_dir, name) or random_source.token_hex(RANDOM_BYTES)
