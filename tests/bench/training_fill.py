"""A training run as long as they get, with facts and posted scalars, and evaluations of its checkpoints."""

from __future__ import annotations

import psycopg

from tests.bench import long_run, report_fill
from tests.bench.installation import Installation

BENCHMARK, SPLIT, ITEMS, SAMPLES = "math", "evaluated", 500, 4
# The policy versions as the trainer numbers them; the first is the one from which training started.
EVALUATED = (0, 10, 20, 30, long_run.POLICY_VERSIONS - 1)
ARMS = {"text_zero_shot": 0.0, "gym": 2.0}


def training_make(place: Installation) -> int:
    """Create and fill the run, and return its id."""
    fields = {"model": "none", "simulated": True}
    start = {"name": "long training", "kind": "train", "checkpoint": _checkpoint(0)}
    run = int(place.call("POST", "/runs", {**start, **fields})["id"])
    for version in range(1, long_run.POLICY_VERSIONS):
        place.call("POST", f"/runs/{run}/policy", {"version": version, "checkpoint": _checkpoint(version)})
        values = {"entropy": 1 / version, "kl": 0.01 * version}
        place.call("POST", f"/runs/{run}/metrics", {"policy_version": version, "values": values})
    long_run.run_fill(place.database_url("owner"), run)
    with psycopg.connect(place.database_url("owner")) as owner:
        report_fill.tasks_fill(owner, benchmark=BENCHMARK, split=SPLIT, items=ITEMS)
        for version in EVALUATED:
            for seed, (arm, rung) in enumerate(ARMS.items()):
                name = f"{_checkpoint(version)} {arm}"
                body = {"name": name, "kind": "eval", "checkpoint": _checkpoint(version), **fields}
                report_fill.run_fill(
                    owner,
                    int(place.call("POST", "/runs", body)["id"]),
                    arm=arm,
                    benchmark=BENCHMARK,
                    split=SPLIT,
                    rung=rung - version / long_run.POLICY_VERSIONS,
                    seed=100 * version + seed,
                    samples=SAMPLES,
                )
    place.manage("rebuild_sums")
    with psycopg.connect(place.database_url("owner"), autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
    return run


def _checkpoint(version: int) -> str:
    return f"long-step-{version}"
