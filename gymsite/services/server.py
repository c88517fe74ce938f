"""`python -m gymsite.services.server arena|lab|live`: one of the three HTTP servers, under granian."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from granian import Granian
from granian.constants import Interfaces

from gymsite.services import parent_death

WORKERS = 2
THREADS = 4
KILL_AFTER_S = 4  # for workers that do not stop; all of `up` stops within ten seconds
BACKLOG = 2048  # thousands of waiting clients may connect at once
# granian stops accepting requests while this many are unanswered, and every waiting client is one. This lies
# above live's own limits, so that live answers 503 instead of granian not answering at all.
LIVE_BACKPRESSURE = 32_768


def main(door: str) -> None:
    """Serve until stopped. The application is loaded once, before the workers are forked."""
    is_live = door == "live"
    module = "gymsite.asgi_live" if is_live else f"gymsite.wsgi_{door}"
    application = import_module(module).application
    if is_live:
        _files_allow()
    server = Granian(
        f"{module}:application",
        address=os.environ.get("GYM_HOST", "127.0.0.1"),
        port=int(os.environ[f"{door.upper()}_PORT"]),
        interface=Interfaces.ASGI if is_live else Interfaces.WSGI,
        workers=1 if is_live else WORKERS,
        blocking_threads=1 if is_live else THREADS,
        websockets=is_live,
        backlog=BACKLOG,
        backpressure=LIVE_BACKPRESSURE if is_live else None,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_AFTER_S,
    )
    server.serve(target_loader=partial(_load_watched, application, os.getpid()), wrap_loader=False)


def _files_allow() -> None:
    """Raise the limit on open files: each waiting client takes one, and the usual soft limit is 1,024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _load_watched(application: Callable[..., Any], parent: int) -> Callable[..., Any]:
    """Start the watchdog in each granian worker, which would otherwise outlive it and keep answering."""
    parent_death.die_with_parent(parent)
    return application


if __name__ == "__main__":
    main(sys.argv[1])
