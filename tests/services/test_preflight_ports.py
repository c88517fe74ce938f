from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from core.errors import GymError
from gymsite.services.preflight import port_probe, ports_probe
from tests.services.installations import free_port

HOST = "127.0.0.1"


def test_a_free_port_passes_and_stays_free() -> None:
    port = free_port()
    for _ in range(2):
        port_probe(host=HOST, port=port, setting="ARENA_PORT")


@pytest.mark.parametrize("bound_to", [HOST, "0.0.0.0"])
def test_a_port_that_is_listened_on_is_refused_even_when_its_holder_would_share_it(bound_to: str) -> None:
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind((bound_to, 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(GymError) as refused:
            port_probe(host=HOST, port=port, setting="LAB_PORT")
    assert refused.value.code == "port_in_use"
    assert f"Port {port} is in use by " in refused.value.message
    assert f"(process {os.getpid()})" in refused.value.message
    assert "LAB_PORT=" in refused.value.message


def test_a_port_whose_last_connections_linger_is_free() -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the doors do
        listener.bind((HOST, 0))
        listener.listen()
        port = listener.getsockname()[1]
        with socket.create_connection((HOST, port)):
            accepted, _ = listener.accept()
            accepted.close()  # the side that closes first keeps the port in TIME_WAIT
    port_probe(host=HOST, port=port, setting="LAB_PORT")


def test_two_servers_on_one_port_are_refused() -> None:
    port = free_port()
    with pytest.raises(GymError) as refused:
        ports_probe(host=HOST, ports={"ARENA_PORT": port, "LIVE_PORT": free_port(), "LAB_PORT": port})
    assert refused.value.message.startswith(f"ARENA_PORT and LAB_PORT are both {port}")


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(GymError) as refused:
        ports_probe(host=HOST, ports={"LAB_PORT": port})
    assert refused.value.code == "no_such_port"


def test_an_address_that_is_not_ours_is_named() -> None:
    with pytest.raises(GymError) as refused:
        port_probe(host="192.0.2.1", port=free_port(), setting="LAB_PORT")
    assert refused.value.code == "no_such_address"
    assert "GYM_HOST" in refused.value.message


def test_the_holder_of_a_port_in_another_process_is_named() -> None:
    program = (
        "import socket, sys; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen();"
        "print(s.getsockname()[1], flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        port = int(holder.stdout.readline())
        with pytest.raises(GymError, match=rf"\(process {holder.pid}\)"):
            port_probe(host=HOST, port=port, setting="LAB_PORT")
        holder.kill()
