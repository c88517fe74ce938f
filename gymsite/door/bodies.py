"""Request bodies. They are read completely before a thread gets them: into memory, or if large, to disk."""

from __future__ import annotations

import io
import tempfile
from dataclasses import dataclass
from typing import IO, cast

from asgiref.typing import ASGIReceiveCallable

from core.errors import GymError

RETRY_AFTER_S = 2


class Disconnected(Exception):
    """The client disconnected before its request was complete."""


@dataclass(frozen=True)
class Body:
    """A complete body. ``file`` is positioned at its beginning; ``size`` is in bytes."""

    file: IO[bytes]
    size: int


class BodyReader:
    """Reader of bodies of at most ``max_bytes``, each kept in memory up to ``memory_bytes``.

    All bodies that are being read or used take up at most ``total_bytes`` in memory and on disk.
    """

    def __init__(self, *, max_bytes: int, memory_bytes: int, total_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.memory_bytes = memory_bytes
        self.total_bytes = total_bytes
        self.held_bytes = 0

    def announced_check(self, size: int) -> None:
        """Raise ``GymError`` 413 ``body_too_large`` if the announced size exceeds the limit."""
        if size > self.max_bytes:
            message = f"The body exceeds the limit of {self.max_bytes:,} bytes."
            raise GymError("body_too_large", message, status=413)

    async def read(self, receive: ASGIReceiveCallable) -> Body:
        """Read the complete body; call ``release`` after use.

        Raises ``Disconnected``, or ``GymError`` 413 ``body_too_large`` or 503 ``bodies_full``. There is no
        time limit here, because the connection itself watches for slow clients.
        """
        data, is_last = await _part(receive)
        if is_last:  # nearly always the case
            self.announced_check(len(data))
            self.held_bytes += len(data)
            return Body(io.BytesIO(data), len(data))
        # The file is closed by `release`.
        file = tempfile.SpooledTemporaryFile(max_size=self.memory_bytes)  # noqa: SIM115
        body = self._add(Body(cast("IO[bytes]", file), 0), data)
        try:
            while not is_last:
                data, is_last = await _part(receive)
                body = self._add(body, data)
        except BaseException:
            self.release(body)
            raise
        file.seek(0)
        return body

    def release(self, body: Body) -> None:
        """Close the body and give its bytes back to the budget."""
        body.file.close()
        self.held_bytes -= body.size

    def _add(self, body: Body, data: bytes) -> Body:
        self.announced_check(body.size + len(data))
        if self.held_bytes + len(data) > self.total_bytes:
            message = "Too many bodies are being sent at once; send the same request again later."
            raise GymError("bodies_full", message, status=503, retry_after_s=RETRY_AFTER_S)
        body.file.write(data)
        self.held_bytes += len(data)
        return Body(body.file, body.size + len(data))


async def _part(receive: ASGIReceiveCallable) -> tuple[bytes, bool]:
    """Receive the next part of a body; also return whether it is the last."""
    message = await receive()
    if message["type"] != "http.request":
        raise Disconnected
    return message["body"], not message["more_body"]
