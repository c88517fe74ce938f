"""The protocol between trainers and stages: MessagePack over a WebSocket, one answer to each request."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palaestra import errors
from palaestra.api.episode_calls import DETAIL_CHARS
from palaestra.completion import Completion
from palaestra.errors import ApiError, PalaestraError
from palaestra.observation import Observation
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Message, OpenedEpisode

PATH = "/play"
NOTHING_HELD = -1
AT_CAPACITY = "at_capacity"
RAISED: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, PalaestraError) and kind is not ApiError
} | {"ValueError": ValueError}


Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{1,200}$")]
Word = Annotated[str, Meta(max_length=64)]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
Detail = Annotated[str, Meta(max_length=DETAIL_CHARS)]


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """Base class of requests; the answer repeats ``id``."""

    id: Number


class Open(Request, frozen=True, kw_only=True, tag="open"):
    """The first request on a connection: a new or known session, and the settings of its ``Env``."""

    session: Name
    run: Number
    arm: Word
    browser: Word
    settings: dict[Word, Any]


class Reset(Request, frozen=True, kw_only=True, tag="reset"):
    """Request to open an episode.

    ``key`` makes the request idempotent; ``abandoned`` is an episode of the same trainer that is still open.
    """

    key: Annotated[str, Meta(min_length=1, max_length=200)]
    task: Number
    seed: Number | None = None
    group: Number | None = None
    abandoned: Number | None = None


class Fork(Request, frozen=True, kw_only=True, tag="fork"):
    """Request to open a fork of ``episode`` after ``step``.

    ``key`` and ``abandoned`` are as in ``Reset``; the other fields are those of ``Env.fork``.
    """

    key: Annotated[str, Meta(min_length=1, max_length=200)]
    episode: Number
    step: Number
    policy_version: Number | None = None
    max_steps: Number | None = None
    token_budget: Number | None = None
    abandoned: Number | None = None


class Take(Request, frozen=True, kw_only=True, tag="step"):
    """Request to take a completion as step ``number`` of the episode.

    ``held`` is the step of the last answer, whose messages the trainer still has, so they need not be sent
    again.
    """

    number: Number
    completion: Completion
    held: int = NOTHING_HELD


class Stop(Request, frozen=True, kw_only=True, tag="stop"):
    number: Number
    reason: CloseReason
    detail: Detail = ""
    held: int = NOTHING_HELD


class Resume(Request, frozen=True, kw_only=True, tag="resume"):
    """Request to take over an episode from another stage after ``steps`` answered steps.

    ``shown`` is the observation in the last answer.
    """

    opened: OpenedEpisode
    steps: Number
    shown: Observation


class Ask(Request, frozen=True, kw_only=True, tag="capacity"):
    pass


class Fetch(Request, frozen=True, kw_only=True, tag="blob"):
    """Request for a picture from the messages of the session's episodes."""

    sha256: Digest


class Leave(Request, frozen=True, kw_only=True, tag="leave"):
    """Request to end the session; an open episode is closed as ``cancelled``."""

    abandoned: Number | None = None


AnyRequest = Open | Reset | Fork | Take | Stop | Resume | Ask | Fetch | Leave

KIB = 2**10
REQUEST_BYTES: dict[str, int] = {
    "open": 64 * KIB,
    "reset": 4 * KIB,
    "fork": 4 * KIB,
    "step": 4 * 1024 * KIB,
    "stop": 8 * KIB,
    "resume": 8 * 1024 * KIB,
    "capacity": KIB,
    "blob": KIB,
    "leave": KIB,
}
"""Most bytes of each kind of request. A step contains a model's output (see ``Completion.truncate``), and a
resume contains a picture of the page."""
REQUEST_MAX_BYTES = max(REQUEST_BYTES.values())


class _Kind(msgspec.Struct, frozen=True):
    type: str


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    id: int


