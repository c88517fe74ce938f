"""Tasks whose golds can be recognised if they leak, and episodes judged by them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from gymsite.services.processes import BASE_DIR
from tests.services.installations import Up

GOLDS = {"gsm8k": "730918264455", "math": "640281937466"}
# Correct answers in another form, so that an agent's own text is not mistaken for a leak.
RIGHT = {"gsm8k": "730,918,264,455", "math": "640,281,937,466"}
WRONG = "11"
SOLUTION = "canarysolution"
CANARIES = (*GOLDS.values(), SOLUTION)
COMPUTED_S = 60.0
ARMS = ("gym", "gym_with_text", "text_agent", "text_zero_shot")


@dataclass
class Seen:
    """All responses to a caller: their sources and their bytes, including headers."""

    answers: list[tuple[str, str]] = field(default_factory=list)

    def note(self, answer: httpx.Response) -> httpx.Response:
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        self.answers.append((f"{answer.request.method} {answer.url}", f"{head}\n\n{answer.text}"))
        return answer

    def leaks(self) -> list[str]:
        return [
            f"{canary} in the answer to {call}"
            for call, text in self.answers
            for canary in CANARIES
            if canary in text
        ]


def canaries_load(up: Up, folder: Path) -> None:
    """Load one file for each benchmark, with the command that operators use."""
    rows = {
        "gsm8k": {
            "question": "How many grains of sand does the box hold?",
            "answer": f"It is {SOLUTION}.\n#### {GOLDS['gsm8k']}",
        },
        "math": {
            "problem": "Find $n$ when $n - 1$ is known.",
            "level": "Level 2",
            "type": "Algebra",
            "solution": f"By {SOLUTION} it is $\\boxed{{{GOLDS['math']}}}$.",
        },
    }
    for benchmark, row in rows.items():
        file = folder / f"{benchmark}.jsonl"
        file.write_text(json.dumps(row) + "\n")
        manage(up, "load_benchmark", benchmark, "--file", str(file), "--split", "test")


def manage(up: Up, *arguments: str) -> str:
    """Run a management command while the servers run, and return its output."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=BASE_DIR, env=up.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@dataclass
