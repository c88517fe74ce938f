"""A page of an episode for scripted visitors, with the part of Playwright's interface that they use.

Visitors use it in a thread of their own. Their acts on it become steps of the episode.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from playwright import async_api

from gymsite.oracle.hand import Hand

T = TypeVar("T")
CALL_LIMIT_S = 120.0
# A path in the recorder's notation: the child indices on the way from the root.
PATH = """el => {
    const places = [];
    for (let at = el; at.parentElement; at = at.parentElement) {
        places.push([...at.parentElement.children].indexOf(at));
    }
    return places.reverse().join("/");
}"""
IS_POP_UP = "el => el.closest('[data-pop-up]') !== null"


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """Bridge from a visitor's thread to the episode's event loop, on which it runs coroutines."""

    hand: Hand
    loop: asyncio.AbstractEventLoop

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(CALL_LIMIT_S)

    def act_on(self, locator: async_api.Locator, **action: Any) -> None:
        """Act on a locator's only element, after closing pop-ups that it is not part of."""

        async def act() -> None:
            await locator.wait_for(state="attached")
            if not await locator.evaluate(IS_POP_UP):
                await self.hand.pop_ups_close()
            await self.hand.act_at(await locator.evaluate(PATH), **action)

        self.run(act())


@dataclass(frozen=True)
class Place:
    """A page or a locator, within which elements are looked up."""

    bridge: Bridge
    place: Any

    def get_by_role(self, role: Any, **named: Any) -> OracleLocator:
        return OracleLocator(self.bridge, self.place.get_by_role(role, **named))

    def get_by_label(self, text: str, **named: Any) -> OracleLocator:
        return OracleLocator(self.bridge, self.place.get_by_label(text, **named))

    def get_by_text(self, text: str, **named: Any) -> OracleLocator:
        return OracleLocator(self.bridge, self.place.get_by_text(text, **named))

    def locator(self, selector: str) -> OracleLocator:
        return OracleLocator(self.bridge, self.place.locator(selector))

    def evaluate(self, code: str) -> Any:
        return self.bridge.run(self.place.evaluate(code))


class OracleLocator(Place):
    """Substitute for ``playwright.sync_api.Locator`` whose acts are steps."""

    place: async_api.Locator

    def filter(self, *, has: OracleLocator) -> OracleLocator:
        return OracleLocator(self.bridge, self.place.filter(has=has.place))

    @property
    def first(self) -> OracleLocator:
        return OracleLocator(self.bridge, self.place.first)

    @property
    def last(self) -> OracleLocator:
        return OracleLocator(self.bridge, self.place.last)

    def count(self) -> int:
        return self.bridge.run(self.place.count())

    def is_visible(self) -> bool:
        return self.bridge.run(self.place.is_visible())

    def inner_text(self) -> str:
        return self.bridge.run(self.place.inner_text())

    def all_inner_texts(self) -> list[str]:
        return self.bridge.run(self.place.all_inner_texts())

    def input_value(self) -> str:
        return self.bridge.run(self.place.input_value())

    def get_attribute(self, name: str) -> str | None:
        return self.bridge.run(self.place.get_attribute(name))

    def evaluate_all(self, code: str) -> Any:
        return self.bridge.run(self.place.evaluate_all(code))

    def wait_for(self, *, state: Literal["attached", "detached", "visible"] = "visible") -> None:
        if not self.bridge.hand.is_over:  # no further page is loaded after the answer
            self.bridge.run(self.place.wait_for(state=state))

    def click(self) -> None:
        self.bridge.act_on(self.place, type="click")

    check = uncheck = click

    def fill(self, text: str) -> None:
        self.bridge.act_on(self.place, type="type", text=text, clear=True)

    def select_option(self, value: str = "", *, label: str = "") -> None:
        self.bridge.act_on(self.place, type="select", value=label or value)


class OraclePage(Place):
    """Substitute for ``playwright.sync_api.Page`` whose acts are steps."""

    @property
    def page(self) -> async_api.Page:
        return self.bridge.hand.page.page

    @property
    def url(self) -> str:
        return self.page.url

    @property
    def keyboard(self) -> OraclePage:
        return self

    def press(self, key: str) -> None:
        self._act(type="press", key=key)

    def go_back(self) -> None:
        self._act(type="back")

    def goto(self, address: str) -> None:
        self._pop_ups_close()
        self.bridge.run(self.bridge.hand.goto(address))

    def wait_for_selector(self, selector: str, *, state: Literal["attached", "visible"] = "visible") -> None:
        self.bridge.run(self.page.wait_for_selector(selector, state=state))

    def wait_for_function(self, code: str, *, arg: Any = None) -> None:
        self.bridge.run(self.page.wait_for_function(code, arg=arg))

    def wait_for_timeout(self, ms: float) -> None:
        self.bridge.run(asyncio.sleep(ms / 1000))

    def _act(self, **action: Any) -> None:
        self._pop_ups_close()
        self.bridge.run(self.bridge.hand.act(**action))

    def _pop_ups_close(self) -> None:
        self.bridge.run(self.bridge.hand.pop_ups_close())
