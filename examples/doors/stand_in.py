"""A stand-in for a model, which types 162 into the only field of a plain page and submits it."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Each group normally gets a random look, but the stand-in knows only this one.
PLAIN = {"form": "below", "pop_ups": "none", "slow": "never"}


def complete(messages: list[dict[str, Any]]) -> str:
    """Return a completion for a conversation: a thought, then an action as JSON on its own line."""
    page = messages[-1]["content"]
    field, button = (re.search(rf"\[(e\d+)\] {role}(.*)", page) for role in ("textbox", "button"))
    if field is None or button is None:
        return 'I see no field.\nAction: {"type": "give_up"}'
    if "162" in field[2]:
        return f'I hand it in.\nAction: {{"type": "click", "target": "{button[1]}"}}'
    typing = f'{{"type": "type", "target": "{field[1]}", "text": "162"}}'
    return f"96 rolls less 15 are 81, at $2 each.\nAction: {typing}"


@contextlib.contextmanager
def endpoint() -> Iterator[str]:
    """Serve the stand-in as an endpoint that streams like OpenAI's, and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            delta = {"role": "assistant", "content": complete(body["messages"])}
            head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "stand-in"}
            chunk = {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]}
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
