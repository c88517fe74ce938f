"""Stages for tests, in this process and in other processes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fake_server import FakeServer
from palaestra import Client
from palaestra.pages.surface import Pool
from palaestra.stage import Stage, StageConfig
from ports import free_port

TOKEN = "the token of a stage"
LITE_RUN = {"id": 7, "name": "lite", "settings": {"browser": "lite"}}


@asynccontextmanager
async def stage_serve(
    fake: FakeServer, *, pool: Pool | None = None, **sizes: Any
) -> AsyncIterator[tuple[Stage, str]]:
    """Yield a stage and its URL; ``pool`` lends the stage pages of a browser that is already open."""
    config = StageConfig(**{"memory_floor_mb": 0, **sizes})
    async with Client(fake.lab_url, "key") as client, Stage(client, token=TOKEN, config=config) as stage:
        if pool is not None:
            stage.slots["chromium"].pool = pool
        server = await stage.serve("127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()[:2]
        yield stage, f"http://{host}:{port}"


class StageProcess:
    """A stage in its own process, which can be killed and started again at the same URL."""

    def __init__(self, fake: FakeServer, *options: str) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-m", "palaestra", "stage", "--server", fake.lab_url, "--key", "key"]
        self._command += ["--port", str(self.port), "--token", TOKEN, "--memory-floor", "0", *options]

    async def start(self) -> None:
        """Start the process, and return when the stage listens."""
        self.process = await asyncio.create_subprocess_exec(*self._command, stderr=asyncio.subprocess.PIPE)
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            if b"listens" in line:
                return
        raise AssertionError("the stage did not start")

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def stop(self) -> int:
        if self.process.returncode is None:
            self.process.terminate()
        return await self.process.wait()
