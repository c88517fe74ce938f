"""Chunks of DOM recordings that pages send (`recording: full`): capped per episode, each stored once.

A chunk is gzipped JSON, or plain JSON if the page was being left or the browser has no ``CompressionStream``.
Its content is not checked here: agents can post chunks too, so readers trust nothing in them
(``trajectories/record/capture/chunks.py``).
"""

from __future__ import annotations

import gzip
import hashlib
from typing import Annotated, Any, Literal

import msgspec
from django.conf import settings

from core.database.integers import INT_MAX
from core.database.sql import hot_cursor
from core.errors import GymError
from core.storage import blobs
from gymsite.arena import step_numbers
from gymsite.arena.episodes import ALIVE, alive_params

STORAGE = blobs.RECORDINGS
CHUNK_MAX_BYTES = 1024 * 1024
HEADER = "X-Gym-Chunk"
HEADER_MAX_CHARS = 500
GZIP_MAGIC = b"\x1f\x8b\x08"
COMPRESSION = 6
TIME_MAX_MS = 2**53 - 1

Time = Annotated[int, msgspec.Meta(ge=0, le=TIME_MAX_MS)]
Number = Annotated[int, msgspec.Meta(ge=1, le=INT_MAX)]
Stored = Literal["stored", "dropped", "not_full", "gone"]


class Claim(msgspec.Struct, forbid_unknown_fields=True):
    """A request header's claims about a chunk. Times are Unix milliseconds.

    ``step`` is the step in which the chunk was recorded, if the harness announced one after the page was
    loaded; ``served`` is the step in which the page was served.
    """

    page: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{8,32}$")]
    seq: Number
    events: Number
    first_ms: Time
    last_ms: Time
    snapshot: bool = False
    step: Number | None = None
    served: Number | None = None


_decoder = msgspec.json.Decoder(Claim)

# The most specific step counts: the chunk's own, else the request's, else the page's.
STEPS = ("%(step)s::int", "%(requested)s::int", "%(served)s::int")

# As with page events, the tally's row is locked first, so that concurrent chunks are counted one after the
# other. A known chunk's bytes are stored again, because the first attempt may have failed.
_STORE = f"""
WITH alive AS (
        SELECT e.id, e.recording, {step_numbers.bounded(*STEPS)} AS step
        FROM trajectories_episode e WHERE {ALIVE}),
     known AS (
        SELECT c.sha256 FROM trajectories_recordingchunk c JOIN alive ON c.episode_id = alive.id
        WHERE c.page = %(page)s AND c.seq = %(seq)s),
     tally AS (
        INSERT INTO trajectories_recordingtally AS t (episode_id, chunks, bytes, capped)
        SELECT id, 1, %(size)s::int, %(chunks_max)s < 1 OR %(size)s > %(bytes_max)s FROM alive
        WHERE recording = 'full' AND NOT EXISTS (SELECT FROM known)
        ON CONFLICT (episode_id) DO UPDATE SET
            chunks = t.chunks + CASE WHEN t.capped THEN 0 ELSE 1 END,
            bytes = t.bytes + CASE WHEN t.capped THEN 0 ELSE excluded.bytes END,
            capped = t.capped OR t.chunks + 1 > %(chunks_max)s OR t.bytes + excluded.bytes > %(bytes_max)s
        RETURNING episode_id, capped),
     stored AS (
        INSERT INTO trajectories_recordingchunk
            (episode_id, page, seq, step, sha256, size, events, first_ms, last_ms, has_snapshot)
        SELECT episode_id, %(page)s, %(seq)s, alive.step, %(sha256)s, %(size)s, %(events)s, %(first_ms)s,
            %(last_ms)s, %(snapshot)s
        FROM tally JOIN alive ON alive.id = tally.episode_id WHERE NOT capped
        ON CONFLICT DO NOTHING RETURNING sha256)
SELECT recording = 'full',
    EXISTS (SELECT FROM stored UNION ALL SELECT FROM known WHERE sha256 = %(sha256)s)
FROM alive"""  # noqa: S608 (the parts are constants)


def claim_read(header: str) -> Claim:
    """Decode the header of a chunk. Raises ``GymError`` ``bad_chunk`` (400)."""
    if len(header) > HEADER_MAX_CHARS:
        raise GymError("bad_chunk", f"The header {HEADER} is too long.")
    try:
        return _decoder.decode(header)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise GymError("bad_chunk", f"The header {HEADER} does not describe a chunk: {error}") from error


def body_packed(body: bytes) -> bytes:
    """Return the chunk gzipped. Raises ``GymError`` ``bad_chunk`` (400) if it is neither gzip nor JSON."""
    if body.startswith(GZIP_MAGIC):
        return body
    if body.startswith(b"["):
        return gzip.compress(body, COMPRESSION, mtime=0)
    raise GymError("bad_chunk", "A chunk is a JSON array, plain or gzipped.")


def chunk_store(*, episode_id: int, claim: Claim, packed: bytes, step: int | None) -> Stored:
    """Store a chunk's row in one statement, then its bytes; repeats change nothing.

    ``step`` is the request's ``X-Gym-Step`` header. Past the caps a chunk is ``dropped`` silently, because
    the agent did nothing wrong.
    """
    sha256 = hashlib.sha256(packed).hexdigest()
    params: dict[str, Any] = alive_params(episode_id) | msgspec.structs.asdict(claim)
    params |= {
        "requested": step,
        "sha256": sha256,
        "size": len(packed),
        "chunks_max": settings.RECORDING_CHUNKS_MAX,
        "bytes_max": settings.RECORDING_BYTES_MAX,
    }
    with hot_cursor() as cursor:
        cursor.execute(_STORE, params)
        row = cursor.fetchone()
    if row is None:
        return "gone"
    is_full, is_recorded = row
    if not is_full:
        return "not_full"
    if not is_recorded:
        return "dropped"
    blobs.blob_store(packed, storage=STORAGE)
    return "stored"
