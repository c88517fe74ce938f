"""What stands below a step's picture in a paper."""

from __future__ import annotations

from trajectories.actions.elements import target_description
from trajectories.capture.captions import CHARS, Caption
from trajectories.lab.text.actions import action_phrase
from trajectories.lab.text.untrusted import visible
from trajectories.models import Episode, Step

# Masking and naming make a text longer or shorter; of a megabyte nothing past this is shown.
READ_CHARS = 4 * CHARS
PART_CHARS = 160


def caption_of(episode: Episode, step: Step) -> Caption:
    """Step and action, the beginning of its thought, and of which task and model it is; tokens masked."""
    target = target_description(step.action, observation=step.observation_text)
    phrase = action_phrase(step.action, target=target)
    where = phrase.where and f"on {phrase.where}"
    did = " ".join(part for part in (phrase.verb, _quoted(phrase.what), where) if part)
    task, run = episode.task, episode.run
    source = (
        f"{task.benchmark_id}/{task.split}/{task.key}",
        run.model or "model not named",
        "simulated" if run.simulated else "",
        f"arm {episode.arm}",
        f"episode {episode.pk}",
    )
    return Caption(
        title=f"Step {step.index} · {visible(did[:READ_CHARS])}"
        + (f" → {visible(step.action_result)}" if step.action_result else ""),
        thought=visible(step.thought.strip()[:READ_CHARS]),
        source=" · ".join(visible(part[:PART_CHARS]) for part in source if part),
    )


def _quoted(text: str) -> str:
    return f"“{text}”" if text else ""
