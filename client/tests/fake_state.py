"""The state of the fake server."""

from __future__ import annotations

import threading
from typing import Any

from fake_interventions import intervention_of
from fake_pages import QUESTION

GOLD = "42"
GROUPS = 1_000  # groups of continuations have higher numbers
STATE_FIELDS = ("id", "task", "group", "arm", "sample_index", "max_steps", "presentation_hash")
TOOL_CALLS_MAX = 2
FORK_FIELDS = ("parent", "begins_after")


class State:
    """The fake server's state, which tests change and inspect."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.episodes: dict[int, dict[str, Any]] = {}
        self.verdicts: list[dict[str, Any]] = []
        self.blobs: dict[str, bytes] = {}
        self.requests: list[tuple[str, str, str | None]] = []  # to the arena: method, path, step header
        self.calls: list[tuple[str, str]] = []  # to the lab: method, path
        self.keys: dict[str, Any] = {}
        self.extra = ""
        self.check = ""  # the request to check a first answer; if empty, there is none
        self.fail_next: list[tuple[int, dict[str, str]]] = []
        self.is_down = False  # whether ``/health`` reports that a part is down
        self.arena_failures: list[int] = []  # statuses of its next responses; 0 is no response at all
        self.steps_unanswered = 0  # how many posts of steps are stored without a response
        self.steps_of_others: dict[
            int, dict[str, Any]
        ] = {}  # stored just before a step with this index arrives
        self.refusals: dict[str, str] = {}  # error codes for status 409, by path ("2/resume" for episode 2)
        self.held: dict[int, int] = {}  # the agent's last step, by episode that a person has taken over
        self.recipe: dict[str, Any] = {}  # the recipe of all forks
        self.kind = "free_answer"  # the kind of the benchmark's tasks
        self.tools: list[str] = []  # the tools of every task, in arms without a page
        self.tool_calls: list[dict[str, Any]] = []
        self.max_steps = 6
        self.tasks_per_call = 1_000
        self.runs: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self.results: list[dict[str, Any]] = []  # rows of lists that are only read
        self.interventions: list[dict[str, Any]] = []
        self.drawn = set("12345")  # tasks whose question has a picture
        self.report_files: dict[str, bytes] = {}
        self.exports: list[dict[str, Any]] = []  # responses to the next calls; the last one is repeated
        self.prompt_sizes: dict[str, list[dict[str, Any]]] = {}
        self.question = QUESTION
        self.pictured: list[dict[str, Any]] = []  # the pictures in the prompt
        self.pages: dict[str, str] = {}  # more pages of every episode, by path below the episode's
        self.delays: dict[str, float] = {}  # delays in seconds, by a page's path

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
        """Return the payment: the verdict's reward, plus 0.25 for readable completions."""
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
        """Answer a tool call with its own arguments; a third call is refused."""
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
