"""Reading of DOM recordings: every rrweb event of an episode's page, from untrusted chunks.

Agents can post chunks too, so nothing that a row says about its bytes is trusted. Decompression is bounded.
One chunk may unpack to ``CHUNK_MAX_BYTES``, but once it exceeds ``FREE_BYTES`` also to no more than
``RATIO_MAX`` times its stored size. All chunks of a page together may unpack to ``PAGE_MAX_BYTES``, or to
less if the reader sets a limit. All of this is checked before anything is decoded. Unreadable chunks are
reported and skipped.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated, Literal, NamedTuple

import msgspec
from django.conf import settings

from core.database.sql import Statement
from core.episodes.tokens import token_make
from core.storage import blobs
from trajectories.models import Episode, RecordingChunk, RecordingTally

STORAGE = blobs.RECORDINGS
CHUNK_MAX_BYTES = 16 * 1024 * 1024
FREE_BYTES = 1024 * 1024
RATIO_MAX = 200
PAGE_MAX_BYTES = 128 * 1024 * 1024
PIECE_BYTES = 1024 * 1024
GZIP = zlib.MAX_WBITS + 16
TIME_MAX_MS = 2**53
HIDDEN = "***"

Kind = Literal["lost", "missing", "damaged", "too_large", "past_limit"]


class Event(msgspec.Struct, frozen=True):
    """An rrweb event. ``data`` is valid JSON, left unparsed; other keys are dropped."""

    type: Annotated[int, msgspec.Meta(ge=0, le=6)]
    timestamp: Annotated[float, msgspec.Meta(ge=0, le=TIME_MAX_MS)]
    data: msgspec.Raw = msgspec.Raw(b"{}")


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Chunks that yield no events.

    ``lost``: these numbers never arrived; ``missing``: the bytes are gone; ``damaged``: the bytes are not a
    gzipped JSON array of events; ``too_large``: the chunk unpacks to more than it may; ``past_limit``: the
    page's chunks up to this one exceed the page's limit.
    """

    first: int
    last: int
    problem: Kind


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits on all chunks of a page together: ``size`` counts unpacked bytes, ``keys`` counts colons.

    Every event, node and attribute has a colon, so colons are an upper bound on keys (texts may add some)."""

    size: int
    keys: int


class RecordedPage(NamedTuple):
    """One page load, from its rows (``recorded_pages.sql``).

    Times and ``has_snapshot`` are what the page claims.
    """

    page: str
    chunks: int
    size: int
    events: int
    first_ms: int
    last_ms: int
    first_step: int | None
    last_step: int | None
    has_snapshot: bool


PAGES = Statement(__file__, "recorded_pages")
_events = msgspec.json.Decoder(list[Event])
_encode = msgspec.json.Encoder().encode


def list_loads(episode: Episode) -> list[RecordedPage]:
    """Return an episode's recorded page loads. Makes no query if nothing was recorded."""
    return recorded_pages(episode_id=episode.pk) if episode.recording == Episode.Recording.FULL else []


def recorded_pages(*, episode_id: int) -> list[RecordedPage]:
    """Return the page loads of an episode that have chunks, in the order in which they were loaded."""
    return [RecordedPage(*row) for row in PAGES.rows(episode=episode_id)]


def is_capped(*, episode_id: int) -> bool:
    """Return whether the episode sent more than a recording may hold."""
    return RecordingTally.objects.filter(episode_id=episode_id, capped=True).exists()


def list_chunks(*, episode_id: int, page: str) -> list[RecordingChunk]:
    return list(RecordingChunk.objects.filter(episode_id=episode_id, page=page).order_by("seq"))


def parts_read(
    chunks: Iterable[RecordingChunk], *, limits: Limits | None = None
) -> Iterator[list[Event] | Problem]:
    """Yield one part for each chunk of a page and one for each gap in their numbers.

    Only one chunk is held in memory. Without ``limits``, only the number of bytes is bounded, by
    ``PAGE_MAX_BYTES``.
    """
    expected = 1
    left = limits.size if limits else PAGE_MAX_BYTES
    keys_left = limits.keys if limits else PAGE_MAX_BYTES
    for chunk in chunks:
        if chunk.seq > expected:
            yield Problem(first=expected, last=chunk.seq - 1, problem="lost")
        expected = chunk.seq + 1
        plain, size = _unpack(chunk, left=left)
        left = max(0, left - size)
        keys_left -= plain.count(b":") if isinstance(plain, bytes) else 0
        if not isinstance(plain, bytes):
            yield Problem(first=chunk.seq, last=chunk.seq, problem=plain)
        elif keys_left < 0:
            yield Problem(first=chunk.seq, last=chunk.seq, problem="past_limit")
        else:
            yield _decode(chunk, plain)


def page_json(*, page: str, chunks: Iterable[RecordingChunk], is_capped: bool) -> Iterator[bytes]:
    """Yield ``{"page", "events": [...], "problems": [...], "is_capped"}`` in pieces, one per chunk."""
    yield b'{"page":%b,"events":[' % _encode(page)
    problems: list[Problem] = []
    comma = b""
    for part in parts_read(chunks):
        if isinstance(part, Problem):
            problems.append(part)
        elif part:
            yield comma + _encode(part)[1:-1]
            comma = b","
    encoded = _encode([asdict(problem) for problem in problems])
    yield b'],"problems":%b,"is_capped":%b}' % (encoded, _encode(is_capped))


class _Unpacked(NamedTuple):
    """A chunk's unpacked bytes or the problem with it, and how many bytes were unpacked to find out."""

    plain: bytes | Kind
    size: int = 0


def _unpack(chunk: RecordingChunk, *, left: int) -> _Unpacked:
    try:
        with blobs.blob_open(chunk.sha256, storage=STORAGE) as file:
            packed = file.read()
    except OSError:
        return _Unpacked("missing")
    own = min(CHUNK_MAX_BYTES, max(FREE_BYTES, RATIO_MAX * len(packed)))
    plain, is_whole = _inflate(packed, most=min(own, left) + 1)
    size = len(plain)
    if size > own:
        return _Unpacked("too_large", size)
    if size > left:
        return _Unpacked("past_limit", size)
    return _Unpacked(plain if is_whole else "damaged", size)


def _inflate(packed: bytes, *, most: int) -> tuple[bytes, bool]:
    """Unpack up to ``most`` bytes. Return those that could be unpacked, and whether that is everything."""
    inflate = zlib.decompressobj(GZIP)
    plain = bytearray()
    try:
        while len(plain) < most:
            piece = inflate.decompress(packed, min(PIECE_BYTES, most - len(plain)))
            if not piece:
                break
            plain += piece
            packed = inflate.unconsumed_tail
    except zlib.error:
        return bytes(plain), False
    return bytes(plain), inflate.eof


def _decode(chunk: RecordingChunk, plain: bytes) -> list[Event] | Problem:
    try:
        # An agent that knows its token may have typed it, and readers of recordings must not see it.
        token = token_make(episode_id=chunk.episode_id, key=settings.TOKEN_KEY)
        text = plain.decode().replace(token, HIDDEN)
        return _events.decode(text)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return Problem(first=chunk.seq, last=chunk.seq, problem="damaged")
