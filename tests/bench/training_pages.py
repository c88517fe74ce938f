"""The page of a long run's training, as a browser asks for it.

`python -m tests.bench.training_pages LAB_URL RUN` prints a JSON list of milliseconds to its first byte.
"""

from __future__ import annotations

import json
import os
import sys

import django

LOADS = 9


def main(lab: str, run: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from tests.bench.search_page import Browser, session_make

    browser = Browser(lab, session_make())
    print(json.dumps([browser.first_byte(f"/runs/{run}/training") for _ in range(LOADS)]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
