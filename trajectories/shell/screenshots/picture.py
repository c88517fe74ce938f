"""A step's screenshot as an image file with the step's marks drawn on it, and its caption for papers."""

from __future__ import annotations

from PIL import Image

from core import thumbnails
from trajectories.actions.elements import target_description
from trajectories.models import Episode, Picture, Step
from trajectories.record.capture import marks
from trajectories.record.capture.captions import CHARS, Caption
from trajectories.shell.screenshots.marks import StepMarks
from trajectories.shell.text.actions import action_phrase
from trajectories.shell.text.untrusted import visible

# A picture that would have more pixels than this is not enlarged.
ENLARGED_PIXELS_MAX = 24_000_000
# Masking changes the length of a text; nothing past this is ever shown.
READ_CHARS = 4 * CHARS
PART_CHARS = 160


def step_draw(
    step: Step, step_marks: StepMarks, *, is_small: bool = False, enlarged: int = 1
) -> Image.Image | None:
    """None if the step has no screenshot that can be shown; ``is_small`` is a thumbnail.

    ``enlarged`` scales the picture up; marks are then drawn at full resolution.
    """
    picture = thumbnails.thumbnail_read(step.screenshot) if is_small else None
    is_whole = picture is None
    picture = picture or (thumbnails.picture_read(step.screenshot) if step.screenshot else None)
    if picture is None:
        return None
    width: int | None = picture.width
    if not is_whole:
        row = Picture.objects.filter(pk=step.screenshot).only("width").first()
        width = row.width if row else None
    # A page that did not report its window is assumed to have one CSS pixel per pixel.
    css_width = step_marks.css_width or width
    shapes = step_marks.marks.in_css_pixels(
        marks.scale_of(pixels=width or picture.width, css_pixels=css_width)
    )
    if is_small and is_whole:
        picture.thumbnail(thumbnails.SIZE)
    scale = marks.scale_of(pixels=picture.width, css_pixels=css_width)
    if picture.width * picture.height * enlarged**2 <= ENLARGED_PIXELS_MAX and enlarged > 1:
        picture = picture.resize(
            (picture.width * enlarged, picture.height * enlarged), Image.Resampling.LANCZOS
        )
        scale *= enlarged
    return marks.marks_draw(picture, shapes, scale=scale)


def caption_of(episode: Episode, step: Step) -> Caption:
    """Step and action, the beginning of the thought, task and model; tokens masked."""
    target = target_description(step.action, observation=step.observation_text)
    phrase = action_phrase(step.action, target)
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
