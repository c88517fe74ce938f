"""The evidence of episodes: task, answer and the policy's own steps. It reads no gold and no verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from trajectories.judges.prompt import Attempt
from trajectories.models import Episode, Step, Submission


def attempts_read(episode_ids: Sequence[int]) -> list[Attempt]:
    """Return the parts of these episodes that judges may see, in the episodes' order."""
    prompts = dict(Episode.objects.filter(pk__in=episode_ids).values_list("pk", "task__prompt"))
    answers = dict(Submission.objects.filter(episode_id__in=episode_ids).values_list("episode_id", "answer"))
    steps: dict[int, list[Step]] = {}
    for step in _steps(episode_ids):
        steps.setdefault(step.episode_id, []).append(step)
    return [
        _attempt(one, prompts[one], answers.get(one), steps.get(one, []))
        for one in episode_ids
        if one in prompts
    ]


def _steps(episode_ids: Sequence[int]) -> Iterator[Step]:
    """The policy's: what a person did in its place earns it nothing."""
    rows = Step.objects.filter(episode_id__in=episode_ids).exclude(actor=Step.Actor.PERSON)
    columns = ("episode_id", "index", "thought", "action", "observation_text")
    return rows.only(*columns).order_by("episode_id", "index").iterator()


def _attempt(episode: int, prompt: str, answer: str | list[str] | None, steps: Sequence[Step]) -> Attempt:
    actions = [f"{step.index}. {msgspec.json.encode(step.action).decode()}" for step in steps if step.action]
    thoughts = [f"{step.index}. {step.thought}" for step in steps if step.thought]
    lines = answer if isinstance(answer, list) else [answer or ""]
    return Attempt(
        episode=episode,
        texts={
            "task": prompt,
            "answer": "\n".join(lines),
            "actions": "\n".join(actions),
            "thoughts": "\n".join(thoughts),
            "last_page": steps[-1].observation_text if steps else "",
        },
    )
