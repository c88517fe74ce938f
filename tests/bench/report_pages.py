"""A report's pages, requested as a browser does.

`python -m tests.bench.report_pages LAB_URL REPORT` prints a JSON object with the milliseconds to the page's
first byte, the lines and seconds of the download of its rows, and the cookie of a login.
"""

from __future__ import annotations

import json
import os
import sys

import django

LOADS = 8


def main(lab: str, report: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from tests.bench.loads import Browser, session_make

    session = session_make()
    browser = Browser(lab, session)
    page = [browser.first_byte(f"/reports/{report}/") for _ in range(LOADS)]
    rows = {kind: browser.download(f"/reports/{report}/rows.{kind}") for kind in ("jsonl", "csv")}
    print(json.dumps({"page": page, "rows": rows, "cookie": session}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
