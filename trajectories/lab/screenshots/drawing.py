"""A step's screenshot as an image file with the step's marks drawn on it."""

from __future__ import annotations

from PIL import Image

from core import thumbnails
from trajectories.capture import marks
from trajectories.lab.screenshots.marks import StepMarks
from trajectories.models import Picture, Step

# A picture that would have more pixels than this is not enlarged.
ENLARGED_PIXELS_MAX = 24_000_000


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
    css_width = step_marks.css_width
    if css_width is None and not is_whole:
        # A page that did not report its window is assumed to have one CSS pixel per pixel.
        row = Picture.objects.filter(pk=step.screenshot).only("width").first()
        css_width = row.width if row else None
    if is_small and is_whole:
        css_width = css_width or picture.width
        picture.thumbnail(thumbnails.SIZE)
    scale = marks.scale_of(pixels=picture.width, css_pixels=css_width)
    if picture.width * picture.height * enlarged**2 <= ENLARGED_PIXELS_MAX and enlarged > 1:
        picture = picture.resize(
            (picture.width * enlarged, picture.height * enlarged), Image.Resampling.LANCZOS
        )
        scale *= enlarged
    return marks.marks_draw(picture, step_marks.marks, scale=scale)
