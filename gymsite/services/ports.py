"""Checks that TCP ports are free, and names the program that holds a busy one."""

from __future__ import annotations

import contextlib
import errno
import socket
from collections.abc import Mapping

import psutil

from core.errors import GymError

PORT_MAX = 65_535


def ports_probe(*, host: str, ports: Mapping[str, int]) -> None:
    """Probe each port, by the setting that names it. Errors: ``port_probe``'s, and ``port_used_twice``.

    Servers share a port silently (SO_REUSEPORT): arena and lab would each get half of the other's requests.
    """
    seen: dict[int, str] = {}
    for setting, port in ports.items():
        if port in seen:
            message = f"{seen[port]} and {setting} are both {port}: give each a port of its own."
            raise GymError("port_used_twice", message)
        seen[port] = setting
        port_probe(host=host, port=port, setting=setting)


def port_probe(*, host: str, port: int, setting: str) -> None:
    """Bind the port for a moment.

    Errors: ``port_in_use``, ``port_not_allowed``, ``no_such_port``, ``no_such_address``.

    The probe does without SO_REUSEPORT, with which a busy port would seem free.
    """
    if not 0 < port <= PORT_MAX:
        raise GymError("no_such_port", f"{setting} is {port}; a port is a number from 1 to {PORT_MAX}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # lingering connections do no harm
        try:
            probe.bind((host, port))
        except OSError as error:
            raise _explained(error, host=host, port=port, setting=setting) from None


def _explained(error: OSError, *, host: str, port: int, setting: str) -> GymError:
    if error.errno == errno.EADDRINUSE:
        holder = _holder(port)
        by = f" by {holder}" if holder else ""
        message = (
            f"Port {port} is in use{by}: end that program, or choose another port with {setting}=<port>."
        )
        return GymError("port_in_use", message)
    if error.errno == errno.EACCES:
        message = f"Port {port} is reserved for root: choose one above 1023 with {setting}=<port>."
        return GymError("port_not_allowed", message)
    message = f"{host} is not an address of this machine ({error.strerror}): set GYM_HOST to one that is."
    return GymError("no_such_address", message)


def _holder(port: int) -> str:
    """Name and pid of the listening program, or an empty string where the system hides it."""
    for connection in psutil.net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
            with contextlib.suppress(psutil.Error):
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    return ""
