"""A connection to a server that a test can cut, so that a server shared by tests need not be stopped."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

CHUNK = 65_536


class Wire:
    """A Unix socket at ``path`` that forwards to the one at ``target``."""

    def __init__(self, path: Path, target: Path) -> None:
        self._path = path
        self._target = target
        self._server: asyncio.Server | None = None
        self._carriers: set[asyncio.Task[None]] = set()

    async def mend(self) -> None:
        self._server = await asyncio.start_unix_server(self._connected, self._path)

    async def cut(self) -> None:
        """Refuse new connections and drop open ones, like a server that was killed."""
        if self._server is None:
            return
        self._server.close()
        self._path.unlink(missing_ok=True)
        for carrier in list(self._carriers):
            carrier.cancel()
        await asyncio.gather(*self._carriers, return_exceptions=True)
        self._server = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        carrier = asyncio.create_task(self._carry(reader, writer))
        self._carriers.add(carrier)
        carrier.add_done_callback(self._carriers.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(self._target)
        try:
            ways = {
                asyncio.create_task(_one_way(reader, far_writer)),
                asyncio.create_task(_one_way(far_reader, writer)),
            }
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        finally:
            for end in (writer, far_writer):
                end.close()
                with contextlib.suppress(OSError):
                    await end.wait_closed()


async def _one_way(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
