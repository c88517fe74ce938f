"""`python -m gymsite.services.server arena|lab|live`: run one of the three HTTP servers.

Arena and lab are WSGI applications behind ``gymsite.door``, live is an ASGI application under granian.
"""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from core.telemetry import garbage
from gymsite.services import parent_death

WORKERS = 2
KILL_AFTER_S = 4  # for workers that do not stop, since all of `up` stops within ten seconds
BACKLOG = 2048  # thousands of waiting clients may connect at once
# granian stops accepting requests while this many are unanswered, and every waiting client counts as one. The
# number is above live's own limits, so that live answers 503 before granian stops answering.
LIVE_BACKPRESSURE = 32_768
LIVE_HEAD_MS = 20_000
"""Time limit for sending a request's head, and for an idle connection to send another request."""


def main(door: str) -> None:
    """Serve until stopped. The application is loaded once, before the workers are forked."""
    _files_allow()
    address = os.environ.get("GYM_HOST", "127.0.0.1"), int(os.environ[f"{door.upper()}_PORT"])
    if door == "live":
        with garbage.loading():
            application = import_module("gymsite.asgi_live").application
        _live_serve(application, address)
        return
    with garbage.loading():
        module = import_module(f"gymsite.wsgi_{door}")
    _listener(address).close()  # an unavailable address ends the server here, not its workers one by one
    serve = partial(_door_serve, door, module, address)
    workers_run(serve, count=WORKERS, kill_after_s=KILL_AFTER_S)


def _door_serve(door: str, module: ModuleType, address: tuple[str, int]) -> None:
    from core.telemetry import exposition
    from gymsite.door import server  # imported here, since it needs the settings

    exposition.expose(door)
    listener = _listener(address)
    server.serve(module.application, module.LANES, module.lane_of, module.caller_of, listener=listener)


def _listener(address: tuple[str, int]) -> socket.socket:
    """Open a worker's own socket at the address; the kernel spreads connections over all of them."""
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(address)
    return listener


def _live_serve(application: Callable[..., Any], address: tuple[str, int]) -> None:
    from django.conf import settings
    from granian import Granian  # takes 0.1 s to import, and the other servers do not need it
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings

    server = Granian(
        "gymsite.asgi_live:application",
        address=address[0],
        port=address[1],
        interface=Interfaces.ASGI,
        workers=1,
        blocking_threads=1,
        websockets=True,
        # In the default mode, there is no time-out for a connection that has not sent anything.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(header_read_timeout=LIVE_HEAD_MS),
        backlog=BACKLOG,
        backpressure=LIVE_BACKPRESSURE,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_AFTER_S,
        log_dictconfig={**settings.LOGGING, "loggers": {**settings.LOGGING["loggers"], "_granian": {}}},
    )
    server.serve(target_loader=partial(_load_watched, application, os.getpid()), wrap_loader=False)


def _files_allow() -> None:
    """Raise the limit on open files: each client needs one, and the usual soft limit is 1,024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _load_watched(application: Callable[..., Any], parent: int) -> Callable[..., Any]:
    """Start the watchdog in a granian worker, which could otherwise outlive granian and keep answering."""
    from core.telemetry import exposition

    parent_death.die_with_parent(parent)
    exposition.expose("live")
    return application


logger = logging.getLogger(__name__)

RESPAWN_S = 0.5  # pause before a replacement, in case workers fail immediately
SIGNALS = {*parent_death.STOP_SIGNALS, signal.SIGCHLD}


def workers_run(serve: Callable[[], None], *, count: int, kill_after_s: float) -> None:
    """Run ``serve`` in ``count`` processes until a stop signal; processes that end earlier are replaced."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    workers = {_fork(serve) for _ in range(count)}
    while signal.sigwait(SIGNALS) == signal.SIGCHLD:
        for pid in [pid for pid in workers if os.waitpid(pid, os.WNOHANG)[0]]:
            logger.error("worker %d ended; starting another", pid)
            workers.discard(pid)
            time.sleep(RESPAWN_S)
            workers.add(_fork(serve))
    for pid in parent_death.end(workers, signum=signal.SIGTERM, wait_s=kill_after_s):
        os.kill(pid, signal.SIGKILL)


def _fork(serve: Callable[[], None]) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    parent_death.die_with_parent(parent)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    status = 1
    try:
        serve()
        status = 0
    except BaseException:
        logger.exception("a worker failed")
    finally:
        logging.shutdown()
        os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1])
