"""Rows of generation: generating the mock sites' tasks, compared with loading the same tasks."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import harmonic_mean

from tests.bench.installation import Installation
from tests.bench.rows_imports import database_make
from tests.bench.site_episodes import SITES
from tests.bench.table import Row

TASKS = 5_000
SEED = 1
SPLITS = ("train", "test")


def rows(place: Installation) -> Iterator[Row]:
    """Yield rows measured like `manage.py load_benchmark`, in separate processes and databases."""
    env = {"GYM_PROCESS": "manage", "DATABASE_URL": database_make(place)}
    for site in SITES:
        rates = {split: place.module_run("generation", site, split, TASKS, SEED, env=env) for split in SPLITS}
        each = ", ".join(f"{split} {one['generated']:,.0f}/s" for split, one in rates.items())
        yield Row(
            f"tasks of {site} generated",
            harmonic_mean([one["generated"] for one in rates.values()]),
            "/s",
            500,
            peer=harmonic_mean([one["loaded"] for one in rates.values()]),
            beside="loading the same tasks, made beforehand",
            note=f"{each}; {TASKS:,} tasks each, guess rates and all",
        )
