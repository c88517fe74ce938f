"""The pictures of the lab that messages show: their names, and their contents in the messages themselves."""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Callable, Iterable

from palaestra import records
from palaestra.calls import Json

_BLOB = re.compile(r"/api/v1/blobs/([0-9a-f]{64})$")


def blobs_named(messages: Iterable[records.Message]) -> list[str]:
    """The SHA-256 of every picture of the lab that the messages show."""
    parts = [
        part for message in messages if isinstance(message["content"], list) for part in message["content"]
    ]
    links = [_BLOB.search(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]
    return [link[1] for link in links if link is not None]


async def messages_inline(
    messages: Iterable[records.Message], *, blob_get: Callable[[str], Awaitable[bytes]]
) -> list[records.Message]:
    """As ``Client.messages_inline``, with the pictures that ``blob_get`` gives by their SHA-256."""

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
