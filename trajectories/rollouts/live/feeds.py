"""The feeds behind sockets: one per watched run or episode, no matter how many callers watch it.

Messages are JSON text: ``state`` on joining, then ``verdict`` and ``step``.
"""

from __future__ import annotations

import asyncio
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from urllib.parse import parse_qs

import msgspec

from core.database.integers import BIGINT_MAX
from core.errors import GymError
from core.web.live_address import TIMEOUT_DEFAULT_S, TIMEOUT_MAX_S
from trajectories.rollouts.live.news import News
from trajectories.rollouts.live.selectors import NewStep, patiently

QUERY_MAX_BYTES = 1_000
NUMBER = re.compile(r"[0-9]{1,19}")
# How many bundles of messages a slow watcher may be behind. A bundle is at most one page of news.
BUNDLES_BEHIND_MAX = 64


def query_read(raw: bytes) -> dict[str, str]:
    """Return the last value of each parameter. Raises ``GymError`` 400 if the query is too long."""
    if len(raw) > QUERY_MAX_BYTES:
        raise GymError("query_too_long", f"The query has over {QUERY_MAX_BYTES} bytes.")
    values = parse_qs(raw.decode("latin-1"), keep_blank_values=True)
    return {name: repeated[-1] for name, repeated in values.items()}


def after_read(query: Mapping[str, str]) -> int:
    """Return the cursor ``after``, 0 if omitted. Raises ``GymError`` 400 if it is invalid."""
    text = query.get("after") or "0"
    if not NUMBER.fullmatch(text) or int(text) > BIGINT_MAX:
        raise _invalid("after", "This must be the `next` of an earlier answer, or 0.")
    return int(text)


def timeout_read(query: Mapping[str, str]) -> float:
    """Return the time-out in seconds. Raises ``GymError`` 400 if it is not from 0 to ``TIMEOUT_MAX_S``."""
    text = query.get("timeout", "")
    try:
        timeout_s = float(text) if text else TIMEOUT_DEFAULT_S
    except ValueError:
        timeout_s = math.nan
    if not 0.0 <= timeout_s <= TIMEOUT_MAX_S:  # NaN fails this comparison too.
        raise _invalid("timeout", f"This must be a number of seconds from 0 to {TIMEOUT_MAX_S:.0f}.")
    return timeout_s


def unknown_episode_error(episode_id: int) -> GymError:
    return GymError("not_found", f"There is no episode {episode_id}.", status=404)


def unknown_run_error(run_id: int) -> GymError:
    return GymError("not_found", f"There is no run {run_id}.", status=404)


def _invalid(field: str, message: str) -> GymError:
    return GymError("invalid", "Some parameters are not valid.", fields={field: [message]})


class _Judged(msgspec.Struct):
    id: int
    group: int
    verdict: msgspec.Raw


class Subscription:
    """One watcher's queue. The feed never waits for it, and drops a watcher that is too far behind."""

    def __init__(self) -> None:
        self._bundles: asyncio.Queue[list[str]] = asyncio.Queue(BUNDLES_BEHIND_MAX)
        self._error: GymError | None = None

    def put(self, bundle: list[str]) -> bool:
        """Add messages. Return False if there is no room, which ends the subscription."""
        try:
            self._bundles.put_nowait(bundle)
        except asyncio.QueueFull:
            self._error = too_slow()
            return False
        return True

    def end(self, error: GymError) -> None:
        """Raise ``error`` in the watcher once it has read what is queued."""
        if self.put([]):
            self._error = error

    async def get(self) -> list[str]:
        """Return the next messages.

        Raises ``GymError`` once the subscription has ended and its queue is empty.
        """
        if self._error is not None and self._bundles.empty():
            raise self._error
        return await self._bundles.get()


class Feed(ABC):
    """News of one run or episode. A feed lives for as long as somebody watches."""

    def __init__(self, news: News, subject_id: int) -> None:
        self.news = news
        self.subject_id = subject_id
        self.subscriptions: set[Subscription] = set()

    @abstractmethod
    async def open(self) -> bool:
        """Find the position to start from. Return False if there is no such run or episode."""

    @abstractmethod
    async def pump(self) -> None:
        """Publish verdicts until no more can come. Raises ``GymError`` if the run or episode is gone."""

    def publish(self, bundle: list[str]) -> None:
        for subscription in list(self.subscriptions):
            if not subscription.put(bundle):
                self.subscriptions.discard(subscription)

    def end(self, error: GymError) -> None:
        for subscription in self.subscriptions:
            subscription.end(error)

    def publish_steps(self, steps: list[NewStep]) -> None:
        self.publish(
            [f'{{"type":"step","episode":{step.episode_id},"step":{step.record}}}' for step in steps]
        )


class RunFeed(Feed):
    """Every verdict after ``cursor``, in the order of commits, and the steps of the run's episodes."""

    cursor = 0
    project = ""

    async def open(self) -> bool:
        state = (await self.news.reader.run_states([self.subject_id])).get(self.subject_id)
        if state is not None:
            self.cursor, self.project = state
        return state is not None

    async def pump(self) -> None:
        with self.news.runs.listen(self.subject_id) as signal:
            while True:
                signal.clear()
                page = await patiently(lambda: self.news.pages.get((self.subject_id, self.cursor)))
                if page is None:
                    raise unknown_run_error(self.subject_id)
                if page.rows:
                    self.cursor = page.rows[-1][0]
                    self.publish([verdict_message(seq, record) for seq, record in page.rows])
                else:
                    await signal.wait()


class EpisodeFeed(Feed):
    """The episode's verdict and its steps."""

    async def open(self) -> bool:
        return await self.news.states.get(self.subject_id) is not None

    async def pump(self) -> None:
        with self.news.episodes.listen(self.subject_id) as signal:
            while True:
                signal.clear()
                state = await patiently(lambda: self.news.states.get(self.subject_id))
                if state is None:
                    raise unknown_episode_error(self.subject_id)
                if state.is_finished:
                    break
                await signal.wait()
        judged = msgspec.json.decode(state.record, type=_Judged)
        verdict = bytes(judged.verdict).decode()
        self.publish(
            [f'{{"type":"verdict","episode":{judged.id},"group":{judged.group},"verdict":{verdict}}}']
        )


def too_slow() -> GymError:
    message = "This socket did not read fast enough and has missed messages: connect again."
    return GymError("too_slow", message, status=408)


def verdict_message(seq: int, record: str) -> str:
    """Return a record of the verdict stream as a message, with type and number before its own fields."""
    return f'{{"type":"verdict","seq":{seq},{record[1:]}'
