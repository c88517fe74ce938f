"""The lab's pictures in messages: their digests, and messages with the pictures inlined."""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Callable, Iterable

from palaestra import records
from palaestra.api.calls import Json
from palaestra.http.paths import DIGEST, V1

_BLOB = re.compile(rf"{V1}/blobs/({DIGEST.pattern})$")


def list_pictures(messages: Iterable[records.Message]) -> list[str]:
    """Return the SHA-256 of every picture in the messages that is stored in the lab."""
    parts = [
        part for message in messages if isinstance(message["content"], list) for part in message["content"]
    ]
    links = [_BLOB.search(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]
    return [link[1] for link in links if link is not None]


async def messages_inline(
    messages: Iterable[records.Message], *, blob_get: Callable[[str], Awaitable[bytes]]
) -> list[records.Message]:
    """Inline pictures as ``Client.messages_inline`` does; ``blob_get`` returns a picture by its SHA-256."""

    async def inline(part: Json) -> Json:
        match = _BLOB.search(part["image_url"]["url"]) if part["type"] == "image_url" else None
        if match is None:
            return part
        content = base64.b64encode(await blob_get(match[1])).decode("ascii")
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{content}"}}

    return [
        message
        if isinstance(message["content"], str)
        else {**message, "content": [await inline(part) for part in message["content"]]}
        for message in messages
    ]
