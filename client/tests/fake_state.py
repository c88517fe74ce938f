"""What the fake server knows."""

from __future__ import annotations

import threading
from typing import Any

from fake_interventions import intervention_of
from fake_pages import QUESTION

GOLD = "42"
GROUPS = 1_000  # the groups of continuations have numbers above
STATE_FIELDS = ("id", "task", "group", "arm", "sample_index", "max_steps", "presentation_hash")
TOOL_CALLS_MAX = 2
FORK_FIELDS = ("parent", "begins_after")


class State:
    """The state of the server; tests inspect it."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.episodes: dict[int, dict[str, Any]] = {}
        self.verdicts: list[dict[str, Any]] = []
        self.blobs: dict[str, bytes] = {}
        self.requests: list[tuple[str, str, str | None]] = []  # arena: method, path, step header
        self.calls: list[tuple[str, str]] = []  # lab: method, path
        self.keys: dict[str, Any] = {}
        self.extra = ""
        self.check = ""  # the request to check a first answer; none where it is empty
        self.fail_next: list[tuple[int, dict[str, str]]] = []
        self.is_down = False  # a part of the installation is, and health says so
        self.arena_failures: list[int] = []  # what its next pages are instead; 0 is no answer at all
        self.steps_unanswered = 0  # so many posts of steps are stored, and their answers lost
        self.steps_of_others: dict[
            int, dict[str, Any]
        ] = {}  # stored just before a step of this index arrives
        self.refusals: dict[str, str] = {}  # codes of what is answered 409: "2/resume" of episode 2
        self.held: dict[int, int] = {}  # the last step of the agent, by episode that a person holds
        self.recipe: dict[str, Any] = {}  # of all forks
        self.kind = "free_answer"  # of the benchmark's tasks
        self.tools: list[str] = []  # of every task, in arms without a page
        self.tool_calls: list[dict[str, Any]] = []
        self.max_steps = 6
        self.tasks_per_call = 1_000
        self.runs: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self.results: list[dict[str, Any]] = []  # of lists that are only read
        self.interventions: list[dict[str, Any]] = []
        self.drawn = set("12345")  # tasks whose question has a picture
        self.report_files: dict[str, bytes] = {}
        self.exports: list[dict[str, Any]] = []  # what the next calls answer, the last one for ever
        self.prompt_sizes: dict[str, list[dict[str, Any]]] = {}
        self.question = QUESTION
        self.pictured: list[dict[str, Any]] = []  # parts of the prompt that are pictures
        self.pages: dict[str, str] = {}  # more pages of every episode, by their path below it
        self.delays: dict[str, float] = {}  # seconds, by the path of a page

    @property
    def prompt(self) -> list[dict[str, Any]]:
        text = {"type": "text", "text": self.question}
        return [{"role": "user", "content": [text, *self.pictured] if self.pictured else self.question}]

    def write_intervention(self, episode: int, **body: Any) -> dict[str, Any]:
        """Store an intervention without continuations, as a person in the lab does."""
        body = {"author": "ana", "author_kind": "person", "count": 0, **body}
        number = len(self.interventions) + 1
        made = intervention_of(self.episodes[episode], body, number=number, group=GROUPS + number)
        self.interventions.append(made)
        return made

    def judge(self, episode: dict[str, Any], *, outcome: str, reason: str, truncated: bool = False) -> None:
        reward = {"correct": 1.0, "incorrect": 0.0, "void": None}[outcome]
        verdict = {"outcome": outcome, "reward": reward, "reason": reason}
        is_void = verdict["outcome"] == "void"
        verdict.update({"terminated": not truncated and not is_void, "truncated": truncated})
        with self.lock:
            if episode["verdict"] is None:
                episode.update(verdict=verdict, status="finished")
                streamed = {"episode": episode["id"], "group": episode["group"], "verdict": verdict}
                self.verdicts.append(streamed)
                self.lock.notify_all()

    def rewards_of(self, episode: dict[str, Any], *, profile: str) -> dict[str, Any]:
        """A quarter for readable completions, beside the verdict's reward."""
        reward = episode["verdict"]["reward"]
        last = len(episode["steps"])
        return {
            "episode": episode["id"],
            "profile": f"{profile}@0123456789ab",
            "total": None if reward is None else reward + 0.25,
            "terms": {"outcome": reward, "syntax": 0.25},
            "components": {"outcome": reward, "syntax": 1.0},
            "steps": [{"step": last, "paid": None if reward is None else reward + 0.25}],
        }

    def tool_call(self, episode: dict[str, Any], **made: Any) -> tuple[int, dict[str, Any]]:
        """Tools answer with what they were given; of three calls no more than two are made."""
        if made not in self.tool_calls:
            self.tool_calls.append(made)
        if len(self.tool_calls) > TOOL_CALLS_MAX:
            return 409, {"error": {"code": "no_calls_left", "message": "There are no more."}}
        is_ok = made["tool"] in episode["tools"]
        text = " ".join(made["arguments"].values()) if is_ok else f"There is no tool {made['tool']!r}."
        used = len(self.tool_calls)
        return 200, {"number": used, "text": text, "is_ok": is_ok, "used": used, "limit": TOOL_CALLS_MAX}

    def submit(self, episode: dict[str, Any], answer: str) -> None:
        is_right = answer.strip() == GOLD
        episode["answer"] = answer
        self.judge(episode, outcome="correct" if is_right else "incorrect", reason="answer")

    def state_of(self, episode: dict[str, Any]) -> dict[str, Any]:
        verdict = episode["verdict"] or {}
        return {
            **{name: episode[name] for name in STATE_FIELDS},
            **{name: episode[name] for name in FORK_FIELDS if name in episode},
            "run": episode["body"]["run"],
            "status": episode["status"],
            "steps_used": len(episode["steps"]),
            "terminated": verdict.get("terminated", False),
            "truncated": verdict.get("truncated", False),
            "verdict": episode["verdict"],
        }


def trajectory_of(episode: dict[str, Any]) -> dict[str, Any]:
    absent = ("action", "action_result", "observation", "parse_error", "result_message", "screenshot")
    blank = dict.fromkeys((*absent, "usage"))
    steps = [{**blank, **step} for _, step in sorted(episode["steps"].items())]
    parts = {"steps": steps, "site_events": episode["events"], "submission": episode["answer"]}
    fork = {name: episode[name] for name in FORK_FIELDS if name in episode}
    return {"run": 7, "arm": episode["arm"], **fork, **parts, "verdict": episode["verdict"]}
