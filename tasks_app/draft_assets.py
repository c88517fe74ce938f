"""Completion of drafts before they are stored: pictures become blobs, and the question becomes text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any

from core.storage.blobs import blob_store
from tasks_app.questions import questions
from tasks_app.types import BadRow, PictureDraft, Row, TaskDraft

ROWS_AHEAD = 32
DECODERS_MAX = 4  # decoding 40 million pixels takes about 600 MB per thread, even with 64 cores


def drafts_complete(rows: Iterable[Row]) -> Iterator[Row]:
    """Complete every draft in order. A draft with an unusable picture becomes a ``BadRow``.

    Pictures are decoded a few rows ahead by one thread per core, up to ``DECODERS_MAX``.
    """
    rest = iter(rows)
    with ThreadPoolExecutor(min(os.cpu_count() or 1, DECODERS_MAX)) as threads:
        while ahead := list(islice(rest, ROWS_AHEAD)):
            has_pictures = any(isinstance(row, TaskDraft) and row.pictures for row in ahead)
            yield from threads.map(_completed, ahead) if has_pictures else map(_completed, ahead)


def _completed(row: Row) -> Row:
    if isinstance(row, BadRow):
        return row
    try:
        return draft_complete(row)
    except ValueError as error:
        return BadRow(row.place, str(error))


def draft_complete(draft: TaskDraft) -> TaskDraft:
    """Return the draft with its pictures replaced by ``payload["pictures"]``, and with ``prompt``.

    Raises ``ValueError`` for a picture that cannot be shown.
    """
    if draft.pictures:
        pictures = [_store(picture, number) for number, picture in enumerate(draft.pictures, start=1)]
        draft = replace(draft, payload={**draft.payload, "pictures": pictures}, pictures=())
    if draft.prompt:
        return draft
    return replace(draft, prompt=questions.get(draft.kind).text(draft.payload))


def _store(draft: PictureDraft, number: int) -> dict[str, Any]:
    from tasks_app import pictures

    try:
        picture = pictures.picture_read(draft.read())
    except (ValueError, OSError) as error:
        raise ValueError(f"picture {number}: {error}") from error
    blob = blob_store(picture.data)
    return {
        "name": f"figure-{number}",
        "sha256": blob.sha256,
        "content_type": picture.content_type,
        "size": blob.size,
        "width": picture.width,
        "height": picture.height,
    }
