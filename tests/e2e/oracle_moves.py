"""The moves of a site's scripted solution in a browser, noted in order to repeat them by other means.

Pop-ups are left out, because their appearance depends on how much of the site has been seen, which differs
between visits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Keyboard, Locator, Page

from gymsite.oracle.page import IS_POP_UP, PATH

ADDRESS = "address => new URL(address, location.href).href"


@dataclass(frozen=True)
class Move:
    """One move: ``path`` is the element's position in the document, ``value`` what was typed or chosen."""

    kind: str
    path: str = ""
    value: str = ""


@contextmanager
def moves_noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Move]]:
    """Yield the list of moves that are made through Playwright while the block runs, in order."""
    moves: list[Move] = []

    def on_element(name: str, kind: str, value_of: Callable[..., str]) -> None:
        original = getattr(Locator, name)

        def noted(self: Locator, *arguments: Any, **named: Any) -> Any:
            if not self.evaluate(IS_POP_UP):
                moves.append(Move(kind, self.evaluate(PATH), value_of(*arguments, **named)))
            return original(self, *arguments, **named)

        patches.setattr(Locator, name, noted)

    def on(owner: type, name: str, move_of: Callable[..., Move | None]) -> None:
        original = getattr(owner, name)

        def noted(self: Any, *arguments: Any, **named: Any) -> Any:
            if move := move_of(self, *arguments):
                moves.append(move)
            return original(self, *arguments, **named)

        patches.setattr(owner, name, noted)

    with monkeypatch.context() as patches:
        for name in ("click", "check", "uncheck"):
            on_element(name, "click", lambda **_: "")
        on_element("fill", "type", lambda text: text)
        on_element("select_option", "select", lambda value="", label="": label or value)
        on(Page, "goto", lambda page, address: Move("goto", value=page.evaluate(ADDRESS, address)))
        on(Page, "go_back", lambda _: Move("back"))
        on(Keyboard, "press", lambda _, key: Move("press", value=key))
        yield moves
