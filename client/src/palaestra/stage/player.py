"""A session's environment: an ``Env`` that uses the stage's pages and can also take over an episode."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from palaestra.api import Client
from palaestra.api.background import Heartbeat
from palaestra.api.message_pictures import list_pictures
from palaestra.env import FORKING, Env
from palaestra.errors import UNPLAYABLE, ApiError, BrowserDead, ForkDiverged, Unreachable, find_close_reason
from palaestra.observation import Observation
from palaestra.play.episode import Episode
from palaestra.records import EpisodeState, Message
from palaestra.recovery.lineage import PERSON, line_read, resumed_read
from palaestra.recovery.lost_pages import find_draft, find_fate, find_last_page, is_same
from palaestra.stage.capacity import Slot
from palaestra.turn.steps import TAKEN_OVER, build_ack, read_stored
from palaestra.wire import Fork, Reset, Resume

RESERVED = {"checked_runs", "client", "heartbeat", "key", "pool", "server", "viewport"}
PICTURES_MAX = 4_096


class Player(Env):
    """An ``Env`` whose pages come from ``slot``; all players share a ``heartbeat``.

    Raises ``ValueError`` if ``settings`` contains a setting that the stage decides itself.
    """

    def __init__(
        self, client: Client, *, heartbeat: Heartbeat, slot: Slot, settings: dict[str, Any], **fixed: Any
    ) -> None:
        if reserved := RESERVED & settings.keys():
            raise ValueError(f"Decided by the stage: {', '.join(sorted(reserved))}.")
        super().__init__("", "", client=client, pool=slot, **fixed, **settings)
        self.pictures: dict[
            str, None
        ] = {}  # digests of the pictures in the episodes' messages, the newest last
        self._heartbeat = heartbeat
        self._slot = slot

    @property
    def playing(self) -> Episode:
        """The latest episode. Raises ``ApiError`` if there is none."""
        if self.episode is None:
            raise ApiError(status=409, code="no_episode", message="There is no episode here.")
        return self.episode

    async def begin(self, request: Reset | Fork) -> Observation:
        """Open an episode in the same way as ``reset`` or ``fork``.

        Raises ``Full`` if there is no free slot.
        """
        await self._abandon()
        if request.abandoned is not None:
            await self.cancel(request.abandoned)
        self._slot.reserve()
        try:
            if isinstance(request, Fork):
                own = {name: getattr(request, name) for name in FORKING}
                observation = await self.fork(
                    request.episode, request.step, idempotency_key=request.key, **own
                )
            else:
                observation = await self.reset(
                    request.task, seed=request.seed, group=request.group, idempotency_key=request.key
                )
            self._pictures_note(observation.messages)
            return observation
        finally:
            self._free_unused()

    async def take_over(self, request: Resume) -> None:
        """Continue an episode that another stage began.

        Raises ``Full``, ``ApiError`` or ``BrowserDead``. Raises ``ForkDiverged`` for a fork whose page
        differs from its parent's page; the fork is then closed as void.
        """
        await self.leave()
        self._slot.reserve()
        try:
            await self._take_over(request)
        finally:
            self._free_unused()

    async def cancel(self, episode: int) -> None:
        """Close an abandoned episode of the run as ``cancelled``, unless it has already ended."""
        with contextlib.suppress(ApiError):
            self._run_check(await self.client.episode(episode))
            await self.client.episode_close(episode, reason="cancelled", detail="abandoned before its end")

    async def leave(self) -> None:
        """Release an open episode without closing it, so that another stage can take it over."""
        episode = self.episode
        if episode is None or episode.is_over:
            return
        if episode.page is not None:
            await episode.page.flush_recorder()
        with contextlib.suppress(ApiError, Unreachable):
            await episode.step_queue.flush()
        await self._release()
        self.episode = None

    async def abandon(self) -> None:
        """Close an open episode as ``cancelled``."""
        await self._abandon()

    def _run_check(self, state: EpisodeState) -> None:
        """Raise ``ApiError`` if an episode belongs to another run than the session's."""
        if state.run != self._run:
            message = f"Episode {state.id} belongs to another run."
            raise ApiError(status=404, code="unknown_episode", message=message)

    def _pictures_note(self, messages: Sequence[Message]) -> None:
        self.pictures |= dict.fromkeys(list_pictures(messages))
        for oldest in list(self.pictures)[:-PICTURES_MAX]:
            del self.pictures[oldest]

    def _free_unused(self) -> None:
        if self.episode is None or self.episode.page is None:
            self._slot.free()

    async def _take_over(self, request: Resume) -> None:
        number = request.opened.id
        self._run_check(await self.client.episode(number))
        start_url, refusal = await self._find_start_url(number)
        state, trajectory = await self.client.episode(number), await self.client.trajectory(number)
        stored = [read_stored(step) for step in trajectory["steps"]]
        last = stored[-1].index if stored else state.begins_after
        if last < request.steps:
            message = f"{request.steps} steps were answered, but {last} are recorded."
            raise ApiError(status=409, code="steps_missing", message=message)
        messages = await self.client.opening_messages(number)
        self._pictures_note(messages)
        opened = structs.replace(request.opened, start_url=start_url)
        episode = Episode(self.client, opened, messages=messages, config=self._config)
        line = await line_read(self.client, trajectory)
        episode.resume(line.cut_after(request.steps).to_past())
        episode.step_queue.ack = build_ack(state)
        self.episode = episode
        self._heartbeat.episodes.add(number)
        if refusal is not None or _has_person(trajectory["steps"], after=request.steps):
            # A person is acting: the next step is refused, and after the hand-back the record is continued.
            episode.refusal = refusal or ApiError(status=409, code=TAKEN_OVER, message="A person took over.")
            episode.page, episode.renew = await self._slot.acquire(), self._slot.renew
            episode.observation = request.shown
            return
        episode.unanswered = {step.index: step for step in stored if step.index > request.steps}
        try:
            now = await self._reopen(episode, state, trajectory, shown=request.shown)
        except ForkDiverged as failure:  # the page would differ on every other stage as well
            await self._finish(find_close_reason(failure), str(failure), is_healthy=False)
            raise
        except UNPLAYABLE as failure:
            await self.leave()
            raise BrowserDead(str(failure)) from failure
        episode.observation = request.shown
        if not episode.unanswered:
            is_open = state.status == "open"
            episode.fate = find_fate(
                trajectory, step=request.steps + 1, is_open=is_open, shown=request.shown, now=now
            )

    async def _find_start_url(self, episode: int) -> tuple[str | None, ApiError | None]:
        """Return the URL of an episode's first page, or the refusal if a person is acting in the episode.

        The URL comes from the API and not from the trainer, whose URL could lead anywhere.
        """
        try:
            return (await resumed_read(self.client, episode)).start_url, None
        except ApiError as failure:
            if failure.code == TAKEN_OVER:
                return None, failure
            if failure.code != "episode_final":
                raise
            return None, None

    async def _reopen(
        self, episode: Episode, state: EpisodeState, trajectory: Mapping[str, Any], *, shown: Observation
    ) -> Observation:
        """Open the page of an open episode, and return its observation.

        This is the page after the recorded steps, or else the page that the trainer saw last, if it can be
        restored, or else the first page.
        """
        if state.status != "open" or episode.opened.start_url is None:
            return episode.observation
        episode.page, episode.renew = await self._slot.acquire(), self._slot.renew
        if episode.unanswered:
            return await episode.begin(find_last_page(trajectory))
        now = await episode.begin(find_draft(trajectory["steps"], url=shown.url))
        return now if is_same(now, shown) else await episode.begin()


def _has_person(steps: Sequence[Mapping[str, Any]], *, after: int) -> bool:
    return any(step.get("actor") == PERSON for step in steps if step["index"] > after)
