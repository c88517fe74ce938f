from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from dotenv import dotenv_values

from core.errors import GymError
from gymsite.services import startup
from gymsite.services.processes import BASE_DIR, Installation


class Command(BaseCommand):
    help = "Start everything: Postgres, Redis, arena, lab, live, sweeper and workers. Ctrl-C stops all of it."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        # Children do not read .env: it may hold secrets that some of them must not know.
        chosen = {name: value for name, value in dotenv_values(BASE_DIR / ".env").items() if value}
        chosen |= os.environ
        installation = Installation(
            var_dir=settings.VAR_DIR,
            host=chosen.get("GYM_HOST", "127.0.0.1"),
            ports={name: getattr(settings, name) for name in ("ARENA_PORT", "LAB_PORT", "LIVE_PORT")},
            addresses={"arena": settings.ARENA_URL, "lab": settings.LAB_URL, "live": settings.LIVE_URL},
            database_url=chosen.get("DATABASE_URL", ""),
            redis_url=chosen.get("REDIS_URL", ""),
            sandbox_redis_url=chosen.get("SANDBOX_REDIS_URL", ""),
            settings=chosen,
        )
        try:
            startup.up(installation, say=self._say)
        except GymError as error:
            self.stderr.write(error.message)
            sys.exit(1)

    def _say(self, line: str) -> None:
        """Print a line, even if the reader of our output is gone."""
        with contextlib.suppress(OSError):
            self.stdout.write(line)
            self.stdout.flush()
