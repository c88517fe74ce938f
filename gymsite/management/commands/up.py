from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from dotenv import dotenv_values

from core.errors import GymError
from gymsite.services import startup
from gymsite.services.processes import BASE_DIR, METRICS, PROCESSES, Installation, processes_chosen


class Command(BaseCommand):
    help = "Start everything: Postgres, Redis, arena, lab, live, sweeper and workers. Ctrl-C stops all of it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        names = ",".join(process.name for process in PROCESSES)
        parser.add_argument(
            "--only",
            default="",
            help="run only these processes, with the servers and secrets of a host that runs everything"
            f" and prepares the database; separated by commas, from {names}",
        )

    def handle(self, *_args: Any, only: str, **_options: Any) -> None:
        try:
            self._up(only)
        except GymError as error:
            self.stderr.write(error.message)
            sys.exit(1)

    def _up(self, only: str) -> None:
        # Children do not read .env, because it may contain secrets that some of them must not know.
        chosen = {name: value for name, value in dotenv_values(BASE_DIR / ".env").items() if value}
        chosen |= os.environ
        ports = {name: getattr(settings, name) for name in ("ARENA_PORT", "LAB_PORT", "LIVE_PORT")}
        addresses = {"arena": settings.ARENA_URL, "lab": settings.LAB_URL, "live": settings.LIVE_URL}
        processes = processes_chosen(only) if only else PROCESSES
        if settings.METRICS_PORT:
            ports["METRICS_PORT"] = settings.METRICS_PORT
            addresses["metrics"] = f"http://{settings.METRICS_HOST}:{settings.METRICS_PORT}/metrics"
        else:
            processes = tuple(process for process in processes if process.name != METRICS)
        installation = Installation(
            var_dir=settings.VAR_DIR,
            host=chosen.get("GYM_HOST", "127.0.0.1"),
            ports=ports,
            addresses=addresses,
            database_url=chosen.get("DATABASE_URL", ""),
            direct_url=chosen.get("DATABASE_DIRECT_URL", ""),
            redis_url=chosen.get("REDIS_URL", ""),
            sandbox_redis_url=chosen.get("SANDBOX_REDIS_URL", ""),
            slow_statement_ms=settings.SLOW_STATEMENT_MS,
            settings=chosen,
            processes=processes,
            is_replica=bool(only),
        )
        startup.up(installation, say=self._say)

    def _say(self, line: str) -> None:
        """Print a line, and carry on if nobody reads our output any more."""
        with contextlib.suppress(OSError):
            self.stdout.write(line)
            self.stdout.flush()
