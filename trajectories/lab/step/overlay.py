"""What a step did, as shapes for an SVG that lies on its screenshot. Units: CSS pixels of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core import blobs, thumbnails
from trajectories.actions.marks import Box, Marks
from trajectories.capture.marks import scale_of
from trajectories.lab.screenshots.marks import step_marks
from trajectories.models import PageEvent, Picture, Step

ARROW_SHARE = 0.5
ARROW_LEAST = 60.0
HEAD = 16.0
LABEL_HEIGHT = 26.0
LETTER = 8.6
GAP = 8.0
TALL = 1.6


@dataclass(frozen=True, kw_only=True)
class Label:
    """``text`` in a box of ``width`` at ``x``, ``y``."""

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
    """``pixels`` is the picture's own size; ``size`` that of the page."""

    pixels: tuple[int, int]
    size: tuple[float, float]
    point: tuple[float, float] | None = None
    box: Box | None = None
    arrow: str = ""
    label: Label | None = None

    @property
    def is_tall(self) -> bool:
        """A picture of a whole page is scrolled; one of a window is fitted in."""
        return self.pixels[1] > TALL * self.pixels[0]

    @property
    def has_marks(self) -> bool:
        return bool(self.point or self.box or self.arrow or self.label)


def overlay_of(step: Step, *, seen: Sequence[PageEvent] | None = None) -> Overlay | None:
    """None when the picture's size cannot be read; ``seen`` is what the page saw, where that is known."""
    noted = Picture.objects.filter(pk=step.screenshot, state=Picture.State.OK).only("width", "height").first()
    pixels = (noted.width, noted.height) if noted else thumbnails.picture_size(step.screenshot)
    if not pixels or not all(pixels):
        return None
    found = step_marks(step, seen=seen)
    scale = scale_of(pixels=pixels[0], css_pixels=found.css_width)
    size = (round(pixels[0] / scale, 1), round(pixels[1] / scale, 1))
    drawn = found.marks
    return Overlay(
        pixels=pixels,
        size=size,
        point=_inside(drawn.point, size) if drawn.point else None,
        box=drawn.box,
        arrow=_arrow(drawn.scroll, size) if drawn.scroll else "",
        label=_label(drawn, size) if drawn.text else None,
    )


def lack_of(step: Step, *, is_stored: bool, is_readable: bool) -> str:
    """What keeps the screenshot from being shown, in words; empty when nothing does."""
    if not step.screenshot:
        return "No screenshot was posted with this step."
    if not is_stored:
        return "It was announced but has not been uploaded."
    if is_readable:
        return ""
    if not blobs.blob_exists(step.screenshot):
        return "Its file is missing from the store."
    return "Its file is damaged, or holds no picture."


def _inside(point: tuple[float, float], size: tuple[float, float]) -> tuple[float, float]:
    return min(max(point[0], 0), size[0]), min(max(point[1], 0), size[1])


def _arrow(scroll: tuple[float, float], size: tuple[float, float]) -> str:
    """The path of an arrow from the middle in the direction of the scrolling, as long as it or less."""
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


def _label(drawn: Marks, size: tuple[float, float]) -> Label:
    """Below the box, above it where there is no room, at the foot without one."""
    width = min(len(drawn.text) * LETTER + 2 * GAP, max(size[0] - 2 * GAP, 3 * GAP))
    x, y = (size[0] - width) / 2, size[1] - LABEL_HEIGHT - GAP
    if drawn.box:
        left, top, _, height = drawn.box
        x, y = left, top + height + GAP
        if y + LABEL_HEIGHT > size[1]:
            y = top - LABEL_HEIGHT - GAP
    most = (max(size[0] - width, 0), max(size[1] - LABEL_HEIGHT, 0))
    return Label(text=drawn.text, x=min(max(x, 0), most[0]), y=min(max(y, 0), most[1]), width=width)
