"""A pytest plugin that starts the embedded Postgres and Redis before Django reads its settings."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.embedded_services import TestServers, embedded_services

VAR_DIR = Path(__file__).resolve().parent.parent / "var" / "test"

_stack = contextlib.ExitStack()
servers: TestServers


@pytest.hookimpl(wrapper=True)  # which comes before pytest-django's own
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    global servers
    servers = TestServers(VAR_DIR / "none") if _is_elsewhere(early_config) else _started()
    os.environ.update(
        GYM_PROCESS="manage",
        VAR_DIR=str(servers.var_dir),
        DATABASE_URL=servers.database_url,
        REDIS_URL=servers.redis_url,
        API_KEY_CACHE_S="0",
        # All runs use the same salt, with which mock sites' tasks are drawn, so a test gets the same tasks
        # each time.
        GYM_WORLD_SALT="5a" * 32,
    )
    yield


def _is_elsewhere(config: pytest.Config) -> bool:
    """Return whether this process only starts others that run the tests, each with its own servers."""
    options = config.known_args_namespace
    is_alone = options.collectonly or options.usepdb or "PYTEST_XDIST_WORKER" in os.environ
    return bool(options.numprocesses) and not is_alone


def _started() -> TestServers:
    return _stack.enter_context(embedded_services(VAR_DIR, is_migrated=True))


def pytest_unconfigure(config: pytest.Config) -> None:
    _stack.close()
