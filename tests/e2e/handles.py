"""Players of scripted solutions that use only what an observation gives a model: element ids or positions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gymsite.oracle.hand import Hand
from palaestra.actions import Action, action_perform
from palaestra.grammars import Grammar, get_grammar
from palaestra.observation import Observation, ObservationConfig, Observer, get_format, page_text
from palaestra.pages.surface import DocumentGone, PageView
from palaestra.pages.warm_page import WarmPage
from palaestra.policies import EpisodeInfo, Policy
from palaestra.protocol.observations import ObservationFormat
from palaestra.protocol.offers import Conditions, conditions_of
from tests.e2e.oracle_moves import Move

BY_ID = "palaestra.elementOf(%s)"


@dataclass
class Player(Hand):
    """Acts on one episode's page in one observation format; ``steps`` counts the actions, including scrolls.

    Each action is written as a completion in every grammar, and must be read as the same action in all of
    them.
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
    def form(self) -> ObservationFormat:
        return self.config.form

    @property
    def is_over(self) -> bool:
        return self.view is None

    async def solve(self, moves: Sequence[Move]) -> None:
        """Make the moves that were noted on the same pages, and close pop-ups that appear in between."""
        for move in moves:
            await self.pop_ups_close()
            await self._move(move)

    async def play(self, policy: Policy, info: EpisodeInfo) -> None:
        """Let a policy that reads outlines decide, and act with the means of this observation format."""
        while self.view is not None and self.steps < info.max_steps * 2:
            text = page_text(self.view, self.page.bounds)  # type: ignore[arg-type]
            reply = await policy.act(Observation(kind="axtree-v2", text=text), info)
            action = json.loads(str(reply).rpartition("\n")[2].removeprefix("Action: "))
            aim = await self.aim(BY_ID % json.dumps(action.pop("target")))
            await self.act(**action, **aim)

    async def _move(self, move: Move) -> None:
        match move.kind:
            case "click":
                await self.act_at(move.path, type="click")
            case "type":
                await self.act_at(move.path, type="type", text=move.value, clear=True)
            case "select":
                await self.act_at(move.path, type="select", value=move.value)
            case "goto":
                await self.goto(move.value)
            case "press":
                await self.act(type="press", key=move.value)
            case _:
                await self.act(type=move.kind)

    async def act(self, **action: Any) -> None:
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
            except DocumentGone:  # another document replaced it before the picture
                self.view = await self.page.observe(acted=False, with_text=True)


def actions_read(
    declared: dict[str, Any], grammars: Sequence[str], conditions: Conditions
) -> Sequence[Action]:
    """Write an action in each grammar and read it again, and return the result, the same in all grammars."""
    read = {id_: _read(declared, get_grammar(id_), conditions) for id_ in grammars}
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
    """Return the conditions on a mock site in an observation format."""
    return conditions_of(
        has_page=True,
        has_ids=form.has_ids,
        has_positions=form.has_screenshot,
        has_outline=form.has_text,
        is_site=True,
    )


def config_of(kind: str, **more: Any) -> ObservationConfig:
    return ObservationConfig(form=get_format(kind), **more)
