"""The hash of a prompt in the form sent to its model, compared with the hash posted with the step."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from core.storage import blobs
from trajectories.record.prompts.conversation import Message

PICTURES_MAX_BYTES = 48_000_000
SHA256 = re.compile(r"[0-9a-f]{64}\Z")


class Check(StrEnum):
    """Result of comparing rebuilt messages with the hash posted with the step."""

    VERIFIED = "verified"
    DIFFERS = "differs"
    NO_HASH = "no_hash"
    LACKS_PICTURES = "lacks_pictures"


class PromptHash:
    """The hash of a growing list of messages, with their pictures inlined as an endpoint receives them.

    ``add`` raises ``FileNotFoundError`` if a picture's file is missing, and ``OverflowError`` once the
    pictures exceed ``room`` bytes.
    """

    def __init__(self, *, room: int = PICTURES_MAX_BYTES) -> None:
        self._digest = hashlib.sha256(b"[")
        self._is_empty = True
        self._room = room

    def add(self, message: Message) -> None:
        text = msgspec.json.encode(self._inlined(message))
        self._digest.update(text if self._is_empty else b"," + text)
        self._is_empty = False

    def hexdigest(self) -> str:
        """Return the hash of the messages so far."""
        digest = self._digest.copy()
        digest.update(b"]")
        return digest.hexdigest()

    def _inlined(self, message: Message) -> Message:
        content = message["content"]
        if isinstance(content, str):
            return message
        return {**message, "content": [self._part(part) for part in content]}

    def _part(self, part: dict[str, object]) -> dict[str, object]:
        sha256 = picture_of(part)
        if sha256 is None:
            return part
        content = base64.b64encode(self._picture_read(sha256)).decode("ascii")
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{content}"}}

    def _picture_read(self, sha256: str) -> bytes:
        size = blobs.blob_size(sha256) or 0
        if size > self._room:
            raise OverflowError
        self._room -= size
        with blobs.blob_open(sha256) as file:
            return bytes(file.read())


def prompt_check(messages: Sequence[Message], *, posted: str | None) -> Check:
    """Compare a rebuilt prompt with its posted hash."""
    if not posted:
        return Check.NO_HASH
    prompt = PromptHash()
    try:
        for message in messages:
            prompt.add(message)
    except (FileNotFoundError, OverflowError):
        return Check.LACKS_PICTURES
    return Check.VERIFIED if prompt.hexdigest() == posted else Check.DIFFERS


def picture_of(part: dict[str, object]) -> str | None:
    """Return the hash of a part's picture, None for other parts.

    The hash is either the whole address or the end of a blob's address.
    """
    address = part.get("image_url")
    if not isinstance(address, dict):
        return None
    match = SHA256.search(str(address.get("url", "")))
    return match[0] if match else None
