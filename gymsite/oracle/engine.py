"""Engine that plays tasks by their solutions: scripted visitors on sites, submitted answers elsewhere.

Every step is recorded as ``actor: oracle``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from django.db import connection
from playwright.sync_api import Page

from core.episodes.presentation import look_read
from gymsite.oracle.hand import Hand, OracleStuck
from gymsite.oracle.page import Bridge, OraclePage
from gymsite.oracle.solvers import SOLVERS
from palaestra.api import Client
from palaestra.completion import Completion
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.grammars import get_grammar
from palaestra.observation import Observation, get_format
from palaestra.pages.warm_page import WarmPage
from palaestra.play.episode import Episode
from palaestra.policies import EpisodeInfo, Policy, Solver
from palaestra.protocol.arms import arm_of
from palaestra.protocol.observations import ObservationFormat
from tasks_app.families.types import SiteTask
from trajectories.models import Episode as EpisodeRow
from trajectories.models import Step

ACTOR = Step.Actor.ORACLE.value
ACTION = "Action: "


@dataclass(frozen=True)
class KnownSite:
    """A task on a mock site, with its gold and its world."""

    task: SiteTask
    site: str
    world: Any


class EpisodeHand(Hand):
    """Hand whose acts are steps of an episode, in the run's grammar."""

    def __init__(self, episode: Episode, config: EpisodeConfig) -> None:
        self._episode, self._config = episode, config
        self._grammar = get_grammar(config.grammar)
        self._look()

    @property
    def form(self) -> ObservationFormat:
        return get_format(self._config.observation)

    @property
    def is_over(self) -> bool:
        return self._episode.is_over

    async def act(self, **action: Any) -> None:
        """Perform an action as a step. Raises ``OracleStuck`` if it fails or the episode has ended."""
        for completion in self._grammar.render(action):
            if self._episode.is_over:
                raise OracleStuck(f"The episode ended before {action}.")
            turn, outcome = await self._episode.turn(replace(completion, actor=ACTOR))
            if not outcome.is_ok:
                raise OracleStuck(f"{action}: {turn.parse_error or outcome.message}")
            self._look()

    def _look(self) -> None:
        self.page = cast("WarmPage", self._episode.page)
        self.observation = self._episode.observation


class AnswerPolicy:
    """Policy that submits the reference answers like ``Solver``, in any grammar that uses element ids."""

    name = "oracle"
    simulated = True

    def __init__(self, solver: Solver, grammar: str) -> None:
        self._solver, self._grammar = solver, get_grammar(grammar)

    async def act(self, observation: Observation, episode: EpisodeInfo) -> Completion | None:
        text = await self._solver.act(observation, episode)
        if text is None:
            return None
        if arm_of(episode.arm).is_free_text:
            return Completion(text=text, actor=ACTOR)
        thought, _, action = text.rpartition(ACTION)
        (completion,) = self._grammar.render(json.loads(action), thought=thought.strip())
        return replace(completion, actor=ACTOR)


class OracleEngine(Engine):
    """Engine that solves known tasks on sites by script, and otherwise asks the policy."""

    def __init__(
        self, client: Client, *, known: Mapping[int, KnownSite], config: EpisodeConfig, **settings: Any
    ) -> None:
        super().__init__(client, config=config, **settings)
        self._known, self._settings = known, config

    async def _take_turns(self, episode: Episode, policy: Policy) -> None:
        known = self._known.get(episode.opened.task)
        if known is None:
            await super()._take_turns(episode, policy)
            return
        await episode.begin()
        hand = EpisodeHand(episode, self._settings)
        bridge = Bridge(hand=hand, loop=asyncio.get_running_loop())
        # To visitors this page looks like one of Playwright's own.
        page = cast("Page", OraclePage(bridge, hand.page.page))
        await asyncio.to_thread(_solve, page, known, episode.opened.id)


def _solve(page: Page, known: KnownSite, episode: int) -> None:
    """Solve a task on a site, in the episode's look."""
    try:
        look = look_read(EpisodeRow.objects.get(pk=episode).presentation)
    finally:
        connection.close()  # closes only this thread's connection
    SOLVERS[known.site](page, known.task, known.world, look)
