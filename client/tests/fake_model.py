"""A small server that speaks OpenAI's chat completions and gives the replies that a test has prepared."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}


@dataclass(kw_only=True)
class Reply:
    """One reply: a completion, or an error with this ``status``.

    ``raw`` is sent as it is. ``hangs`` is the number of seconds of silence before the reply; with ``breaks``
    a stream ends before its finish reason. ``shape`` replaces the message, in any shape. ``parts`` are the
    parts of a stream; if they are not given, ``shape`` is its only part.
    """

    text: str | None = ""
    reasoning: tuple[str, str] | None = None  # the field's name and its text
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    finish_reason: str = "stop"
    usage: dict[str, Any] | None = field(default_factory=lambda: dict(USAGE))
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    hangs: float = 0.0
    breaks: bool = False
    shape: Any = None
    parts: list[Any] | None = None

    def message(self) -> Any:
        if self.shape is not None:
            return self.shape
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.reasoning:
            message[self.reasoning[0]] = self.reasoning[1]
        if self.tool_calls:
            message["tool_calls"] = self.tool_calls
        return message

    def body(self, model: str) -> dict[str, Any]:
        choice = {"index": 0, "message": self.message(), "finish_reason": self.finish_reason}
        shape = {"id": "c1", "object": "chat.completion", "created": 1, "model": model}
        return {**shape, "choices": [choice], **({"usage": self.usage} if self.usage else {})}

    def chunks(self, model: str) -> Iterator[dict[str, Any]]:
        """Yield the completion in pieces of a few characters."""
        shape = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model}

        def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
            return {**shape, "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}

        if self.shape is not None or self.parts is not None:
            for delta in [self.shape] if self.parts is None else self.parts:
                yield chunk(delta)
            yield chunk({}, self.finish_reason)
            return
        yield chunk({"role": "assistant", "content": ""})
        for name, text in (self.reasoning or ("", ""), ("content", self.text or "")):
            for first in range(0, len(text), 7):
                yield chunk({name: text[first : first + 7]})
        for index, call in enumerate(self.tool_calls):
            function = call["function"]
            head = {"name": function["name"], "arguments": ""}
            yield chunk(
                {"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": head}]}
            )
            for first in range(0, len(function["arguments"]), 5):
                piece = {"arguments": function["arguments"][first : first + 5]}
                yield chunk({"tool_calls": [{"index": index, "function": piece}]})
        if self.breaks:
            return
        yield chunk({}, self.finish_reason)
        if self.usage:
            yield {**shape, "choices": [], "usage": self.usage}


class FakeModel:
    """Serves until ``close``.

    ``reply`` makes the reply to a request's body; ``requests`` are all bodies so far.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.active = self.most_active = 0
        self.lock = threading.Lock()
        self.reply: Callable[[dict[str, Any]], Reply] = lambda _: Reply(text="Hm.")
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                return

            def send(self, status: int, body: bytes, kind: str, **headers: str) -> None:
                self.send_response(status)
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(body)),
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self) -> None:
                models = [
                    {"id": name, "object": "model", "created": 1, "owned_by": "x"} for name in ("tiny", "big")
                ]
                self.send(200, json.dumps({"object": "list", "data": models}).encode(), "application/json")

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with fake.lock:
                    fake.requests.append(request)
                    fake.times.append(time.monotonic())
                    fake.active += 1
                    fake.most_active = max(fake.active, fake.most_active)
                try:
                    self.answer(request, fake.reply(request))
                finally:
                    with fake.lock:
                        fake.active -= 1

            def answer(self, request: dict[str, Any], reply: Reply) -> None:
                time.sleep(reply.hangs)
                if reply.raw is not None:
                    self.send(reply.status, reply.raw, "application/json")
                elif reply.status >= 400:
                    body = json.dumps({"error": reply.error}).encode()
                    self.send(reply.status, body, "application/json", **reply.headers)
                elif request.get("stream"):
                    events = [json.dumps(chunk) for chunk in reply.chunks(request["model"])]
                    lines = "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])
                    self.send(200, lines.encode(), "text/event-stream")
                else:
                    body = json.dumps(reply.body(request["model"])).encode()
                    self.send(200, body, "application/json")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def replies(self, *replies: Reply) -> None:
        """Give these replies in turn, and then repeat the last one."""
        queue = list(replies)
        self.reply = lambda _: queue.pop(0) if len(queue) > 1 else queue[0]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
