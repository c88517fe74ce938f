"""The pages of a long run, as a browser asks for them.

`python -m tests.bench.run_pages LAB_URL RUN` prints a JSON object of milliseconds.
"""

from __future__ import annotations

import json
import os
import sys
import time

import django

LATER = 8
# Until the page is read again: a fifth of the time at most goes into reading it.
PAUSE_S = 2.0


def main(lab: str, run: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from tests.bench.search_page import Browser, session_make

    browser = Browser(lab, session_make())
    runs = [browser.first_byte("/") for _ in range(LATER)]
    first = browser.first_byte(f"/runs/{run}/")
    later = []
    for _ in range(LATER):
        time.sleep(PAUSE_S)
        later.append(browser.first_byte(f"/runs/{run}/"))
    print(json.dumps({"runs": runs, "first": first, "later": later}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
