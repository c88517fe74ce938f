"""The observer, which looks at an episode's page and makes the observations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from palaestra.observation.base import Observation
from palaestra.observation.outline import Cut, outline_cut, page_head
from palaestra.observation.picture import Mark, Size, picture_make, picture_size
from palaestra.observation.shot import shot_take
from palaestra.pages.surface import VIEWPORT, PageView, Surface
from palaestra.protocol.changes import lines_new
from palaestra.protocol.observations import ObservationFormat, Scope
from palaestra.protocol.outline import PICTURE_LINE, STILL_LOADING

MAX_CHARS = 12_000
NEW_SHARE = 0.6
"""The share of new lines above which a page counts as another page, so that new lines get no priority."""
PLACES = {"above": "above", "below": "below", "left": "to the left", "right": "to the right"}


@dataclass(frozen=True, kw_only=True)
class ObservationConfig:
    """The observation settings of a run.

    ``max_chars`` is the maximum length of an outline and ``picture_max`` the maximum side of a picture in
    pixels; ``with_pictures`` records a screenshot with every step.
    """

    form: ObservationFormat
    scope: Scope = "page"
    max_chars: int = MAX_CHARS
    picture_max: int | None = None
    with_pictures: bool = False


class Observer:
    """Makes one episode's observations, and remembers the previous outline in order to know what is new."""

    def __init__(self, config: ObservationConfig) -> None:
        self._config = config
        self.before = ("", "")  # the page's title and body at the previous observation

    async def observe(self, page: Surface, view: PageView) -> Observation:
        """Return the observation of ``view``, or of a later view if the page changes in the meantime."""
        if page.bounds is None:
            raise ValueError("The page has no episode: call begin first.")
        config, form = self._config, self._config.form
        size = picture_size(VIEWPORT, config.picture_max) if form.has_screenshot else VIEWPORT
        page.picture_scale = size[0] / VIEWPORT[0]
        lines, screenshot, is_settled = list[str](), None, view.is_settled
        if form.has_screenshot or config.with_pictures:
            shot = await shot_take(page, view, with_marks=form.has_marks, with_text=form.has_text)
            view, screenshot = shot.view, shot.pixels
            is_settled = view.is_settled and shot.is_still
            if form.has_screenshot:
                screenshot, lines = _picture(shot.pixels, shot.seen, size=size)
        parts = [page_head(view), *lines]
        if form.has_text:
            parts += self._outline(view)
        if not is_settled:
            parts.append(STILL_LOADING)
        return Observation(
            kind=form.id,
            text=page.bounds.mask("\n".join(parts)),
            url=page.bounds.mask(view.url),
            screenshot=screenshot,
            is_settled=is_settled,
        )

    def _outline(self, view: PageView) -> list[str]:
        title, before = self.before
        self.before = (view.title, view.text)
        lines = view.text.split("\n")
        cut = Cut(max_chars=self._config.max_chars, scope=self._config.scope)
        if not cut.is_needed(lines):
            return lines
        new = lines_new(before, view.text) if title == view.title else set()
        new = new if len(new) <= NEW_SHARE * len(lines) else set()
        return outline_cut(lines, in_view=view.in_view, new=new, cut=cut)


def _picture(pixels: bytes, seen: dict[str, Any], *, size: Size) -> tuple[bytes, list[str]]:
    """Return a screenshot as a picture for the model, and the lines that describe the picture."""
    marks = [Mark(id=each["id"], box=tuple(each["box"]), line=each["line"]) for each in seen["marks"]]
    screenshot = picture_make(pixels, size=size, marks=marks)
    extents = {words: round(seen[side] * size[0] / VIEWPORT[0]) for side, words in PLACES.items()}
    more = [f"{extent} {words}" for words, extent in extents.items() if extent]
    rest = f" More of the page, in pixels: {', '.join(more)}." if more else " It shows the whole page."
    declared = f"{PICTURE_LINE}{size[0]} x {size[1]} pixels.{rest}"
    return screenshot, [declared, *(mark.line for mark in marks)]
