"""A training run with policy versions, and evaluations of its checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.utils import timezone

from tasks_app.models import Task
from tests import factories
from trajectories.models import EpisodeFacts, PolicyVersion, Run

CHECKPOINTS = ("base", "step-1", "step-2")
Outcome = Callable[[int, int], str]


def right_if(condition: bool) -> str:
    return "correct" if condition else "incorrect"


def training_run(**fields: Any) -> Run:
    return factories.run(**{"kind": "train", "model": "tiny", "checkpoint": CHECKPOINTS[0], **fields})


def version_add(run: Run, version: int, *, checkpoint: str = "") -> None:
    PolicyVersion.objects.create(run=run, version=version, checkpoint=checkpoint)


def version_play(
    run: Run, version: int, tasks: Sequence[Task], outcome: Outcome, *, samples: int = 4, **facts: Any
) -> None:
    """Play a group per task; its samples have the outcomes ``outcome(task, sample)`` and the same facts."""
    for place, task in enumerate(tasks):
        group = factories.group(run=run, task=task, policy_version=version)
        for sample in range(samples):
            made = factories.episode(group=group, sample_index=sample, policy_version=version)
            ended = outcome(place, sample)
            factories.verdict(made, ended, "harness_error" if ended == "void" else "answer")
            facts_add(made.pk, **facts)


def facts_add(episode_id: int, **facts: Any) -> None:
    values = {"steps": 4, "invalid_actions": 0, "thought_words": 40.0, "restates": 0.1, **facts}
    counts = ("no_effect", "different_effect", "unexplained", "confirmed", "unexplained_events", "loops")
    more = ("backtracks", "page_changes", "hidden_thoughts")
    EpisodeFacts.objects.create(
        episode_id=episode_id,
        version=1,
        duration_ms=1.0,
        seen_until=timezone.now(),
        **dict.fromkeys((*counts, *more), 0),
        **values,
    )


def evaluated(
    checkpoint: str, arm: str, tasks: Sequence[Task], right: Callable[[int], bool], **fields: Any
) -> Run:
    """Create an evaluation run of a checkpoint in one arm, with one sample per task."""
    run = factories.run(**{"kind": "eval", "model": "tiny", "checkpoint": checkpoint, **fields})
    for place, task in enumerate(tasks):
        made = factories.episode(group=factories.group(run=run, task=task, arm=arm), presentation_hash="")
        factories.verdict(made, "correct" if right(place) else "incorrect")
    return run


def trained_run() -> Run:
    """Create a run that was trained on gsm8k and evaluated on math, at the start and at version 2.

    Of 40 items, the text arm improves from 30 to 32 correct answers, and the page arm from 10 to 25.
    """
    run = training_run()
    for version, checkpoint in enumerate(CHECKPOINTS[1:], 1):
        version_add(run, version, checkpoint=checkpoint)
    version_play(run, 1, [factories.task()], lambda task, sample: right_if(sample > 0))
    math = factories.benchmark(id="math", title="MATH")
    tasks = [factories.task(benchmark=math) for _ in range(40)]
    for checkpoint, text, page in (("base", 30, 10), ("step-2", 32, 25)):
        evaluated(checkpoint, "text_zero_shot", tasks, lambda task, right=text: (task * 7) % 40 < right)
        evaluated(checkpoint, "gym", tasks, lambda task, right=page: task < right)
    return run
