"""Stages for tests, in this process and in others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fake_server import FakeServer
from palaestra import Client
from palaestra.stage import Stage, StageConfig
from palaestra.surface import Pool

TOKEN = "the token of a stage"
LITE_RUN = {"id": 7, "name": "lite", "settings": {"browser": "lite"}}


@asynccontextmanager
async def stage_serve(
    fake: FakeServer, *, pool: Pool | None = None, **sizes: Any
) -> AsyncIterator[tuple[Stage, str]]:
    """A stage and its address; ``pool`` lends it pages of a browser that is open already."""
    config = StageConfig(**{"memory_floor_mb": 0, **sizes})
    async with Client(fake.lab_url, "key") as client, Stage(client, token=TOKEN, config=config) as stage:
        if pool is not None:
            stage.places["chromium"].pool = pool
        server = await stage.serve("127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()[:2]
        yield stage, f"http://{host}:{port}"
