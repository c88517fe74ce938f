"""A step's screenshot, and SVG shapes that show on top of it what the step did, in the page's CSS pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.storage import blobs, thumbnails
from trajectories.actions.marks import Box, Marks
from trajectories.models import PageEvent, Picture, Step
from trajectories.record.capture.marks import scale_of
from trajectories.shell.queries import replays
from trajectories.shell.queries.steps import HAS_PICTURE
from trajectories.shell.screenshots.marks import step_marks

ARROW_SHARE = 0.5
ARROW_LEAST = 60.0
HEAD = 16.0
LABEL_HEIGHT = 26.0
LETTER = 8.6
GAP = 8.0
TALL = 1.6


@dataclass(frozen=True, kw_only=True)
class Label:
    """A label with ``text`` in a box of ``width`` at ``x``, ``y``."""

    text: str
    x: float
    y: float
    width: float

    @property
    def text_x(self) -> float:
        return self.x + GAP

    @property
    def text_y(self) -> float:
        return self.y + LABEL_HEIGHT * 0.7


@dataclass(frozen=True, kw_only=True)
class Overlay:
    """The shapes on top of a screenshot. The picture is ``pixels`` large, the page ``size``."""

    pixels: tuple[int, int]
    size: tuple[float, float]
    point: tuple[float, float] | None = None
    box: Box | None = None
    arrow: str = ""
    label: Label | None = None

    @property
    def is_tall(self) -> bool:
        """True for a whole page's picture, which is scrolled; a window's picture is fitted to the card."""
        return self.pixels[1] > TALL * self.pixels[0]

    @property
    def has_marks(self) -> bool:
        return bool(self.point or self.box or self.arrow or self.label)


@dataclass(frozen=True)
class AfterPicture:
    """A screenshot of the page after the action, taken in step ``index``."""

    index: int
    sha256: str


def after_picture(episode_id: int, *, index: int | None) -> AfterPicture | None:
    """Return the screenshot of step ``index``, or None if it has none that can be shown."""
    if index is None:
        return None
    row = Step.objects.filter(HAS_PICTURE, episode_id=episode_id, index=index).values_list(
        "index", "screenshot"
    )
    first = row.first()
    return AfterPicture(*first) if first else None


@dataclass(frozen=True, kw_only=True)
class Screenshot:
    """A step's screenshot. If it cannot be shown, ``problem`` is the reason and there is no overlay."""

    is_uploaded: bool
    overlay: Overlay | None
    problem: str = ""


def step_screenshot(step: Step, *, is_uploaded: bool, events: Sequence[PageEvent] | None) -> Screenshot:
    """Describe a step's screenshot. ``events`` are the step's page events; None if they are not known yet."""
    overlay = _overlay(step, events) if is_uploaded else None
    problem = "" if overlay else _problem(step, is_uploaded=is_uploaded)
    return Screenshot(is_uploaded=is_uploaded, overlay=overlay, problem=problem)


def _overlay(step: Step, events: Sequence[PageEvent] | None) -> Overlay | None:
    """Build the overlay; return None if the picture's size cannot be read."""
    row = Picture.objects.filter(pk=step.screenshot, state=Picture.State.OK).only("width", "height").first()
    pixels = (row.width, row.height) if row else thumbnails.picture_size(step.screenshot)
    if not pixels or not all(pixels):
        return None
    drawn = step_marks(step, events=events)
    scale = scale_of(pixels=pixels[0], css_pixels=drawn.css_width)
    size = (round(pixels[0] / scale, 1), round(pixels[1] / scale, 1))
    shapes = drawn.marks.in_css_pixels(scale)
    return Overlay(
        pixels=pixels,
        size=size,
        point=_inside(shapes.point, size) if shapes.point else None,
        box=shapes.box,
        arrow=_arrow(shapes.scroll, size) if shapes.scroll else "",
        label=_label(shapes, size) if shapes.text else None,
    )


def _problem(step: Step, *, is_uploaded: bool) -> str:
    if not step.screenshot:
        return "No screenshot was posted with this step."
    if not is_uploaded and replays.is_pruned(step.episode_id, "screenshots"):
        return "It was pruned by `manage.py prune`, because the episode is old."
    if not is_uploaded:
        return "It was announced but has not been uploaded."
    if not blobs.blob_exists(step.screenshot):
        return "Its file is missing from the store."
    return "Its file is damaged or not a picture."


def _inside(point: tuple[float, float], size: tuple[float, float]) -> tuple[float, float]:
    return min(max(point[0], 0), size[0]), min(max(point[1], 0), size[1])


def _arrow(scroll: tuple[float, float], size: tuple[float, float]) -> str:
    """Return the SVG path of an arrow of limited length through the middle, in the scrolling direction."""
    dx, dy = scroll
    distance = (dx**2 + dy**2) ** 0.5
    length = min(max(distance, ARROW_LEAST), ARROW_SHARE * min(size))
    ux, uy = dx / distance, dy / distance
    x, y = size[0] / 2 - ux * length / 2, size[1] / 2 - uy * length / 2
    tip = (x + ux * length, y + uy * length)
    wings = [(tip[0] - HEAD * (ux + side * uy), tip[1] - HEAD * (uy - side * ux)) for side in (1.0, -1.0)]
    (ax, ay), (bx, by) = wings
    return (
        f"M{x:.1f} {y:.1f}L{tip[0]:.1f} {tip[1]:.1f}M{ax:.1f} {ay:.1f}L{tip[0]:.1f} {tip[1]:.1f}"
        f"L{bx:.1f} {by:.1f}"
    )


def _label(shapes: Marks, size: tuple[float, float]) -> Label:
    """Place the label below the box, or above it if there is no room; without a box, at the page's foot."""
    width = min(len(shapes.text) * LETTER + 2 * GAP, max(size[0] - 2 * GAP, 3 * GAP))
    x, y = (size[0] - width) / 2, size[1] - LABEL_HEIGHT - GAP
    if shapes.box:
        left, top, _, height = shapes.box
        x, y = left, top + height + GAP
        if y + LABEL_HEIGHT > size[1]:
            y = top - LABEL_HEIGHT - GAP
    x, y = _inside((x, y), (max(size[0] - width, 0), max(size[1] - LABEL_HEIGHT, 0)))
    return Label(text=shapes.text, x=x, y=y, width=width)
