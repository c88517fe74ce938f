"""Coverage of a report's intervals and false-alarm rates of its tests: ``python -m validation.intervals``."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from validation import evaluations, intervals_page, transfers


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate evaluations with known truth, and print the page of results or write it to a file."""
    parser = ArgumentParser(prog="python -m validation.intervals", description=__doc__)
    parser.add_argument("--replicates", type=int, default=4_000, help="Simulated evaluations per regime.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--regime", action="append", help="Simulate only the regime of this name.")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--write", type=Path, metavar="FILE", help="Also write the page to this file.")
    options = parser.parse_args(arguments)
    regimes = [one for one in evaluations.REGIMES if not options.regime or one.name in options.regime]
    changes = [one for one in transfers.TRANSFER_REGIMES if not options.regime or one.name in options.regime]
    rows, transfer_rows = [], []
    with ProcessPoolExecutor(options.processes) as pool:
        amount: dict[str, Any] = {"replicates": options.replicates, "seed": options.seed, "pool": pool}
        for regime in regimes:
            tallies = evaluations.simulate(regime, evaluations.evaluations_simulate, **amount)
            rows.append(_print_early(intervals_page.row(regime.name, tallies)))
        for change in changes:
            tallies = evaluations.simulate(change, transfers.transfers_simulate, **amount)
            methods = intervals_page.TRANSFER_METHODS
            transfer_rows.append(_print_early(intervals_page.row(change.name, tallies, methods=methods)))
    page = intervals_page.page(
        rows,
        transfer_rows,
        regimes=regimes,
        transfer_words={change.name: change.words for change in changes},
        replicates=options.replicates,
    )
    print(page, end="")
    if options.write:
        options.write.write_text(page, encoding="utf-8")


def _print_early(row: str) -> str:
    """Print a row as soon as it is ready, because all rows together take minutes."""
    print(row, file=sys.stderr)
    return row


if __name__ == "__main__":
    main()
