"""The caption of a step's picture, for papers."""

from __future__ import annotations

from trajectories.actions.elements import target_description
from trajectories.capture.captions import CHARS, Caption
from trajectories.lab.text.actions import action_phrase
from trajectories.lab.text.untrusted import visible
from trajectories.models import Episode, Step

# Masking changes the length of a text; nothing past this is ever shown.
READ_CHARS = 4 * CHARS
PART_CHARS = 160


def caption_of(episode: Episode, step: Step) -> Caption:
    """Step and action, the beginning of the thought, task and model; tokens masked."""
    target = target_description(step.action, observation=step.observation_text)
    phrase = action_phrase(step.action, target=target)
    where = phrase.where and f"on {phrase.where}"
    quoted = phrase.what and f"“{phrase.what}”"
    action = " ".join(part for part in (phrase.verb, quoted, where) if part)
    task, run = episode.task, episode.run
    source = (
        f"{task.benchmark_id}/{task.split}/{task.key}",
        run.model or "unnamed model",
        "simulated" if run.simulated else "",
        f"arm {episode.arm}",
        f"episode {episode.pk}",
    )
    return Caption(
        title=f"Step {step.index} · {visible(action[:READ_CHARS])}"
        + (f" → {visible(step.action_result)}" if step.action_result else ""),
        thought=visible(step.thought.strip()[:READ_CHARS]),
        source=" · ".join(visible(part[:PART_CHARS]) for part in source if part),
    )
