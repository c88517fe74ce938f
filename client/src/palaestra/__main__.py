"""The command line: ``python -m palaestra``."""

from __future__ import annotations

import sys

from palaestra.commands import main

if __name__ == "__main__":
    sys.exit(main())
