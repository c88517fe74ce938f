"""Request rates of episodes. Each server process counts on its own, so that counting is free."""

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
"""A quiet episode may make this many seconds' worth of requests at once."""
SUBMISSIONS_PER_S = 5.0
"""A rate of its own for answers: an episode that makes too many requests can still submit."""


class RequestRate:
    """At most ``per_s`` requests a second for each key, by the generic cell rate algorithm (ITU-T I.371).

    Refused requests cost nothing, so a client that sends far too many still gets ``per_s`` answers a second.
    """

    def __init__(self, *, per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s = 1 / per_s
        self._clock = clock
        self._paid_until: dict[int, float] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._paid_until)

    def wait_s(self, key: int) -> float:
        """Count a request within the rate and return 0.0; else return the seconds until one would be."""
        with self._lock:
            now = self._clock()
            paid_until = max(now, self._paid_until.get(key, now)) + self._every_s
            wait_s = paid_until - now - BURST_S
            if wait_s > 0:
                return wait_s
            # The latest come last, so that those without a debt are at the front.
            self._paid_until.pop(key, None)
            self._paid_until[key] = paid_until
            while (first := next(iter(self._paid_until))) != key and self._paid_until[first] <= now:
                del self._paid_until[first]
        return 0.0


class RequestRateMiddleware:
    """Answers 429 to an episode that makes more than ``EPISODE_REQUESTS_PER_S``, before anything is read."""

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
