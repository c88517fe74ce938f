"""Screenshots, and what the page reports about itself at the same moment."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from palaestra.pages.surface import DocumentGone, PageView, Surface

STILL_LIMIT_S = 5.0
"""The time after which a screenshot is used even if the page is still changing."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.03, 0.25


@dataclass(frozen=True, kw_only=True)
class Shot:
    """A screenshot (``pixels``, a PNG) with what the page reported.

    ``seen`` is the page's report on the picture, such as its marks, and ``view`` the view of the page.
    ``is_still``: the page did not change between ``view``, ``pixels`` and ``seen``.
    """

    pixels: bytes
    seen: dict[str, Any]
    view: PageView
    is_still: bool


async def shot_take(page: Surface, view: PageView, *, with_marks: bool, with_text: bool) -> Shot:
    """Take a screenshot of a page that was just viewed, and repeat both as long as the page changes.

    Raises ``DocumentGone`` if the page is left in the meantime.
    """
    deadline, pause_s = time.monotonic() + STILL_LIMIT_S, FIRST_PAUSE_S
    while True:
        pixels = await page.screenshot()
        seen = await page.call("picture", with_marks)
        is_still = seen["moment"] == view.moment
        if is_still or not view.is_settled or time.monotonic() > deadline:
            return Shot(pixels=pixels, seen=seen, view=view, is_still=is_still)
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        again = await page.observe(acted=False, with_text=with_text)
        if again is None:
            raise DocumentGone("The answer was submitted.")
        view = again
