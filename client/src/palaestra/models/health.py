"""An endpoint's health, judged by the outcomes of its calls, including retries."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from palaestra.errors import ModelFailure

CONNECT_TIMEOUT_S = 10.0


class EndpointHealth:
    """The outcomes of an endpoint's calls so far.

    ``has_answered``: the endpoint has answered at least once, even if only to refuse a call or to ask for
    patience. ``problem`` is the message of the last failure. ``now`` is a clock in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.has_answered = False
        self.problem = ""
        self._now = now
        self._failing_since: float | None = None
        self._begun: dict[int, float] = {}
        self._numbers = itertools.count()

    @property
    def failing_s(self) -> float:
        """Seconds since the first failure after the last answer; 0 if there was none."""
        return 0.0 if self._failing_since is None else self._now() - self._failing_since

    @property
    def is_awaited(self) -> bool:
        """True if a pending call has outlasted the connection timeout, so the model may be working on it."""
        return any(self._now() - begun > CONNECT_TIMEOUT_S for begun in self._begun.values())

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count a call as pending until the block exits."""
        number = next(self._numbers)
        self._begun[number] = self._now()
        try:
            yield
        finally:
            del self._begun[number]

    def note_answer(self) -> None:
        """Note that the endpoint answered, which ends a series of failures."""
        self.has_answered, self._failing_since = True, None

    def note_failure(self, failure: ModelFailure) -> None:
        """Note a failed call. If it is not retried, the endpoint refused it, which counts as an answer."""
        self.problem = str(failure)
        if not failure.is_retried:
            self.note_answer()
            return
        self.has_answered = self.has_answered or failure.is_busy
        if self._failing_since is None:
            self._failing_since = self._now()
