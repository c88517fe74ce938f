"""Sessions: one environment per trainer, with idempotent requests."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import time
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from palaestra.api.background import tasks_cancel
from palaestra.env import Stepped as EnvStepped
from palaestra.errors import ApiError, PalaestraError
from palaestra.observation import Observation
from palaestra.records import Message
from palaestra.stage.player import Player
from palaestra.wire import Answer, Begun, Done, Fork, Leave, Reset, Resume, Stepped, Stop, Take, build_look

END_LIMIT_S = 5.0
NONE_TAKEN = 0
Playable = Reset | Fork | Take | Stop | Resume | Leave


class Session:
    """Carries out one request at a time.

    A request continues even if its connection breaks. If it is sent again, it is answered but not carried out
    again. ``on_step`` is called with the duration of each step in seconds.
    """

    def __init__(self, player: Player, *, on_step: Callable[[float], None] = lambda _: None) -> None:
        self.player = player
        self.name = uuid.uuid4().hex
        self.is_left = False
        self._on_step = on_step
        self._identity = b""
        self._running: asyncio.Future[Answer] | None = None
        self._taken = NONE_TAKEN
        self._messages: dict[int, list[Message]] = {}  # the last two answers, by step

    @property
    def is_new(self) -> bool:
        """True until the session's first request."""
        return self._running is None

    def picture_check(self, digest: str) -> None:
        """Raise ``ApiError`` for a blob that no message of the session's episodes contains."""
        if digest not in self.player.pictures:
            message = "The messages of this session's episodes name no such picture."
            raise ApiError(status=404, code="unknown_blob", message=message)

    async def answer(self, request: Playable) -> Answer:
        """Carry out a request once, however often it is sent. Exceptions of the environment are passed on."""
        identity = _hash_request(request)
        if self._running is None or identity != self._identity or _may_repeat(request, self._running):
            if self._running is not None:
                await asyncio.wait([self._running])
            if self._running is None or not self._is_taken(request):
                self._check(request)
                self._taken = request.number if isinstance(request, Take) else NONE_TAKEN
                self._identity, self._running = identity, asyncio.ensure_future(self._do(request))
        answer = await asyncio.shield(self._running)
        return msgspec.structs.replace(answer, id=request.id)

    def _is_taken(self, request: Playable) -> bool:
        """Return whether a request repeats the last step; if it does, that step's first completion counts."""
        return isinstance(request, Take) and request.number == self._taken

    async def end(self, *, is_abandoned: bool) -> None:
        """Release the environment. If ``is_abandoned``, an open episode is closed as ``cancelled``."""
        self.is_left = True
        if self._running is not None:
            await asyncio.wait([self._running], timeout=END_LIMIT_S)
            await tasks_cancel([self._running])
        with contextlib.suppress(PalaestraError):
            await (self.player.abandon() if is_abandoned else self.player.leave())

    def _check(self, request: Playable) -> None:
        """Raise ``ApiError`` if a step does not follow the last one."""
        if not isinstance(request, Take):
            return
        episode = self.player.episode
        if episode is None:
            raise ApiError(status=409, code="no_episode", message="There is no open episode here.")
        if request.number != episode.steps + 1:
            message = f"Step {episode.steps + 1} is next, not {request.number}."
            raise ApiError(status=409, code="step_out_of_order", message=message)

    async def _do(self, request: Playable) -> Answer:
        player = self.player
        match request:
            case Reset() | Fork():
                self._messages.clear()
                return self._answer_begun(request.id, await player.begin(request))
            case Resume():
                self._messages.clear()
                await player.take_over(request)
                return Done(id=request.id)
            case Leave():
                await player.abandon()
                if request.abandoned is not None:
                    await player.cancel(request.abandoned)
                return Done(id=request.id)
            case Take():
                begun = time.perf_counter()
                stepped = await player.step(request.completion)
                self._on_step(time.perf_counter() - begun)
                return self._answer_stepped(request, stepped)
            case Stop():
                return self._answer_stepped(request, await player.stop(request.reason, request.detail))

    def _answer_begun(self, request: int, observation: Observation) -> Begun:
        episode = self.player.playing
        self._messages[episode.steps] = observation.messages
        return Begun(
            id=request,
            opened=episode.opened,
            look=build_look(observation, []),
            tools=episode.tools,
            response_format=episode.response_format,
        )

    def _answer_stepped(self, request: Take | Stop, stepped: EnvStepped) -> Stepped:
        observation, reward, terminated, truncated, info = stepped
        episode = self.player.playing
        look = build_look(observation, self._messages.get(request.held, []))
        self._messages = {
            step: messages for step, messages in self._messages.items() if step == request.held
        } | {request.number: observation.messages}
        return Stepped(
            id=request.id,
            look=look,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
            is_over=episode.is_over,
            closed_as=episode.closed_as,
            info=dict(info),
        )


def _hash_request(request: Playable) -> bytes:
    """Return a hash of a request that stays the same if the request is sent again."""
    fields: dict[str, Any] = {"id": 0}
    if isinstance(request, Take | Stop):
        fields["held"] = 0
    content = msgspec.msgpack.encode(msgspec.structs.replace(request, **fields))
    return hashlib.sha256(content).digest()


def _may_repeat(request: Playable, running: asyncio.Future[Answer]) -> bool:
    """Return whether a failed request may be tried again. A step that failed may not."""
    if isinstance(request, Take | Stop) or not running.done():
        return False
    return running.cancelled() or running.exception() is not None or isinstance(request, Resume)
