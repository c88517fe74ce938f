#!/usr/bin/env bash
# granian 2.8.7: `header_read_timeout` does not cover a connection on which nothing has been sent, unless HTTP/1
# is chosen. In the default mode `auto` the protocol is detected from the first bytes, and that wait has no limit.
#
# Seen with a time-out of 3 s: in both modes a half-sent head is closed after 3 s; a silent connection is closed
# after 3 s with `http1` and is still open after 12 s with `auto`. Fails if that changes.
set -euo pipefail
folder=$(mktemp -d)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check granian==2.8.7
cat >"$folder/app.py" <<'PYTHON'
async def application(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
PYTHON
cat >"$folder/serve.py" <<'PYTHON'
import sys

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings

if __name__ == "__main__":
    Granian(
        "app:application", address="127.0.0.1", port=int(sys.argv[1]), interface=Interfaces.ASGI,
        http=HTTPModes(sys.argv[2]), http1_settings=HTTP1Settings(header_read_timeout=3_000),
    ).serve()
PYTHON
cd "$folder"
"$folder/venv/bin/python" serve.py 18471 auto >/dev/null 2>&1 & auto=$!
"$folder/venv/bin/python" serve.py 18472 1 >/dev/null 2>&1 & http1=$!
trap 'kill $auto $http1; rm -rf "$folder"' EXIT
"$folder/venv/bin/python" - <<'PYTHON'
import socket
import time
from importlib.metadata import version

WATCHED_S = 12
starts = {"silent": b"", "half a head": b"GET / HTTP/1.1\r\nHost: x\r\n"}
seen = {}
deadline = time.time() + 20
for mode, port in (("auto", 18471), ("http1", 18472)):
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            if time.time() > deadline:
                raise
            time.sleep(0.1)
sockets = {}
for mode, port in (("auto", 18471), ("http1", 18472)):
    for name, start in starts.items():
        sockets[mode, name] = socket.create_connection(("127.0.0.1", port))
        sockets[mode, name].sendall(start)
began = time.time()
while time.time() - began < WATCHED_S:
    for place, connection in sockets.items():
        connection.settimeout(0.05)
        try:
            if place not in seen and not connection.recv(4096):
                seen[place] = round(time.time() - began)
        except TimeoutError:
            pass
print("granian", version("granian"))
for place in sockets:
    print(*place, f"closed after {seen[place]} s" if place in seen else f"open after {WATCHED_S} s", sep=": ")
expected = {("auto", "half a head"), ("http1", "silent"), ("http1", "half a head")}
raise SystemExit(set(seen) != expected)
PYTHON
