"""Rows of generation: tasks of the mock sites, beside loading the same tasks made beforehand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from statistics import harmonic_mean

from tests.bench.installation import BASE_DIR, Installation
from tests.bench.rows_imports import database_make
from tests.bench.site_episodes import SITES
from tests.bench.table import Row

TASKS = 5_000
SEED = 1
SPLITS = ("train", "test")


def rows(place: Installation) -> Iterator[Row]:
    """By processes of their own, as `manage.py load_benchmark` does it, into a database of their own."""
    env = {**place.env, "GYM_PROCESS": "manage", "DATABASE_URL": database_make(place)}
    for site in SITES:
        found = {split: _measured(env, site, split) for split in SPLITS}
        each = ", ".join(f"{split} {one['generated']:,.0f}/s" for split, one in found.items())
        yield Row(
            f"tasks of {site} generated",
            harmonic_mean([one["generated"] for one in found.values()]),
            "/s",
            500,
            peer=harmonic_mean([one["loaded"] for one in found.values()]),
            beside="loading the same tasks, made beforehand",
            note=f"{each}; {TASKS:,} tasks each, guess rates and all",
        )


def _measured(env: dict[str, str], site: str, split: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.generation", site, split, str(TASKS), str(SEED)]
    done = subprocess.run(command, cwd=BASE_DIR, env=env, check=True, stdout=subprocess.PIPE, text=True)
    rates: dict[str, float] = json.loads(done.stdout)
    return rates
