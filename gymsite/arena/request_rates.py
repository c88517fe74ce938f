"""Limits on the request rate of episodes. Each server process counts separately, so counting is cheap."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from core.episodes.tokens import token_open
from gymsite.arena import answer_form, views

BURST_S = 10.0
"""An episode that was quiet may send this many seconds' worth of requests in one burst."""
SUBMISSIONS_PER_S = 5.0
"""A separate rate for answers, so that an episode that sends too many requests can still submit."""


class RequestRate:
    """Limit of ``per_s`` requests per second for each key (generic cell rate algorithm, ITU-T I.371).

    Refused requests do not count, so a client that sends far too many still gets ``per_s`` answers a second.
    """

    def __init__(self, *, per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s = 1 / per_s
        self._clock = clock
        self._paid_until: dict[int, float] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._paid_until)

    def wait_s(self, key: int) -> float:
        """Count a request and return 0.0 if it is within the rate; else return the seconds to wait."""
        with self._lock:
            now = self._clock()
            paid_until = max(now, self._paid_until.get(key, now)) + self._every_s
            wait_s = paid_until - now - BURST_S
            if wait_s > 0:
                return wait_s
            # The most recent keys are last, so keys that have nothing left to wait for are at the front.
            self._paid_until.pop(key, None)
            self._paid_until[key] = paid_until
            while (first := next(iter(self._paid_until))) != key and self._paid_until[first] <= now:
                del self._paid_until[first]
        return 0.0


class RequestRateMiddleware:
    """Middleware that answers 429 to episodes above ``EPISODE_REQUESTS_PER_S`` before reading anything."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._requests = RequestRate(per_s=settings.EPISODE_REQUESTS_PER_S)
        self._submissions = RequestRate(per_s=SUBMISSIONS_PER_S)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: views.View, _args: tuple[Any, ...], named: dict[str, Any]
    ) -> HttpResponse | None:
        episode_id = token_open(token=named.get("token", ""), key=settings.TOKEN_KEY)
        if episode_id is None:
            return None
        rate = self._submissions if view is answer_form.submit else self._requests
        wait_s = rate.wait_s(episode_id)
        return views.too_many_requests(request, wait_s=wait_s) if wait_s else None
