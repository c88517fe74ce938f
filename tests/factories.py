"""Rows for tests, with sensible defaults."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

from django.db.models import F

from core.episodes.presentation import Look
from tasks_app.models import Benchmark, Gold, Task
from trajectories.models import Episode, Group, Intervention, Report, Run, Step, Verdict, VerdictCounter
from trajectories.record import hot_sql

_numbers = itertools.count(1)
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
GOLD_CANARY = "gold-canary-7351"


def benchmark(**fields: Any) -> Benchmark:
    values = {
        "id": "gsm8k",
        "title": "GSM8K",
        "kind": "free_answer",
        "license": "MIT",
        "source": "hand-written",
        "verifier_official": "numeric-v1",
        "verifier_training": "numeric-v1",
        **fields,
    }
    return Benchmark.objects.get_or_create(id=values["id"], defaults=values)[0]


def task(*, answer: str = "42", solution: str = GOLD_CANARY, **fields: Any) -> Task:
    """Create a task with a current gold."""
    number = next(_numbers)
    values = {
        "benchmark": fields.pop("benchmark", None) or benchmark(),
        "split": "train",
        "key": str(number),
        "kind": "free_answer",
        "prompt": f"What is {number} plus something?",
        "payload": {"text": f"What is {number} plus something?", "format": "plain"},
        "content_hash": str(number),
        **fields,
    }
    made = Task.objects.create(**values)
    Gold.objects.create(task=made, version=1, answer=answer, solution=solution)
    return made


def report(**fields: Any) -> Report:
    plan = {
        "version": 1,
        "name": "plan",
        "model": {"name": "model"},
        "benchmarks": [{"slug": "gsm8k", "split": "train"}],
        "arms": ["text_zero_shot", "gym"],
        **fields.pop("plan", {}),
    }
    return Report.objects.create(**{"name": f"report {next(_numbers)}", "plan": plan, **fields})


def run(**fields: Any) -> Run:
    made = Run.objects.create(**{"name": f"run {next(_numbers)}", "kind": "eval", "model": "model", **fields})
    VerdictCounter.objects.create(run=made)
    return made


def group(**fields: Any) -> Group:
    values = {"arm": "gym", "seed": 1, "template": "prompts-v7a", **fields}
    values.setdefault("run", None)
    values["run"] = values["run"] or run()
    values["task"] = values.get("task") or task()
    return Group.objects.create(**values)


def episode(*, status: str = "open", **fields: Any) -> Episode:
    """Create an open episode; use ``verdict`` to finish it."""
    owner = fields.pop("group", None) or group(
        **{name: fields[name] for name in ("run", "task", "arm") if name in fields}
    )
    look = Look()
    values = {
        "run": owner.run,
        "task": owner.task,
        "group": owner,
        "arm": owner.arm,
        "sample_index": owner.episodes.count(),
        "seed": 7,
        "presentation": look.as_dict(),
        "presentation_hash": look.digest(),
        "max_steps": 8,
        "answer_channel": "page",
        "virtual_start": START,
        "status": status,
        **fields,
    }
    Group.objects.filter(pk=owner.pk).update(size=F("size") + 1, completed_seq=None)
    return Episode.objects.create(**values)


def step(of: Episode, index: int = 1, **fields: Any) -> Step:
    values = {"thought": f"thought {index}", "action": {"type": "noop"}, "action_type": "noop", **fields}
    return Step.objects.create(episode=of, index=index, content_hash=b"\0" * 16, **values)


def intervention(of: Episode, **fields: Any) -> Intervention:
    """Create an intervention at the start of an episode's first step, with an empty continuation group."""
    values = {"step": 1, "substep": 1, "copied": "", "text": "Wait.", "sha256": "0" * 64, **fields}
    values.setdefault("group", group(run=of.run, task=of.task, arm=of.arm))
    return Intervention.objects.create(episode=of, author_kind="policy", **values)


def submission(of: Episode, answer: str | list[str] = "42", *, number: int = 1) -> None:
    hot_sql.submission_write(episode_id=of.pk, answer=answer, channel=of.answer_channel, number=number)
    of.refresh_from_db()


def end_move(of: Episode, *, at: Any) -> None:
    """Change the time at which an episode ended."""
    Episode.objects.filter(pk=of.pk).update(finished_at=at)
    Verdict.objects.filter(episode=of, run_seq__isnull=False).update(created_at=at)


def verdict(of: Episode, outcome: str = "correct", reason: str = "answer", **fields: Any) -> None:
    """Finish an episode with the same SQL statement that all other code uses."""
    ending = hot_sql.Ending(episode=of.pk, outcome=outcome, reason=reason, **fields)
    hot_sql.finish_many(run_id=of.run_id, endings=[ending], statuses=["open", "submitted"])
    of.refresh_from_db()
