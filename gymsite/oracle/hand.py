"""Actions as an observation allows them: by the element ids that it shows, or by positions in its picture.

If the observation does not show an element, the hand first scrolls to it, as a model would have to.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

from palaestra.observation import Observation
from palaestra.pages.surface import VIEWPORT
from palaestra.pages.warm_page import WarmPage
from palaestra.protocol.observations import ObservationFormat
from palaestra.protocol.outline import PUBLIC_ROOT

SCROLLS_MAX = 40
AT_PATH = "%s.split('/').reduce((el, place) => el?.children[+place], document.documentElement)"
POP_UP = "document.querySelector('[data-pop-up] button')"
# The position in the viewport of an element (or its label, if it is hidden), and whether a click reaches it.
PLACE = """(el => {
    if (!el) return {};
    const boxes = [el, ...(el.labels || [])].flatMap(one => [...one.getClientRects()]);
    const box = boxes.find(one => one.width > 1 && one.height > 1) || el.getBoundingClientRect();
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const hit = document.elementFromPoint(x, y);
    const isFree = hit !== null && (el.contains(hit) || hit.closest("label")?.control === el);
    return { id: palaestra.idOf(el), x, y, isFree };
})(%s)"""


class OracleStuck(Exception):
    """The script cannot continue on this page."""


class Hand(ABC):
    """Actor on one page. ``observation`` is the last observation that it received."""

    page: WarmPage
    observation: Observation

    @property
    @abstractmethod
    def form(self) -> ObservationFormat:
        """The format of the observations."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True once an answer was submitted or the episode has ended in another way."""

    @abstractmethod
    async def act(self, **action: Any) -> None:
        """Perform an action, given as the client declares it, and observe."""

    async def act_at(self, path: str, **action: Any) -> None:
        """Act on the element at ``path``, its position in the document tree."""
        await self.act(**action, **await self.aim(AT_PATH % json.dumps(path)))

    async def pop_ups_close(self) -> None:
        """Close all pop-ups that cover the page."""
        while await self._place(POP_UP):
            await self.act(type="click", **await self.aim(POP_UP))

    async def goto(self, address: str) -> None:
        """Open an address of the site. Actions name it without the episode's token."""
        await self.act(type="goto", url=PUBLIC_ROOT + address.split("/e/")[1].partition("/")[2])

    async def aim(self, element: str) -> dict[str, Any]:
        """Return the target of an action on an element, which is given as a JavaScript expression.

        It is the element's id if the observation shows ids, or else its position in the picture. Scrolls
        until the element is in view. Raises ``OracleStuck`` if it never is.
        """
        form, position = self.form, dict[str, Any]()
        for _ in range(SCROLLS_MAX):
            position = await self._place(element)
            if not position:  # the page is still loading it
                await self.act(type="wait")
                continue
            if form.has_ids and f"[{position['id']}]" in self.observation.text:
                return {"target": position["id"]}
            is_in_view = 0 <= position["x"] < VIEWPORT[0] and 0 <= position["y"] < VIEWPORT[1]
            if not form.has_ids and is_in_view and position["isFree"]:
                scale = self.page.picture_scale
                return {"x": int(position["x"] * scale), "y": int(position["y"] * scale)}
            distance = position["y"] - VIEWPORT[1] / 2
            dy = distance if abs(distance) > 40 else 80  # something covers it
            await self.act(type="scroll", dy=int(dy * self.page.picture_scale))
        raise OracleStuck(f"never shown: {position} in\n{self.observation.text}")

    async def _place(self, element: str) -> dict[str, Any]:
        return await self.page.evaluate(PLACE % element)
