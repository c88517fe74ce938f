"""`python -m tests.bench.rewards_pay RUN PROFILE`: pay a run's episodes by a profile, page by page.

Prints a JSON object with the number of episodes, the seconds, and the peak memory of this process in MB
before and after.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time

import django

PAGE = 1_000


def main(run_id: int, reference: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from trajectories.models import Run
    from trajectories.record.projects import EVERYTHING
    from trajectories.rewards.profiles.store import profile_get
    from trajectories.rewards.selectors import run_rewards

    named, run = profile_get(reference, viewer=EVERYTHING), Run.objects.get(pk=run_id)
    before_mb, begun = _peak_mb(), time.perf_counter()
    after: int | None = 0
    paid = totals = 0
    while after is not None:
        page, after = run_rewards(run=run, after=after, limit=PAGE, named=named, viewer=EVERYTHING)
        paid += len(page)
        totals += sum(rewards.total is not None for rewards in page)
    seconds = time.perf_counter() - begun
    measured = {"paid": paid, "totals": totals, "seconds": seconds, "before_mb": before_mb}
    print(json.dumps({**measured, "peak_mb": _peak_mb()}))


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
