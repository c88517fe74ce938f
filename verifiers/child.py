"""The inside of a verifying child: one request in, one reply out, both JSON, never pickled."""

from __future__ import annotations

import fcntl
import importlib
import json
import logging
import os
import resource
import select
import signal
from collections.abc import Sequence
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from verifiers import registry
from verifiers.limits import CHILD_MEMORY_BYTES
from verifiers.types import Evidence, Gold

CRASH_CHARS = 500


def serve(connection: Connection, modules: Sequence[str] = ()) -> None:
    """Answer requests until the parent hangs up. ``modules`` register verifiers beside the built-in ones."""
    _die_with_parent()
    _shut_in()
    registry.discover()
    for module in modules:
        importlib.import_module(module)
    while True:
        try:
            request = json.loads(connection.recv_bytes())
        except EOFError:
            return
        connection.send_bytes(json.dumps(_reply(request)).encode())


def _reply(request: dict[str, Any]) -> dict[str, Any]:
    """``verdict``, or ``crash`` and whether the child is ``spent`` and should not be used again."""
    try:
        verdict = registry.run(
            request["verifier"],
            gold=Gold.from_json(request["gold"]),
            evidence=Evidence.from_json(request["evidence"]),
        )
    except MemoryError:
        return {"crash": "MemoryError", "spent": True}
    except Exception as error:  # noqa: BLE001 - the top of the job: what a verifier raises is its crash
        return {"crash": f"{type(error).__name__}: {error}"[:CRASH_CHARS], "spent": False}
    return {"verdict": verdict.as_json()}


def _die_with_parent() -> None:
    """Have the kernel end this process when the worker that asked for it is gone.

    The worker alone holds the write end of the pipe behind ``sentinel``. When it closes, the kernel sends
    SIGIO, whose default action ends a process even inside a long C loop, where no thread gets a turn.
    """
    parent = parent_process()
    if parent is None:
        raise RuntimeError("verifiers.child.serve runs in a child process only")
    sentinel = parent.sentinel
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(sentinel, fcntl.F_SETFL, fcntl.fcntl(sentinel, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([sentinel], [], [], 0)[0]:
        os._exit(0)


def _shut_in() -> None:
    """Bound memory, drop the worker's secrets, and leave Ctrl-C and the worker's output to the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (CHILD_MEMORY_BYTES, CHILD_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.clear()
    logging.disable(logging.CRITICAL)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.close(silence)
