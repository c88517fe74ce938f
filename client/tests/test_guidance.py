"""The calls about guidance: what they send, and the records that they read."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from palaestra import Client
from palaestra.api.guidance import Abstraction, StepTries
from palaestra.completion import Completion

ABSTRACTION = {
    "id": 3,
    "task": 9,
    "text": "Count first.",
    "sha256": "f",
    "author": "writer",
    "run": 7,
    "episode": None,
    "created_at": "2026-11-29T10:00:00Z",
    "solvers": {"runs": [8], "opened": 4, "judged": 2, "correct": 1, "mean": 0.5},
}
SHARE = {"tasks": 1, "episodes": 2, "mean": 0.5}
TRIES = {"task": 9, "of": 4, "shortest": 2, "tries": [{"steps": 2, "judged": 3, "correct": 1}]}
ANSWERS = {
    "abstractions": {"results": [ABSTRACTION], "next": None},
    "abstractions/3": ABSTRACTION,
    "runs/8/abstractions": {"with": SHARE, "without": SHARE, "best": SHARE, "written_in": [7]},
    "runs/8/prefixes": {"results": [TRIES], "next": "YWZ0ZXI6OQ"},
}


class Recorder:
    """Answers a client's calls from a table, and keeps them."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, dict[str, Any]]] = []

    async def call(self, method: str, path: str, *, answer: Any, **sent: Any) -> Any:
        short = path.removeprefix("/api/v1/")
        self.calls.append((method, short, sent.get("body") or sent.get("params") or {}))
        return msgspec.convert(ABSTRACTION if method == "POST" else ANSWERS[short], answer)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def client(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> Client:
    made = Client("http://127.0.0.1:1", "key")
    monkeypatch.setattr(made._lab, "call", recorder.call)
    return made


async def test_an_abstraction_is_stored_and_read_with_its_reward(client: Client, recorder: Recorder) -> None:
    stored = await client.abstraction_create(task=9, text="Count first.", run=7)
    assert stored == await client.abstraction(3)
    assert isinstance(stored, Abstraction)
    assert (stored.run, stored.episode, stored.solvers.mean) == (7, None, 0.5)
    (page,) = (await client.abstractions(run=7)).results
    assert page == stored
    sent = {"task": 9, "text": "Count first.", "run": 7}
    assert recorder.calls[0] == ("POST", "abstractions", sent)
    assert recorder.calls[2] == ("GET", "abstractions", {"task": None, "run": 7, "cursor": None})


async def test_the_report_of_a_solvers_run_is_read(client: Client) -> None:
    report = await client.run_abstractions(8)
    assert (report.with_.mean, report.best.tasks, report.written_in) == (0.5, 1, [7])


async def test_tries_are_read_by_kind(client: Client, recorder: Recorder) -> None:
    page = await client.run_prefixes(8, guidance="start_state")
    assert page.next == "YWZ0ZXI6OQ"
    assert page.results[0].tries == [StepTries(steps=2, judged=3, correct=1)]
    assert recorder.calls[0][2]["guidance"] == "start_state"


def test_a_scripted_policy_says_who_acts() -> None:
    assert Completion(text="x", actor="oracle").actor == "oracle"
