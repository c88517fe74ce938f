"""Starts the embedded Postgres and Redis for the test run, before Django reads its settings."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from tests.embedded_services import TestServers, embedded_services

VAR_DIR = Path(__file__).resolve().parent.parent / "var" / "test"

_stack = contextlib.ExitStack()
servers: TestServers


def _start() -> TestServers:
    started = _stack.enter_context(embedded_services(VAR_DIR))
    os.environ.update(
        GYM_PROCESS="manage",
        VAR_DIR=str(started.var_dir),
        DATABASE_URL=started.database_url,
        REDIS_URL=started.redis_url,
        API_KEY_CACHE_S="0",
        # One salt for all runs: tasks of mock sites are drawn by it, so a test meets the same ones each time.
        GYM_WORLD_SALT="5a" * 32,
    )
    return started


def pytest_unconfigure(config: pytest.Config) -> None:
    _stack.close()


servers = _start()
