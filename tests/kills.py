"""`python -m tests.kills [--rounds 2] [--seed N]`: kill every process with -9 while work is going on.

Prints, by killed process, what had been acknowledged and what was found later. The exit status is 1 if
anything that was acknowledged is missing or different.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tests.services import audit
from tests.services.chaos import SETTINGS, Chaos
from tests.services.installations import Up
from tests.services.kills import installed
from tests.soak.homes import homes_check


def main() -> int:
    options = _arguments()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    up = Up(folder / "var", extra=SETTINGS)
    try:
        with installed(up) as installation:
            chaos, began = Chaos(installation, options.seed), datetime.now(UTC)
            chaos.play(rounds=options.rounds)
            complaints = audit.complaints(installation.owner_url, chaos.ledger)
            complaints += homes_check(up, installation.owner_url, lost=began)
            table, summary = chaos.table(), audit.summary(installation.owner_url, chaos.ledger)
            installation.now.interrupt()
            complaints += [f"process {pid} is left over" for pid in up.descendants()]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{table}\n\n{summary}; {len(complaints)} complaints")
    print("\n".join(f"- {complaint}" for complaint in complaints))
    return 1 if complaints else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=2, help="rounds, each of which kills every process twice"
    )
    parser.add_argument("--seed", type=int, default=20260302, help="seed for the order of the kills")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
