"""`python -m tests.bench [NAME ...]`: measure, print a table, write `var/bench.json`.

If a part fails, its traceback is printed, the other parts still run, and the exit status is 1.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator

from tests.bench import (
    rows_annotation,
    rows_browser,
    rows_fairness,
    rows_fidelity,
    rows_forks,
    rows_generation,
    rows_grids,
    rows_http,
    rows_imports,
    rows_judging,
    rows_lab,
    rows_lite,
    rows_media,
    rows_observations,
    rows_prompts,
    rows_recorder,
    rows_reports,
    rows_rewards,
    rows_runs,
    rows_samplers,
    rows_sandbox,
    rows_scale,
    rows_site_browser,
    rows_sites,
    rows_stage,
    rows_verifiers,
    rows_viewer,
)
from tests.bench.installation import BASE_DIR, Installation, installation
from tests.bench.table import Row, rows_print, rows_write

PARTS: dict[str, Callable[[Installation], Iterator[Row]]] = {
    "http": rows_http.rows,
    "judging": rows_judging.rows,
    "fairness": rows_fairness.rows,
    "media": rows_media.rows,
    "verifiers": rows_verifiers.rows,
    "sandbox": rows_sandbox.rows,
    "fidelity": rows_fidelity.rows,
    "imports": rows_imports.rows,
    "generation": rows_generation.rows,
    "sites": rows_sites.rows,
    "site_browser": rows_site_browser.rows,
    "observations": rows_observations.rows,
    "prompts": rows_prompts.rows,
    "browser": rows_browser.rows,
    "lite": rows_lite.rows,
    "forks": rows_forks.rows,
    "stage": rows_stage.rows,
    "scale": rows_scale.rows,
    "lab": rows_lab.rows,
    "grids": rows_grids.rows,
    "runs": rows_runs.rows,
    "samplers": rows_samplers.rows,
    "reports": rows_reports.rows,
    "rewards": rows_rewards.rows,
    "viewer": rows_viewer.rows,
    "annotation": rows_annotation.rows,
    "recorder": rows_recorder.rows,
}


def main(names: list[str]) -> None:
    unknown = set(names) - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. Known: {', '.join(PARTS)}.")
    rows: list[Row] = []
    failed: list[str] = []
    with installation(BASE_DIR / "var" / "bench", ACTIVE_EPISODES_MAX="1000000", SANDBOXES="2") as place:
        for name in names or PARTS:
            try:
                for row in PARTS[name](place):
                    print(f"  {row.name}: {row.value:,.1f} {row.unit}", file=sys.stderr)
                    rows.append(row)
            except Exception:
                traceback.print_exc()
                failed.append(name)
    rows_print(rows)
    rows_write(rows, BASE_DIR / "var" / "bench.json")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}.")


if __name__ == "__main__":
    main(sys.argv[1:])