class Scene:
    """A run with an episode for each arm and each ending.

    ``seen`` includes the responses during its creation.
    """

    http: httpx.Client
    lab: str
    live: str
    key: str
    seen: Seen
    run: int = 0
    report: int = 0
    export: int = 0
    abstraction: int = 0
    intervention: int = 0
    tasks: dict[str, int] = field(default_factory=dict)
    episodes: list[dict[str, Any]] = field(default_factory=list)
    blob: str = ""

    def call(self, method: str, path: str, body: object = None, *, key: str = "", **options: Any) -> Any:
        """Make one API call and record the response, whatever its status."""
        headers = {"Authorization": f"Bearer {key or self.key}"}
        url = path if path.startswith("http") else f"{self.lab}/api/v1{path}"
        return self.seen.note(self.http.request(method, url, json=body, headers=headers, **options))

    @property
    def groups(self) -> list[int]:
        return sorted({episode["group"] for episode in self.episodes})

    @property
    def start_urls(self) -> list[str]:
        return [episode["start_url"] for episode in self.episodes if episode["start_url"]]

    def tokens(self) -> list[str]:
        return [url.rstrip("/").rpartition("/")[2] for url in self.start_urls]

    def make(self) -> None:
        for benchmark in GOLDS:
            (task,) = self.call("GET", f"/tasks?benchmark={benchmark}&split=test").json()["results"]
            self.tasks[benchmark] = task["id"]
        plan = {
            "version": 1,
            "name": "canaries",
            "model": {"name": "none"},
            "benchmarks": [{"slug": benchmark} for benchmark in GOLDS],
            "arms": list(ARMS),
        }
        self.report = self.call("POST", "/reports", {"name": "canaries", "plan": plan}).json()["id"]
        run = {"name": "canaries", "kind": "train", "tags": ["canary"], "report": self.report}
        self.run = self.call("POST", "/runs", run).json()["id"]
        self.call("POST", f"/runs/{self.run}/policy", {"version": 1})
        for arm in ARMS:
            for benchmark in GOLDS:
                self.play(arm, benchmark)
        self.verdicts_wait()
        self._report_compute()

    def verdicts_wait(self) -> None:
        for episode in self.episodes:
            if episode["fate"] != "open":
                record = self.call("GET", f"{self.live}/wait/episodes/{episode['id']}?timeout=30").json()
                assert record["verdict"], record

    def guide(self, key: str) -> None:
        """Store an abstraction and an intervention, using a key that may write guidance."""
        abstraction = {"task": self.tasks["gsm8k"], "text": "Measure the box."}
        self.abstraction = self.call("POST", "/abstractions", abstraction, key=key).json()["id"]
        (parent, *_) = (e["id"] for e in self.episodes if (e["arm"], e["fate"]) == ("text_zero_shot", WRONG))
        words = {"step": 1, "substep": 2, "text": "Is that so?"}
        opened = self.call("POST", f"/episodes/{parent}/interventions", words, key=key).json()
        self.intervention = opened["intervention"]["id"]

    def _drawn(self) -> int:
        """Create a sampler of the run, let it draw, and return its id."""
        body = {
            "run": self.run,
            "strategy": {"kind": "success_band"},
            "tasks": {"ids": list(self.tasks.values()), "evaluation_splits": True},
        }
        sampler = int(self.call("POST", "/samplers", body).json()["id"])
        self.call("POST", f"/samplers/{sampler}/draw", {"count": 1})
        return sampler

    def _report_compute(self) -> None:
        self.sampler = self._drawn()
        export = {"kind": "chat", "runs": [self.run]}
        self.export = self.call("POST", "/exports", export).json()["id"]
        self.call("POST", f"/reports/{self.report}/compute")
        until = time.monotonic() + COMPUTED_S
        while (report := self.call("GET", f"/reports/{self.report}").json())["state"] != "ready":
            assert report["state"] != "failed", report["problem"]
            assert time.monotonic() < until, report
            time.sleep(0.2)

    def play(self, arm: str, benchmark: str) -> None:
        """Play one episode for each ending."""
        opening = {
            "run": self.run,
            "tasks": [self.tasks[benchmark]],
            "arm": arm,
            "samples_per_task": 4,
            "max_steps": 9,
            "policy_version": 1,
        }
        opened = self.call("POST", "/episodes", opening).json()["episodes"]
        fates = (RIGHT[benchmark], WRONG, "closed", "open")
        for episode, fate in zip(opened, fates, strict=True):
            self.episodes.append({**episode, "fate": fate})
            raw = "I look.\n\nI see."
            step = {"index": 1, "thought": raw, "raw": raw, "action": {"type": "noop"}}
            self.call("POST", f"/episodes/{episode['id']}/steps", {"steps": [step]})
            if fate == "closed":
                self.call("POST", f"/episodes/{episode['id']}/close", {"reason": "agent_stopped"})
            elif fate != "open":
                self._answer(episode, fate)
            self.call("POST", f"/episodes/{episode['id']}/steps", {"steps": [{**step, "index": 2}]})

    def _answer(self, episode: dict[str, Any], answer: str) -> None:
        """Answer, on the page if there is one, with a clumsy agent's mistakes before and after."""
        start = episode["start_url"]
        if not start:
            path = f"/episodes/{episode['id']}/submission"
            for text in (answer, answer, "another"):
                self.call("POST", path, {"answer": text})
            return
        self.seen.note(self.http.get(start))
        for text in ("", answer, answer, "another"):
            self.seen.note(self.http.post(f"{start}submit", data={"answer": text}))
        event = {"seq": 1, "kind": "click", "at_ms": 5.0}
        batch = json.dumps({"page": "abcdefgh", "events": [event]})
        self.seen.note(self.http.post(f"{start}events", content=batch))


def scene_make(up: Up, *, key: str, http: httpx.Client, seen: Seen) -> Scene:
    doors = {name: f"http://127.0.0.1:{up.ports[name]}" for name in ("LAB_PORT", "LIVE_PORT")}
    scene = Scene(http=http, lab=doors["LAB_PORT"], live=doors["LIVE_PORT"], key=key, seen=seen)
    scene.make()
    scene.guide(manage(up, "create_key", "--name", "guide", "--scopes", "trainer,guidance"))
    return scene


def words_in(folder: Path, words: list[str]) -> Iterator[str]:
    """Yield each of the words that occurs in a file below ``folder``, with the name of the file."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_bytes()
            yield from (f"{word[:8]}... in {path.name}" for word in words if word.encode() in text)
