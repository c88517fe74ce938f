"""Signals that ask a process to stop after the chore at hand."""

from __future__ import annotations

import signal
from threading import Event


def stop_on_signals() -> Event:
    """Return an event that SIGTERM and SIGINT set from now on."""
    stop = Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: stop.set())
    return stop
