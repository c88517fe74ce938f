"""A scripted model endpoint that replies with server-sent events, because verifiers' harness streams."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Messages = list[dict[str, Any]]
Answer = Callable[[Messages], str | None]


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}


@contextlib.contextmanager
def endpoint(answer: Answer) -> Iterator[str]:
    """Yield the endpoint's URL.

    ``answer`` gives the completion for a conversation, or None for status 400.
    """

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = answer(body["messages"])
            if text is None:
                self._send(400, "application/json", b'{"error": {"message": "no such model", "code": "x"}}')
                return
            if not body.get("stream"):
                whole = {**_chunk({}, "stop"), "object": "chat.completion"}
                message = {"role": "assistant", "content": text}
                whole["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
                whole["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                self._send(200, "application/json", json.dumps(whole).encode())
                return
            parts = [_chunk({"role": "assistant", "content": text}), _chunk({}, "stop")]
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            parts.append({**_chunk({}), "choices": [], "usage": usage})
            lines = [*map(json.dumps, parts), "[DONE]"]
            self._send(200, "text/event-stream", "".join(f"data: {line}\n\n" for line in lines).encode())

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
