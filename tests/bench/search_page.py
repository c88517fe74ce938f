"""The search page, requested over HTTP as a browser does, compared with its bare statements in this process.

`python -m tests.bench.search_page LAB_URL RUN` prints a JSON object with lists of milliseconds.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any
from urllib.parse import urlencode

import django

from tests.bench.loads import MS_PER_SECOND, Browser, session_make
from tests.bench.search import REPEATS, lists, searches


def _address(query: str, filters: dict[str, Any]) -> str:
    parameters = {"q": query} if query else {}
    for name, value in filters.items():
        if name == "duration_min_ms":
            parameters["seconds_min"] = str(value / MS_PER_SECOND)
        else:
            parameters[name] = str(value)
    return f"/search?{urlencode(parameters)}"


def main(lab: str, run: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from trajectories.lab.search.selectors import Search, search_page

    browser = Browser(lab, session_make())
    browser.first_byte("/search")
    measured: dict[str, list[float]] = {"page": [], "bare": []}
    requests = [*searches(run), *(("", filters) for filters in lists(run))]
    for query, filters in requests:
        search, path = Search(query=query, filters=filters), _address(query, filters)
        for _ in range(REPEATS):
            begun = time.perf_counter()
            search_page(search)
            measured["bare"].append((time.perf_counter() - begun) * MS_PER_SECOND)
            measured["page"].append(browser.first_byte(path))
    for name, path in (("ids", "/search/ids.txt?q=check"), ("facts", "/search/facts.csv?arm=gym")):
        lines, seconds = browser.download(path)
        measured[name] = [float(lines), seconds]
    print(json.dumps(measured))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
