"""Recordings for tests."""

from __future__ import annotations

import gzip
import json
from typing import Any

from core.storage import blobs
from trajectories.models import Episode, RecordingChunk

PAGE = "0123456789abcdef"


def event(timestamp: float = 1000, **data: Any) -> dict[str, Any]:
    return {"type": 3, "data": data, "timestamp": timestamp}


def packed(value: Any) -> bytes:
    return gzip.compress(json.dumps(value).encode(), mtime=0)


def chunk_make(episode: Episode, seq: int, stored: bytes, **fields: Any) -> RecordingChunk:
    values = {"page": PAGE, "events": 1, "first_ms": 1, "last_ms": 2, **fields}
    sha256 = blobs.blob_store(stored, storage="recordings").sha256
    return RecordingChunk.objects.create(
        episode=episode, seq=seq, sha256=sha256, size=max(1, len(stored)), **values
    )
