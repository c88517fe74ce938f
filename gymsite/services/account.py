"""The operating-system user that runs the embedded servers, since Postgres refuses to run as root."""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from core.errors import GymError

# A dedicated user is preferred, because other programs also run as `nobody`.
CANDIDATES = ("palaestra", "postgres", "nobody")


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int


def for_data(data_dir: Path) -> Account | None:
    """Choose the servers' account. None means our own; root uses the data's owner or the first candidate.

    Errors: ``no_account`` when no suitable user exists.
    """
    if os.geteuid() != 0:
        _require_name()
        return None
    if data_dir.exists() and (info := data_dir.stat()).st_uid != 0:
        return Account(uid=info.st_uid, gid=info.st_gid)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(uid=entry.pw_uid, gid=entry.pw_gid)
    raise GymError(
        "no_account", "Postgres cannot run as root: add a user for it with `useradd --system palaestra`."
    )


def own_folder(path: Path, account: Account | None) -> None:
    """Create a private folder (0700) that belongs to the servers' user."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if account:
        os.chown(path, account.uid, account.gid)


def can_enter(path: Path, account: Account | None) -> bool:
    """Return whether the user may enter every folder on the way to ``path`` (ACLs are ignored)."""
    if account is None:
        return os.access(path, os.X_OK)
    return all(_passes(folder, account) for folder in (path, *path.parents))


def _passes(folder: Path, account: Account) -> bool:
    info = folder.stat()
    if info.st_uid == account.uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)


def _require_name() -> None:
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        raise GymError(
            "no_account",
            f"User id {os.geteuid()} has no name in /etc/passwd, and Postgres needs one: "
            "add it there, or set DATABASE_URL.",
        ) from None
