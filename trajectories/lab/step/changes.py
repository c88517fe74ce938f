"""Changes of the screenshot, accessibility tree and thought since the previous step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageChops

from core.storage import thumbnails
from trajectories.models import Step
from trajectories.shell.queries import steps
from trajectories.shell.text.diffs import Diff, lines_diff, words_diff
from trajectories.shell.text.long_text import Shown, shown

COMPARED = ("thought", "observation_text", "screenshot", "url")
# Both pictures are first shrunk to this width: a changed word is still noticed, and a page loads fast enough.
WIDTH = 800
PIXELS_MAX = 1_200_000
# The largest difference (out of 255) that is ignored; compression and font smoothing stay below it.
TOLERANCE = 24

State = Literal["same", "changed", "other_size", "missing"]


@dataclass(frozen=True, kw_only=True)
class PictureDiff:
    """The changed part of a picture. ``box`` (x, y, width, height) and ``share`` are fractions of it."""

    state: State
    box: tuple[float, float, float, float] | None = None
    share: float = 0.0


@dataclass(frozen=True, kw_only=True)
class StepChanges:
    """The changes between two steps. ``thoughts`` has both thoughts in case they differ too much to diff."""

    before: Step
    picture: PictureDiff
    tree: Diff
    thought: Diff
    thoughts: list[tuple[int, Shown]]


def step_changes(step: Step) -> StepChanges | None:
    """Compare a step with the previous one; return None for the first step."""
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


def pictures_diff(before: str, after: str) -> PictureDiff:
    """Compare two pictures, given by their hashes; an empty hash means that there is no picture."""
    if before and before == after:
        return PictureDiff(state="same")
    one, other = _read(before), _read(after)
    if one is None or other is None:
        return PictureDiff(state="missing")
    if one.size != other.size:
        return PictureDiff(state="other_size")
    return _difference(one, other)


def _read(sha256: str) -> Image.Image | None:
    picture = thumbnails.picture_read(sha256) if sha256 else None
    if picture is None:
        return None
    picture.thumbnail((WIDTH, PIXELS_MAX // WIDTH))
    return picture


def _difference(one: Image.Image, other: Image.Image) -> PictureDiff:
    changed = ImageChops.difference(one, other).convert("L").point(lambda value: 255 * (value > TOLERANCE))
    box = changed.getbbox()
    if box is None:
        return PictureDiff(state="same")
    width, height = changed.size
    left, top, right, bottom = box
    return PictureDiff(
        state="changed",
        box=(left / width, top / height, (right - left) / width, (bottom - top) / height),
        share=changed.histogram()[255] / (width * height),
    )
