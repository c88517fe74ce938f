"""Metrics that each process serves at a socket of its own, in a folder that all processes share.

A process keeps its counters in memory. If it is killed, it leaves behind a socket that nobody answers; its
successor takes over the slot, and with it the number that labels the metrics.
"""

from __future__ import annotations

import fcntl
import itertools
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
from django.conf import settings

from core.telemetry import metrics

logger = logging.getLogger(__name__)

CLIENT_S = 2.0
BLOCK_BYTES = 1 << 18
# These lock files stay open, and therefore locked, until the process ends.
_held: list[int] = []


class Sample(NamedTuple):
    name: str
    labels: dict[str, str]
    value: float


class Family(NamedTuple):
    """A metric as a process sends it; ``type`` is Prometheus's: ``counter``, ``gauge`` or ``histogram``."""

    name: str
    documentation: str
    type: str
    samples: list[Sample]


class Slot(NamedTuple):
    """A process's slot: its name in the process table, and its number among the processes of that name."""

    process: str
    number: int


_decoder = msgspec.msgpack.Decoder(list[Family])


def expose(process: str) -> None:
    """Start a thread that serves this process's metrics; a forked process needs its own call.

    Do nothing if ``METRICS_PORT`` is 0. If the folder cannot be used, that is only logged, because no process
    should fail for lack of metrics.
    """
    if not settings.METRICS_PORT:
        return
    try:
        listener = _listener(process, settings.METRICS_DIR)
    except OSError as error:
        logger.warning("the metrics of %s cannot be served: %s", process, error)
        return
    threading.Thread(target=_answer_forever, args=(listener,), name="metrics", daemon=True).start()


def list_slots(folder: Path) -> list[Slot]:
    """List the slots of all processes, dead ones included."""
    names = (path.stem.rpartition(".") for path in folder.glob("*.sock"))
    return sorted(Slot(process, int(number)) for process, _, number in names)


def read_metrics(folder: Path, slot: Slot) -> list[Family] | None:
    """Read a slot's metrics; return None if its process is dead, or silent for ``CLIENT_S`` seconds."""
    with _opened(folder) as directory, socket.socket(socket.AF_UNIX) as client:
        client.settimeout(CLIENT_S)
        try:
            client.connect(_address(directory, f"{slot.process}.{slot.number}.sock"))
            parts = list(iter(lambda: client.recv(BLOCK_BYTES), b""))
            return _decoder.decode(b"".join(parts))
        except (OSError, msgspec.DecodeError):
            return None


def clear_slots(folder: Path) -> None:
    """Remove the sockets that an earlier start left behind."""
    for path in (*folder.glob("*.sock"), *folder.glob("*.lock")):
        path.unlink(missing_ok=True)


def _listener(process: str, folder: Path) -> socket.socket:
    """Bind a socket in the process's first slot that no living process holds."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _opened(folder) as directory:
        number = next(number for number in itertools.count() if _hold(directory, f"{process}.{number}.lock"))
        name = f"{process}.{number}.sock"
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=directory)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(_address(directory, name))
        listener.listen()
        return listener


def _hold(directory: int, name: str) -> bool:
    """Lock a file until this process ends; return False if another process holds the lock."""
    file = os.open(name, os.O_RDWR | os.O_CREAT, 0o600, dir_fd=directory)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return False
    _held.append(file)
    return True


def _answer_forever(listener: socket.socket) -> None:
    while True:
        client, _ = listener.accept()
        with client:
            client.settimeout(CLIENT_S)
            try:
                client.sendall(msgspec.msgpack.encode(list(_families())))
            except OSError:
                continue
            except Exception:
                logger.exception("the metrics could not be collected")


def _families() -> Iterator[Family]:
    for metric in metrics.REGISTRY.collect():
        samples = [Sample(sample.name, dict(sample.labels), sample.value) for sample in metric.samples]
        yield Family(metric.name, metric.documentation, metric.type, samples)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """Open the folder: through its descriptor, socket addresses stay short enough however long its path."""
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield directory
    finally:
        os.close(directory)


def _address(directory: int, name: str) -> str:
    return f"/proc/self/fd/{directory}/{name}"
