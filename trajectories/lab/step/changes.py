"""What changed from the step before: screenshot, accessibility tree, thought."""

from __future__ import annotations

from dataclasses import dataclass

from trajectories.lab.queries import steps
from trajectories.lab.step.diffs import Diff, lines_diff, words_diff
from trajectories.lab.step.picture_diff import PictureDiff, pictures_diff
from trajectories.lab.text.long_text import Shown, shown
from trajectories.models import Step

COMPARED = ("thought", "observation_text", "screenshot", "url")


@dataclass(frozen=True, kw_only=True)
class StepChanges:
    """``thoughts`` are those of both steps, for thoughts that are too different to diff."""

    before: Step
    picture: PictureDiff
    tree: Diff
    thought: Diff
    thoughts: list[tuple[int, Shown]]


def step_changes(step: Step) -> StepChanges | None:
    """None for the first step."""
    number, _ = steps.step_neighbours(episode_id=step.episode_id, index=step.index)
    if number is None:
        return None
    before = Step.objects.only(*COMPARED).get(episode_id=step.episode_id, index=number)
    return StepChanges(
        before=before,
        picture=pictures_diff(before.screenshot, step.screenshot),
        tree=lines_diff(before.observation_text, step.observation_text),
        thought=words_diff(before.thought, step.thought),
        thoughts=[(one.index, shown(one.thought)) for one in (before, step)],
    )
