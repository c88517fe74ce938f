"""What loading adds to a draft before it is stored: its pictures as blobs, its question as text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gymsite.core.blobs import blob_store
from tasks_app.questions import questions
from tasks_app.types import PictureDraft, TaskDraft


def draft_complete(draft: TaskDraft) -> TaskDraft:
    """The draft with ``payload["pictures"]`` and ``prompt``.

    Raises ``ValueError``, with a sentence, for a picture that cannot be shown.
    """
    if draft.pictures:
        shown = [_stored(picture, number) for number, picture in enumerate(draft.pictures, start=1)]
        draft = replace(draft, payload={**draft.payload, "pictures": shown})
    if draft.prompt:
        return draft
    return replace(draft, prompt=questions.get(draft.kind).text(draft.payload))


def _stored(draft: PictureDraft, number: int) -> dict[str, Any]:
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
