from __future__ import annotations

import subprocess
import sys

COUNT = """
import django

django.setup()
from tasks_app.families.registry import FAMILIES

print(*FAMILIES)
"""


def test_a_process_has_all_task_families_from_its_start() -> None:
    """Judging and trajectories need the milestones of families without ever drawing a task."""
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    assert {"book_stay", "mean_rating"} <= set(done.stdout.split())
