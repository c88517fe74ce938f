"""A probe that requests one page over and over, in its own process, until it is ended.

Prints the response times in milliseconds as JSON.
"""

from __future__ import annotations

import json
import signal
import sys
import time

from tests.bench.load import Connection, request_bytes

PAUSE_S = 0.1


def main(url: str) -> None:
    is_over: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: is_over.append(number))
    connection, request, times = Connection(url), request_bytes("GET", url), []
    while not is_over:
        begun = time.perf_counter()
        status, _ = connection.ask(request)
        if status != 200:
            sys.exit(f"The page answered {status}.")
        times.append((time.perf_counter() - begun) * 1000)
        time.sleep(PAUSE_S)
    print(json.dumps(times))


if __name__ == "__main__":
    main(sys.argv[1])
