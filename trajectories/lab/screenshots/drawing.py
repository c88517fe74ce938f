"""A step's screenshot with what the step did drawn on it."""

from __future__ import annotations

from PIL import Image

from core import thumbnails
from trajectories.capture import marks
from trajectories.lab.screenshots.marks import StepMarks
from trajectories.models import Picture, Step

# A picture that would have more pixels than this is not enlarged.
ENLARGED_PIXELS_MAX = 24_000_000


def step_draw(
    step: Step, found: StepMarks, *, is_small: bool = False, enlarged: int = 1
) -> Image.Image | None:
    """None where the step has no screenshot that can be shown; ``is_small`` is a thumbnail.

    ``enlarged`` times as wide and high, with marks that are drawn and not enlarged.
    """
    picture = thumbnails.thumbnail_read(step.screenshot) if is_small else None
    is_whole = picture is None
    picture = picture or (thumbnails.picture_read(step.screenshot) if step.screenshot else None)
    if picture is None:
        return None
    css_width = found.css_width
    if css_width is None and not is_whole:
        # A page that said nothing of its window is taken to have one pixel for one.
        noted = Picture.objects.filter(pk=step.screenshot).only("width").first()
        css_width = noted.width if noted else None
    if is_small and is_whole:
        css_width = css_width or picture.width
        picture.thumbnail(thumbnails.SIZE)
    scale = marks.scale_of(pixels=picture.width, css_pixels=css_width)
    if picture.width * picture.height * enlarged**2 <= ENLARGED_PIXELS_MAX and enlarged > 1:
        picture = picture.resize(
            (picture.width * enlarged, picture.height * enlarged), Image.Resampling.LANCZOS
        )
        scale *= enlarged
    return marks.marks_draw(picture, found.marks, scale=scale)
