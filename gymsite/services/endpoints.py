"""Addresses of the embedded servers: sockets in a private folder, whose path is kept in ``VAR_DIR/run``."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from core.errors import GymError
from gymsite.services import secrets
from gymsite.services.account import Account, can_enter

DATABASE = "gym"
# A socket's path has at most 108 bytes, including its NUL. Postgres creates the longest name in the folder.
SOCKET_PATH_MAX = 107
LONGEST_NAME = "/.s.PGSQL.5432"
REDIS_SOCKET = "redis.sock"


def database_url(var_dir: Path, *, role: str) -> str:
    """Return the embedded Postgres's address for ``owner``, ``arena``, ``lab``, ``worker`` or ``gym_...``.

    Before the first start it is well formed, but has no password and leads nowhere.
    """
    name = "gym_" + role.removeprefix("gym_")
    host = quote(str(socket_folder(var_dir)))
    return f"postgresql://{name}:{secrets.read_or_empty(var_dir, name)}@/{DATABASE}?host={host}"


def redis_url(var_dir: Path, *, user: str = "") -> str:
    """Return the embedded Redis's address (``unix://``) with password; the default user has all rights."""
    login = f"{user}:{secrets.read_or_empty(var_dir, redis_secret(user))}"
    return f"unix://{login}@{quote(str(socket_folder(var_dir) / REDIS_SOCKET))}"


def redis_secret(user: str) -> str:
    """Return the name of the secret that contains a Redis user's password."""
    return user or "redis"


def role_url(var_dir: Path, *, owner_url: str, role: str) -> str:
    """Return Postgres's address for a role (``gym_lab``); "" as ``owner_url`` means the embedded server."""
    if not owner_url:
        return database_url(var_dir, role=role)
    return with_login(owner_url, user=role, password=secrets.read(var_dir, role))


def with_login(url: str, *, user: str = "", password: str) -> str:
    """Return an external server's address with another user and password."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}"))


def run_folder(var_dir: Path) -> Path:
    return var_dir / "run"


def metrics_folder(var_dir: Path) -> Path:
    """Return the folder in which each process serves its metrics."""
    return run_folder(var_dir) / "metrics"


def socket_folder(var_dir: Path) -> Path:
    """Return the folder that the last start chose, or else the one that the next start will try first."""
    try:
        return Path((run_folder(var_dir) / "sockets").read_text().strip())
    except OSError:
        return run_folder(var_dir) / "s"


def socket_folder_make(var_dir: Path, account: Account | None) -> Path:
    """Make a private folder (0700) that the servers' user can enter, with a path short enough for sockets.

    The folder is under VAR_DIR, or among the temporary files if that path is too long or closed to the
    servers' user. Errors: ``socket_path_too_long``.
    """
    noted = socket_folder(var_dir)
    if _is_ours(noted, account) and _fits(noted):
        return noted
    folder = run_folder(var_dir) / "s"
    if _fits(folder) and can_enter(folder.parent, account):
        folder.mkdir(mode=0o700, exist_ok=True)
    else:
        folder = _temporary_folder()
    if account:
        os.chown(folder, account.uid, account.gid)
    folder.chmod(0o700)
    (run_folder(var_dir) / "sockets").write_text(f"{folder}\n")
    return folder


def _temporary_folder() -> Path:
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - mkdtemp below creates a private folder in it
        if _fits(Path(parent, "gym-12345678")) and os.access(parent, os.W_OK | os.X_OK):
            return Path(tempfile.mkdtemp(prefix="gym-", dir=parent))
    raise GymError(
        "socket_path_too_long",
        f"No folder has a path short enough for sockets ({SOCKET_PATH_MAX} bytes): "
        "set TMPDIR or VAR_DIR to a shorter one.",
    )


def _fits(folder: Path) -> bool:
    return len(os.fsencode(f"{folder}{LONGEST_NAME}")) <= SOCKET_PATH_MAX


def _is_ours(folder: Path, account: Account | None) -> bool:
    try:
        info = folder.lstat()
    except OSError:
        return False
    uid = account.uid if account else os.geteuid()
    is_private = stat.S_ISDIR(info.st_mode) and info.st_uid == uid and not info.st_mode & 0o077
    return is_private and can_enter(folder.parent, account)
