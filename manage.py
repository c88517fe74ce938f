#!/usr/bin/env python
"""Palaestra's command line."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    from core.telemetry import garbage

    with garbage.loading():
        import django
        from django.core.management import execute_from_command_line
    from django.db import OperationalError
    from environs.exceptions import EnvError

    from core.errors import GymError

    try:
        with garbage.loading():
            django.setup()
        execute_from_command_line(sys.argv)
    except GymError as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"Error: {error.message}")
    except EnvError as error:
        sys.exit(f"Error: {error} See .env.example.")
    except OperationalError as error:
        if "--traceback" in sys.argv:
            raise
        hint = "`make up` starts it; with a server of your own, check DATABASE_URL."
        sys.exit(f"Error: the database cannot be used for this. {hint}\n{error}")


if __name__ == "__main__":
    main()