class Opened(Answer, frozen=True, kw_only=True, tag="opened"):
    """The session's episode, if the stage still has it, and its latest step.

    ``player`` is the stage's own name for the session, which differs on another stage and for a new session
    on the same stage.
    """

    player: str
    episode: int | None = None
    steps: int = 0


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """An observation, without the first ``keep`` messages, which the trainer already has."""

    observation: Observation
    keep: int = 0


class Begun(Answer, frozen=True, kw_only=True, tag="begun"):
    opened: OpenedEpisode
    look: Look
    tools: list[dict[str, Any]] | None = None
    response_format: dict[str, Any] | None = None


class Stepped(Answer, frozen=True, kw_only=True, tag="stepped"):
    look: Look
    reward: float | None
    terminated: bool
    truncated: bool
    is_over: bool
    closed_as: str | None
    info: dict[str, Any]


class Done(Answer, frozen=True, kw_only=True, tag="done"):
    pass


class Blob(Answer, frozen=True, kw_only=True, tag="content"):
    content: bytes


class Occupancy(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of episodes that are open, and that may be open, on pages of one kind."""

    active: int
    max_active: int


class Load(Answer, frozen=True, kw_only=True, tag="load"):
    """The load of a stage; ``pages`` is keyed by browser."""

    sessions: int
    sessions_max: int
    pages: dict[str, Occupancy]


class Failed(Answer, frozen=True, kw_only=True, tag="failed"):
    """An exception, of which ``kind`` is the class and the other fields are those of an ``ApiError``."""

    kind: str
    message: str
    status: int = 0
    code: str = ""
    fields: dict[str, list[str]] = {}
    retry_after_s: float | None = None

    def to_error(self) -> Exception:
        """Convert this answer to the exception that the trainer's side raises."""
        if self.kind == ApiError.__name__:
            return ApiError(status=self.status, code=self.code, message=self.message, fields=self.fields)
        return RAISED.get(self.kind, PalaestraError)(self.message)


AnyAnswer = Opened | Begun | Stepped | Done | Blob | Load | Failed

request_encode = msgspec.msgpack.Encoder().encode
_kind_decode = msgspec.msgpack.Decoder(_Kind).decode
_request_decode = msgspec.msgpack.Decoder(AnyRequest).decode
answer_encode = msgspec.msgpack.Encoder().encode
answer_decode = msgspec.msgpack.Decoder(AnyAnswer).decode


def request_decode(content: bytes) -> AnyRequest:
    """Decode a message to a request.

    Raises ``ApiError`` ``message_too_large``, before decoding, if the message exceeds the limit for its kind,
    and ``msgspec.MsgspecError`` if it is not a request.
    """
    kind = _kind_decode(content).type
    limit = REQUEST_BYTES.get(kind, 0)
    if kind in REQUEST_BYTES and len(content) > limit:
        message = f"A request of type {kind} may have at most {limit:,} bytes; this one has {len(content):,}."
        raise ApiError(status=413, code="message_too_large", message=message)
    request: AnyRequest = _request_decode(content)
    return request


def build_failed(request: int, failure: Exception, *, retry_after_s: float | None = None) -> Failed:
    """Convert an exception to an answer."""
    kind = type(failure).__name__
    if isinstance(failure, ApiError):
        return Failed(
            id=request,
            kind=ApiError.__name__,
            message=failure.message,
            status=failure.status,
            code=failure.code,
            fields=failure.fields,
            retry_after_s=retry_after_s,
        )
    return Failed(id=request, kind=kind if kind in RAISED else PalaestraError.__name__, message=str(failure))


def build_look(observation: Observation, held: list[Message]) -> Look:
    """Return the part of an observation to send to a trainer that already has the messages ``held``."""
    keep = 0
    for mine, theirs in zip(observation.messages, held, strict=False):
        if mine != theirs:
            break
        keep += 1
    return Look(observation=replace(observation, messages=observation.messages[keep:]), keep=keep)
