"""A judge for tests: episodes whose answers say whether they are good, and an endpoint with known errors."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests import factories
from trajectories.models import Episode

GOOD, BAD = "It holds.", "It does not."
CRITERIA = """
[[criteria]]
id = "grounded"
kind = "outcome"
question = "Does the answer follow from the last page?"
evidence = ["task", "answer", "last_page"]
weight = 3
choices = [
    { id = "yes", text = "It follows.", counts = "met" },
    { id = "no", text = "It does not follow.", counts = "not_met" },
    { id = "no_page", text = "The page did not load.", counts = "uncontrollable" },
]

[[criteria]]
id = "direct"
kind = "process"
question = "Did every action serve the task?"
evidence = ["task", "actions"]
choices = [
    { id = "all", text = "All did.", counts = "met" },
    { id = "some", text = "Some did not.", counts = "not_met" },
]
"""
ONE = CRITERIA.partition('\n[[criteria]]\nid = "direct"')[0]
Answer = Callable[[str, str], str | int]
"""A function from a system prompt and an attempt to a reply or an HTTP status."""


def toml(url: str = "http://judge.test/v1", *, name: str = "strict", criteria: str = CRITERIA) -> bytes:
    return f'name = "{name}"\nurl = "{url}"\nmodel = "m"\n{criteria}'.encode()


def grade(choice: str) -> str:
    return json.dumps({"reason": "So it is.", "grade": choice})


def episode(answer: str = GOOD, *, outcome: str = "correct", **fields: Any) -> Episode:
    made = factories.episode(**fields)
    factories.step(made, 1, observation_text="a page", action={"type": "click"}, action_type="click")
    factories.submission(made, answer)
    factories.verdict(made, outcome)
    return made


def answer_in(attempt: str) -> str:
    """Return the final answer that is quoted in a request."""
    match = re.search(r"Final answer:\n<(data-\w+)>\n(.*)\n</\1>", attempt, re.DOTALL)
    assert match is not None
    return match[2]


def erring(*, true_positive: float, true_negative: float, seed: str = "m") -> Answer:
    """Return a judge of one criterion that errs at these rates, depending only on the answer's text."""

    def reply(system: str, attempt: str) -> str:
        answer = answer_in(attempt)
        is_good = answer.startswith(GOOD)
        # Each seed is another draw, and one in twenty draws is outside a 95% interval.
        draw = int(hashlib.sha256(f"{seed} {answer}".encode()).hexdigest()[:8], 16) / 16**8
        is_right = draw < (true_positive if is_good else true_negative)
        return grade("yes" if is_good == is_right else "no")

    return reply


@contextmanager
def endpoint(answer: Answer, *, delay_s: float = 0.0) -> Iterator[str]:
    """Run a server that speaks chat completions, and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            system, attempt = (one["content"] for one in request["messages"])
            reply = answer(system, attempt)
            time.sleep(delay_s)
            message = {"choices": [{"message": {"content": reply}}], "usage": {"prompt_tokens": 7}}
            data = json.dumps({} if isinstance(reply, int) else message).encode()
            self.send_response(reply if isinstance(reply, int) else 200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        # If a client has stopped waiting, that is not an error of the server.
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()
