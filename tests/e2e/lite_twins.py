"""The same actions on the same pages in a browser and without one, side by side.

What a player does in a browser is noted with what it was shown; a twin does the same on pages read without a
browser and notes where they differ. An element is named by the line that shows it, for ids may differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Any

from palaestra.actions import action_check, action_perform
from palaestra.lite import LitePage
from palaestra.observation import Observer
from tests.e2e.handles import Player

ID = re.compile(r"\[(e\d+)\] ?")
STATE = re.compile(r" (?:focused|expanded|collapsed)\b")


@dataclass(frozen=True)
class Turn:
    """What was shown, and what was done then."""

    shown: str
    action: Mapping[str, Any]


@dataclass
class NotedPlayer(Player):
    """A player in a browser whose turns are noted."""

    turns: list[Turn] = field(default_factory=list)

    async def _act(self, **action: Any) -> None:
        self.turns.append(Turn(self.observation.text, action))
        await super()._act(**action)


@dataclass(frozen=True)
class Step:
    """One turn in both: the lines that only one of them shows, and whether the ids were the same."""

    browser: tuple[str, ...]
    lite: tuple[str, ...]
    has_same_ids: bool
    missing: str = ""

    @property
    def is_same(self) -> bool:
        return not self.browser and not self.lite


@dataclass
class Twin:
    """Does on a page without a browser what was done in one."""

    page: LitePage
    observer: Observer
    steps: list[Step] = field(default_factory=list)
    text: str = ""
    number: int = 0

    async def play(self, address: str, turns: Sequence[Turn]) -> None:
        await self.page.begin(address)
        await self._look()
        for turn in turns:
            await self._pop_ups_close(turn.shown)
            action = self._translated(turn)
            self.steps.append(compared(turn.shown, self.text, missing="" if action else str(turn.action)))
            if action is not None:
                await self._act(action)

    async def _act(self, action: Mapping[str, Any]) -> None:
        self.number += 1
        self.page.turn(self.number)
        outcome = await action_perform(self.page, action_check(action))
        assert outcome.is_ok, f"{action}: {outcome.message}\n{self.text}"
        await self._look()

    async def _look(self) -> None:
        view = await self.page.observe(acted=True)
        if view is not None:
            self.text = (await self.observer.observe(self.page, view)).text

    async def _pop_ups_close(self, shown: str) -> None:
        """Close each pop-up that came here and not in the browser."""
        deeds = self.page.deeds
        layers = [one for one in deeds.document.root.walk() if "data-pop-up" in one.attrs]
        for layer in layers:
            button = layer.first("button")
            target = next((held for held, one in deeds.ids.holders if one is button), None)
            if target and f"[{target}]" in self.text and not _ids_of(shown, _line_of(self.text, target)):
                await self._act({"type": "click", "target": target})

    def _translated(self, turn: Turn) -> Mapping[str, Any] | None:
        """The action with the id that its element has here; None where it has none."""
        target = turn.action.get("target")
        if target is None:
            return turn.action
        line = _line_of(turn.shown, target)
        place = _ids_of(turn.shown, line).index(target)
        here = _ids_of(self.text, line)
        if not here:
            return None
        return {**turn.action, "target": here[min(place, len(here) - 1)]}


def compared(browser: str, lite: str, *, missing: str = "") -> Step:
    changes = list(unified_diff(_bare(browser), _bare(lite), lineterm="", n=0))[2:]
    gone = tuple(line[1:] for line in changes if line[0] == "-")
    new = tuple(line[1:] for line in changes if line[0] == "+")
    return Step(gone, new, ID.findall(browser) == ID.findall(lite), missing)


def _bare(text: str) -> list[str]:
    return [ID.sub("", line) for line in text.split("\n")]


def _name_of(line: str) -> str:
    """A line as far as it says which element it shows, and not how it is."""
    head, _, rest = ID.sub("", line).strip().lstrip("- ").partition('"')
    return f'{head}"{rest.partition(chr(34))[0]}"'


def _line_of(text: str, target: str) -> str:
    place = text.index(f"[{target}]")
    start = text.rfind("\n", 0, place) + 1
    return _name_of(text[max(start, place) :].partition("\n")[0])


def _ids_of(text: str, name: str) -> list[str]:
    return [match[1] for match in ID.finditer(text) if _line_of(text, match[1]) == name]
