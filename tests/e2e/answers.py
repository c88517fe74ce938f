"""The number of requests that the server in this process is answering."""

from __future__ import annotations

import threading
from typing import Any

from django.core.signals import request_finished, request_started


class Answering:
    def __init__(self) -> None:
        self._many = 0
        self._changed = threading.Condition()
        request_started.connect(self._begin)
        request_finished.connect(self._end)

    def wait(self, *, timeout_s: float) -> bool:
        """Wait until no request is left; return False on a timeout.

        A streamed response that is not read to its end is never reported as finished. Requests that are still
        counted after a timeout are therefore dropped; otherwise every later wait would time out as well.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._many <= 0, timeout_s):
                self._many = 0
                return False
            return True

    def _begin(self, **_: Any) -> None:
        with self._changed:
            self._many += 1

    def _end(self, **_: Any) -> None:
        with self._changed:
            self._many = max(0, self._many - 1)
            self._changed.notify_all()
