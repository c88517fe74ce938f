from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from gymsite.core.errors import GymError
from gymsite.services import starting


class Command(BaseCommand):
    help = "Start everything: Postgres, Redis, arena, lab, live, sweeper and workers. Ctrl-C stops all of it."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        options = starting.Options(
            var_dir=settings.VAR_DIR,
            host=os.environ.get("GYM_HOST", "127.0.0.1"),
            ports={name: getattr(settings, name) for name in ("ARENA_PORT", "LAB_PORT", "LIVE_PORT")},
            addresses={"arena": settings.ARENA_URL, "lab": settings.LAB_URL, "live": settings.LIVE_URL},
            database_url=os.environ.get("DATABASE_URL", ""),
            redis_url=os.environ.get("REDIS_URL", ""),
        )
        try:
            starting.up(options, say=self._say)
        except GymError as error:
            self.stderr.write(error.message)
            sys.exit(1)

    def _say(self, line: str) -> None:
        """Print a line; whoever read our output may be gone, which is no reason to stop."""
        with contextlib.suppress(OSError):
            self.stdout.write(line)
            self.stdout.flush()
