"""The embedded Redis: the wheel's server, run in the foreground on a private socket, with a password."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

from gymsite.services import endpoints, parent_death, secrets
from gymsite.services.account import Account, own_folder

ANSWER_BYTES = 512
CONFIGURATION = """
port 0
unixsocket {socket}
unixsocketperm 700
requirepass {password}
daemonize no
appendonly yes
appendfsync everysec
aof-load-truncated yes
save ""
maxmemory-policy noeviction
maxclients 1000
user redis_sandbox on >{sandbox_password} {sandbox_rights}
"""
# docker-compose.yml gives its Redis the same settings.
SANDBOX_RIGHTS = Path(__file__).with_name("redis_sandbox.acl")


def data_folder(var_dir: Path) -> Path:
    return var_dir / "redis"


def prepare(var_dir: Path, *, account: Account | None) -> None:
    """End a server that outlived its supervisor, and create the data folder. Errors: ``server_left_over``."""
    data = data_folder(var_dir)
    own_folder(data, account)
    parent_death.end_servers(data, "redis-server", signal.SIGKILL)


def spawn(var_dir: Path, *, program: Path, account: Account | None, log: int) -> subprocess.Popen[bytes]:
    """Start the server. Its configuration is piped in, to keep the password out of process lists."""
    configuration = CONFIGURATION.format(
        socket=_socket(var_dir),
        password=secrets.read(var_dir, "redis"),
        sandbox_password=secrets.read(var_dir, "redis_sandbox"),
        sandbox_rights=SANDBOX_RIGHTS.read_text().strip(),
    )
    read_end, write_end = os.pipe()
    os.write(write_end, configuration.encode())
    os.close(write_end)
    try:
        return parent_death.spawn(
            [str(program), "-"],
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
            cwd=data_folder(var_dir),
            log=log,
            stdin=read_end,
            account=account,
        )
    finally:
        os.close(read_end)


def is_ready(var_dir: Path) -> bool:
    """Return whether the server accepts our password and has loaded its data."""
    request = f"AUTH {secrets.read(var_dir, 'redis')}\r\nPING\r\n".encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(_socket(var_dir)))
            connection.sendall(request)
            reply = b""
            while reply.count(b"\r\n") < 2 and (part := connection.recv(ANSWER_BYTES)):
                reply += part
        except OSError:
            return False
    return reply == b"+OK\r\n+PONG\r\n"


def _socket(var_dir: Path) -> Path:
    return endpoints.socket_folder(var_dir) / endpoints.REDIS_SOCKET
