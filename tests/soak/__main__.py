"""`python -m tests.soak [--minutes 30] [--load 0.5]`: a whole installation under steady load, watched.

Prints a table and complaints, and writes `var/soak.svg` and `var/soak.json`. The exit status is 1 if there
are complaints.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from gymsite.services.processes import BASE_DIR
from tests.services.installations import Up
from tests.soak import report
from tests.soak.course import LEASES, Course, course_run


def main() -> int:
    options = _arguments()
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        course = course_run(
            Up(folder / "var", extra=LEASES),
            seconds=options.minutes * 60,
            share=options.load,
            with_browser=options.with_browser,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rows = report.levels(course.record)
    complaints = [*course.complaints, *report.growths(rows)]
    _write(course)
    print(report.table(rows))
    print(f"\n{course.summary()}\n{len(complaints)} complaints")
    print("\n".join(f"- {complaint}" for complaint in complaints))
    return 1 if complaints else 0


def _write(course: Course) -> None:
    folder = BASE_DIR / "var"
    folder.mkdir(exist_ok=True)
    (folder / "soak.svg").write_text(report.plot(course.record))
    samples = [asdict(sample) for sample in course.record.samples]
    (folder / "soak.json").write_text(json.dumps(samples, indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="of steady load; a third is warm-up")
    parser.add_argument("--load", type=float, default=0.5, help="share of the highest rate measured first")
    parser.add_argument(
        "--no-browser", dest="with_browser", action="store_false", help="leave out episodes in a browser"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
