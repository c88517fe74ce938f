"""The same actions on the same pages, with and without a browser, for comparison.

A player's actions in a browser are noted together with what it was shown. A twin does the same on pages read
without a browser and notes where the two differ. Because ids may differ, an element is identified by the line
that shows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from typing import Any

from palaestra.actions import action_check, action_perform
from palaestra.observation import Observer
from palaestra.pages.lite import LitePage
from palaestra.pages.lite.document import Document
from tests.e2e.handles import Player
from tests.e2e.lite_reasons import reasons_of

ID = re.compile(r"\[(e\d+)\] ?")
PAGES_MAX = 12
# The record that an element belongs to, identified by the HTML id of an element around it.
RECORD = "palaestra.elementOf(%s)?.parentElement?.closest('[id]')?.id || ''"


@dataclass(frozen=True)
class Turn:
    """One turn: what was shown, and the action that followed."""

    shown: str
    action: Mapping[str, Any]
    record: str = ""


@dataclass
class NotedPlayer(Player):
    """A player in a browser whose turns are noted."""

    turns: list[Turn] = field(default_factory=list)

    async def act(self, **action: Any) -> None:
        read = RECORD % json.dumps(action.get("target", ""))
        record = await self.page.evaluate(f"({{ id: {read} }})")
        self.turns.append(Turn(self.observation.text, action, record["id"]))
        await super().act(**action)


@dataclass(frozen=True)
class Step:
    """The comparison of one turn with and without a browser.

    ``reasons`` explain differences; ``unexplained`` are lines that only one of the two shows, without a known
    reason. ``is_left_out``: the action in the browser cannot be done without one.
    """

    reasons: frozenset[str]
    unexplained: tuple[str, ...]
    is_same: bool
    has_same_ids: bool
    is_left_out: bool = False


@dataclass
class Twin:
    """Repeats, on a page without a browser, what was done in a browser."""

    page: LitePage
    observer: Observer
    steps: list[Step] = field(default_factory=list)
    text: str = ""
    number: int = 0

    async def play(self, address: str, turns: Sequence[Turn]) -> None:
        await self.page.begin(address)
        await self._look()
        await self.go_on(turns)

    async def go_on(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            await self._pop_ups_close(turn.shown)
            await self._page_reach(turn.record)
            action = self._translated(turn)
            step = compared(turn.shown, self.text, self.page.interactions.document)
            self.steps.append(replace(step, is_left_out=action is None))
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
        """Close each pop-up that appeared here but not in the browser."""
        interactions = self.page.interactions
        layers = [one for one in interactions.document.root.walk() if "data-pop-up" in one.attrs]
        for layer in layers:
            button = layer.find_first("button")
            target = next((held for held, element in interactions.ids.holders if element is button), None)
            if target and f"[{target}]" in self.text and not _ids_of(shown, _line_of(self.text, target)):
                await self._act({"type": "click", "target": target})

    async def _page_reach(self, record: str) -> None:
        """Go to the page of a list that has the record; in the browser, one page has all loaded records."""
        for step in ("prev", "next"):
            for _ in range(PAGES_MAX):
                link = self._pager(step)
                if not record or record in self.page.interactions.document.by_id or link is None:
                    break
                await self._act({"type": "click", "target": link})

    def _pager(self, step: str, *, called: str = "") -> str | None:
        """Return the id of the link to the previous or next page of a list whose next part has this name."""
        for target, element in self.page.interactions.ids.holders:
            around = next((one for one in element.ancestors if "data-more" in one.attrs), None)
            is_called = around is not None and called in ("", around.attrs["data-more"])
            if element.attrs.get("rel") == step and is_called:
                return target
        return None

    def _translated(self, turn: Turn) -> Mapping[str, Any] | None:
        """Return the action with the id that its element has here; None if the element has none."""
        target = turn.action.get("target")
        if turn.action.get("key") == "End" and (further := self._pager("next")):
            return {
                "type": "click",
                "target": further,
            }  # in the browser, scrolling to the end extends the list
        if target is None:
            return turn.action
        line = _line_of(turn.shown, target)
        place = _ids_of(turn.shown, line).index(target)
        here = _ids_of(self.text, line)
        if not here:
            further = self._pager("next", called=line.partition('"')[2].rstrip('"'))
            return {**turn.action, "target": further} if further else None
        alike = [one for one in here if self._record_of(one) == turn.record]
        return {**turn.action, "target": alike[0] if alike else here[min(place, len(here) - 1)]}

    def _record_of(self, target: str) -> str:
        element = self.page.interactions.ids.find(target)
        around = (one.attrs["id"] for one in element.ancestors if "id" in one.attrs) if element else ()
        return next(iter(around), "")


def compared(browser: str, lite: str, document: Document) -> Step:
    changes = list(unified_diff(_bare(browser), _bare(lite), lineterm="", n=0))[2:]
    gone = tuple(line[1:] for line in changes if line[0] == "-")
    new = tuple(line[1:] for line in changes if line[0] == "+")
    reasons, unexplained = reasons_of(gone, new, document)
    is_same = not gone and not new
    return Step(frozenset(reasons), tuple(unexplained), is_same, ID.findall(browser) == ID.findall(lite))


def _bare(text: str) -> list[str]:
    return [ID.sub("", line) for line in text.split("\n")]


def _name_of(line: str) -> str:
    """Return the part of a line that identifies its element, without the element's state."""
    head, _, rest = ID.sub("", line).strip().lstrip("- ").partition('"')
    return f'{head}"{rest.partition(chr(34))[0]}"'


def _line_of(text: str, target: str) -> str:
    place = text.index(f"[{target}]")
    start = text.rfind("\n", 0, place) + 1
    return _name_of(text[max(start, place) :].partition("\n")[0])


def _ids_of(text: str, name: str) -> list[str]:
    return [match[1] for match in ID.finditer(text) if _line_of(text, match[1]) == name]
