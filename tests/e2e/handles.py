"""Plays scripted solutions by what an observation gives a model: element ids, or positions in a picture.

An element that the observation does not show is scrolled to first, as a model would have to.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.actions import Action, Conditions, action_perform, conditions_of
from palaestra.grammars import Grammar, grammar_of
from palaestra.observation import (
    Observation,
    ObservationConfig,
    ObservationFormat,
    Observer,
    format_of,
    page_text,
)
from palaestra.pages import WarmPage
from palaestra.policies import EpisodeInfo, Policy
from palaestra.surface import VIEWPORT, DocumentGone, PageView
from tests.e2e.oracle_moves import Move

SCROLLS_MAX = 40
AT_PATH = "%s.split('/').reduce((el, place) => el?.children[+place], document.documentElement)"
POP_UP = "document.querySelector('[data-pop-up] button')"
BY_ID = "palaestra.elementOf(%s)"
# Where the element, or the label of a hidden one, is in the viewport, and whether a click there reaches it.
PLACE = """(el => {
    if (!el) return {};
    const boxes = [el, ...(el.labels || [])].flatMap(one => [...one.getClientRects()]);
    const box = boxes.find(one => one.width > 1 && one.height > 1) || el.getBoundingClientRect();
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const hit = document.elementFromPoint(x, y);
    const isFree = hit !== null && (el.contains(hit) || hit.closest("label")?.control === el);
    return { id: palaestra.idOf(el), x, y, isFree };
})(%s)"""


@dataclass
class Player:
    """Acts on one episode's page in one format; ``steps`` counts the actions, scrolls among them.

    What it does is written as completions in each of the grammars, and done as all of them are read.
    """

    page: WarmPage
    config: ObservationConfig
    grammars: Sequence[str] = ("json",)
    steps: int = 0

    def __post_init__(self) -> None:
        self.observer = Observer(self.config)
        self.view: PageView | None = None
        self.observation = Observation(kind="")

    async def begin(self, address: str) -> None:
        await self.page.begin(address)
        await self._look(acted=False)

    @property
    def is_over(self) -> bool:
        return self.view is None

    async def solve(self, moves: Sequence[Move]) -> None:
        """Make the moves that were noted on the same pages, and close each pop-up that comes in between."""
        for move in moves:
            while await self._place(POP_UP):
                await self._act(type="click", **await self._aim(POP_UP))
            await self._move(move)

    async def play(self, policy: Policy, info: EpisodeInfo) -> None:
        """Let a policy that reads outlines decide, and act by this format's own handles."""
        while self.view is not None and self.steps < info.max_steps * 2:
            text = page_text(self.view, self.page.bounds)  # type: ignore[arg-type]
            reply = await policy.act(Observation(kind="axtree-v2", text=text), info)
            action = json.loads(str(reply).rpartition("\n")[2].removeprefix("Action: "))
            aim = await self._aim(BY_ID % json.dumps(action.pop("target")))
            await self._act(**action, **aim)

    async def _move(self, move: Move) -> None:
        aim = await self._aim(AT_PATH % json.dumps(move.path)) if move.path else {}
        match move.kind:
            case "click":
                await self._act(type="click", **aim)
            case "type":
                await self._act(type="type", text=move.value, clear=True, **aim)
            case "select":
                await self._act(type="select", value=move.value, **aim)
            case "goto":
                await self._act(
                    type="goto", url="https://gym/" + move.value.split("/e/")[1].partition("/")[2]
                )
            case "end":
                await self._act(type="press", key="End")
            case "press":
                await self._act(type="press", key=move.value)
            case _:
                await self._act(type=move.kind)

    async def _aim(self, element: str) -> dict[str, Any]:
        """What names an element: its id where the observation shows it, else its position in the picture."""
        form = self.config.form
        for _ in range(SCROLLS_MAX):
            place = await self._place(element)
            if not place:  # the page still loads it
                await self._act(type="wait")
                continue
            if form.has_ids and f"[{place['id']}]" in self.observation.text:
                return {"target": place["id"]}
            is_in_view = 0 <= place["x"] < VIEWPORT[0] and 0 <= place["y"] < VIEWPORT[1]
            if not form.has_ids and is_in_view and place["isFree"]:
                scale = self.page.picture_scale
                return {"x": int(place["x"] * scale), "y": int(place["y"] * scale)}
            distance = place["y"] - VIEWPORT[1] / 2
            dy = distance if abs(distance) > 40 else 80  # something lies over it
            await self._act(type="scroll", dy=int(dy * self.page.picture_scale))
        raise AssertionError(f"never shown: {place} in\n{self.observation.text}")

    async def _place(self, element: str) -> dict[str, Any]:
        world = self.page._world
        assert world is not None
        return await self.page._evaluate(PLACE % element, world)

    async def _act(self, **action: Any) -> None:
        for one in actions_read(action, self.grammars, conditions_in(self.config.form)):
            assert self.view is not None, "the episode was over before its last move"
            self.steps += 1
            self.page.turn(self.steps)
            outcome = await action_perform(self.page, one)
            assert outcome.is_ok, f"{action}: {outcome.message}\n{self.observation.text}"
            await self._look(acted=True)

    async def _look(self, *, acted: bool) -> None:
        self.view = await self.page.observe(acted=acted, with_text=True)
        while self.view is not None:
            try:
                self.observation = await self.observer.observe(self.page, self.view)
                return
            except DocumentGone:  # another document came between the outline and the picture
                self.view = await self.page.observe(acted=False, with_text=True)


def actions_read(
    declared: dict[str, Any], grammars: Sequence[str], conditions: Conditions
) -> Sequence[Action]:
    """What an action is read as that is written in any of the grammars: the same in all of them."""
    read = {id_: _read(declared, grammar_of(id_), conditions) for id_ in grammars}
    first = read[grammars[0]]
    assert all(actions == first for actions in read.values()), read
    return first


def _read(declared: dict[str, Any], grammar: Grammar, conditions: Conditions) -> list[Action]:
    actions = []
    for completion in grammar.render(declared, thought="Next."):
        turn = grammar.parse(completion, conditions)
        assert turn.action is not None, f"{grammar.id}: {turn.parse_error}"
        actions.append(turn.action)
    return actions


def conditions_in(form: ObservationFormat) -> Conditions:
    """What is offered on a mock site in a format."""
    return conditions_of(
        has_page=True,
        has_ids=form.has_ids,
        has_positions=form.has_screenshot,
        has_outline=form.has_text,
        is_site=True,
    )


def config_of(kind: str, **more: Any) -> ObservationConfig:
    return ObservationConfig(form=format_of(kind), **more)
