"""``Env``: one task at a time, reset and step, for a trainer or an evaluation loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import fields
from typing import Any, TypedDict

from palaestra.api import Client
from palaestra.background import VERDICT_LIMIT_S, Heartbeat, verdict_wait
from palaestra.completion import Completion
from palaestra.episode import Episode
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import UNPLAYABLE, ApiError, BrowserDead, PalaestraError, close_reason_of
from palaestra.observation import Observation, perceivable_check
from palaestra.pools import browser_check, pool_of, run_check
from palaestra.protocol.arms import arm_of
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import OpenedEpisode, Opening, Verdict
from palaestra.reward_calls import reward_of, rewards_read
from palaestra.rewards import Rewards
from palaestra.surface import VIEWPORT, Pool, Surface

logger = logging.getLogger(__name__)
WAIT_REPORTED_S = 5.0
WAITING = (
    "All pages of the pool have been in use for %.0f s: reset waits for one, and opens no episode until then."
)


class StepInfo(TypedDict, total=False):
    """What ``step`` returns besides the reward. ``reason`` is the verdict's, None in an open episode, and so
    is ``rewards``, which is also None in an environment without a reward profile."""

    episode: int
    task: int
    group: int
    step: int
    action: dict[str, Any] | None
    action_result: str
    parse_error: str | None
    verdict: Verdict | None
    reason: str | None
    rewards: Rewards | None


# What the environment decides; the other fields that it is given are those of the call that opens episodes.
SETTINGS = {field.name for field in fields(EpisodeConfig)} - {"answer_channel", "token_budget"}
OPENING = frozenset(
    {"answer_channel", "guidance", "looks", "max_steps", "policy_version"}
    | {"presentation", "recording", "seed", "shots", "token_budget"}
)
"""Fields of the call that opens episodes. An environment plays one at a time: it opens no more samples."""
FORKING = frozenset({"max_steps", "policy_version", "token_budget"})
Stepped = tuple[Observation, float | None, bool, bool, StepInfo]


def keywords_check(keywords: Iterable[str], *, known: Iterable[str]) -> None:
    """Raise ``TypeError`` for keywords that an environment does not have."""
    if unknown := set(keywords) - set(known):
        raise TypeError(f"An environment has no setting {', '.join(sorted(unknown))}.")


class Env:
    """One warm page (in arms that have one) and one episode at a time.

    ``arm`` is how tasks are presented, ``observation`` what is shown of a page (``axtree``, ``screenshot``,
    ``som``, ``both``): an outline of the whole page or of the viewport (``scope``) with at most ``max_chars``
    characters, a picture whose larger side has at most ``picture_max`` pixels. ``grammar`` is how actions are
    written: with ``functions`` and computer use a step takes a ``Completion`` that calls ``episode.tools``.
    ``history`` is which earlier pages are sent again (``full``, ``last_k:3``, ``diff``). An episode whose
    prompts add up to ``prompt_token_budget`` tokens, by the usage of its completions, ends as
    ``token_budget``, truncated and judged incorrect. Other keywords (``policy_version``, ``seed``,
    ``max_steps``, ``token_budget``, ``presentation``, ``looks``, ``recording``, ``answer_channel``,
    ``shots``) are passed to ``Client.episodes_open``. ``with_pictures`` records a screenshot with every step.
    Thoughts in a completion are no answers and no actions; ``thought_tags`` names marks of a model's own.
    ``reward_profile`` names what pays: the reward at the end is its total then, not the verdict's, and
    ``info["rewards"]`` says what it is made of; an empty name is that of the run's own.
    ``browser="lite"`` reads pages over HTTP, without a browser and without scripts; its run's settings must
    say so, which is looked up once for all environments that share their ``checked_runs``.
    Raises ``PalaestraError`` for an arm that the observation cannot show.
    """

    def __init__(
        self,
        server: str,
        key: str,
        *,
        run: int,
        arm: str = "gym",
        verdict_limit_s: float = VERDICT_LIMIT_S,
        reward_profile: str | None = None,
        viewport: tuple[int, int] = VIEWPORT,
        pool: Pool | None = None,
        browser: str = "chromium",
        client: Client | None = None,
        checked_runs: set[int] | None = None,
        **keywords: Any,
    ) -> None:
        settings = {name: keywords.pop(name) for name in SETTINGS & keywords.keys()}
        keywords_check(keywords, known=OPENING)
        self._config = EpisodeConfig(
            answer_channel=keywords.get("answer_channel") or "page",
            token_budget=keywords.get("token_budget"),
            **settings,
        )
        perceivable_check(arm, self._config.observation)
        browser_check(browser, self._config)
        self.client = client or Client(server, key)
        self._owns_client = client is None
        self.episode: Episode | None = None
        self._run, self._arm, self._opening = run, arm, keywords
        self._verdict_limit_s = verdict_limit_s
        self._reward_profile = reward_profile
        self._browser = browser
        self._checked_runs = set() if checked_runs is None else checked_runs
        self._pool = pool or pool_make(browser, origin=self.client, size=1, viewport=viewport)
        self._owns_pool = pool is None
        self._heartbeat = Heartbeat(self.client)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Env:
        if self._owns_client:
            self._stack.push_async_callback(self.client.aclose)
        if self._owns_pool:
            self._stack.push_async_callback(self._pool.aclose)
        await self._stack.enter_async_context(self._heartbeat)
        self._stack.push_async_callback(self._abandon)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def reset(
        self,
        task_id: int,
        *,
        seed: int | None = None,
        group: int | None = None,
        idempotency_key: str | None = None,
    ) -> Observation:
        """Open an episode of a task and load its first page; an episode still open ends ``cancelled``.

        A page of the pool is taken first: while all are in use it waits for one, and says so.

        The same ``seed`` gives the same look, order of choices and world; without one the environment's own
        ``seed`` counts, and without either every episode draws its own. The episode begins a group, or is one
        more sample of ``group`` (``episode.opened.group`` of an earlier one), whose settings then count. With
        the ``idempotency_key`` of an earlier call it is that call's episode again.
        """
        return await self._begin(
            lambda: self._open(task_id, seed=seed, group=group, idempotency_key=idempotency_key)
        )

    async def fork(
        self, episode: int, step: int, *, idempotency_key: str | None = None, **fields: Any
    ) -> Observation:
        """Open an episode that stands where an ended one stood after ``step`` (0: its beginning), and show
        what that one was shown; an episode still open ends ``cancelled``.

        Its own steps are numbered on. Fields are ``policy_version``, ``max_steps`` and ``token_budget``;
        the environment's own count otherwise. Raises ``ApiError`` for what cannot be forked, and
        ``ForkDiverged``, once the fork is closed as void, where its page is not the parent's.
        """
        keywords_check(fields, known=FORKING)
        given = {name: value for name, value in fields.items() if value is not None}
        settings = {name: self._opening[name] for name in FORKING & self._opening.keys()} | given
        return await self._begin(
            lambda: self.client.episode_fork(
                episode, step=step, idempotency_key=idempotency_key, run=self._run, **settings
            )
        )

    async def step(self, completion: str | Completion) -> Stepped:
        """Take one completion: ``(observation, reward, terminated, truncated, info)``.

        Bad completions, failing actions and a page that crashes once are observations. While a person has
        taken over, the step is not taken: ``step`` waits until the episode is handed back, and shows where it
        stands then; ``info["step"]`` is the last step on record. ``reward`` is None
        while the episode is open and when its verdict is void. At the end one of ``terminated`` and
        ``truncated`` is true; a void verdict counts as truncated.
        """
        episode = self._open_episode()
        try:
            turn, outcome = await episode.turn(completion)
            if (held := await episode.settle()) is not None:  # a step that has returned is stored
                turn, outcome = held.turn, held.outcome
            info: StepInfo = {
                "action": turn.declared,
                "action_result": outcome.result,
                "parse_error": turn.parse_error,
            }
        except BrowserDead as failure:
            await self._finish("harness_error", str(failure), is_healthy=False)
            return await self._ended(episode, {"action_result": "timeout"})
        except ApiError as refusal:
            await episode.rejoin(refusal)
            info = {"action": None, "action_result": "refused", "parse_error": None}
        if episode.is_over:
            await self._release()
            return await self._ended(episode, info)
        return episode.observation, None, False, False, self._info(episode, info, None)

    async def stop(self, reason: CloseReason = "agent_stopped", detail: str = "") -> Stepped:
        """End the episode without an answer, and return as ``step`` does."""
        episode = self._open_episode()
        await self._finish(reason, detail)
        return await self._ended(episode, {})

    # ---- inside
    async def _begin(self, opening_call: Callable[[], Awaitable[Opening]]) -> Observation:
        await self._abandon()
        if self._run not in self._checked_runs:
            await run_check(self.client, self._run, self._browser)
            self._checked_runs.add(self._run)
        # An episode that was opened first could run out of time while it waits, or expire as unused.
        page = await self._page_acquire() if arm_of(self._arm).has_page else None
        try:
            opening = await opening_call()
        except BaseException:
            if page is not None:
                await self._pool.release(page)
            raise
        opened = opening.episodes[0]
        self._heartbeat.episodes.add(opened.id)
        self.episode = Episode(self.client, opened, messages=opening.messages_of(opened), config=self._config)
        try:
            self.episode.page, self.episode.renew = await self._page_for(opened, page), self._pool.renew
            return await self.episode.begin()
        except UNPLAYABLE as failure:
            await self._finish(close_reason_of(failure), str(failure), is_healthy=False)
            raise

    async def _page_acquire(self) -> Surface:
        """Take a page of the pool, and log if all stay in use, as when environments are never closed."""
        loop = asyncio.get_running_loop()
        report = loop.call_later(WAIT_REPORTED_S, logger.warning, WAITING, WAIT_REPORTED_S)
        try:
            page: Surface = await self._pool.acquire()
        finally:
            report.cancel()
        return page

    async def _page_for(self, opened: OpenedEpisode, page: Surface | None) -> Surface | None:
        """The page of an episode; a group may be of another arm than the environment's."""
        if opened.start_url is None and page is not None:
            await self._pool.release(page)
            return None
        return await self._page_acquire() if opened.start_url is not None and page is None else page

    async def _open(
        self, task_id: int, *, seed: int | None, group: int | None, idempotency_key: str | None
    ) -> Opening:
        if group is not None:
            return await self.client.group_refill(group, count=1, idempotency_key=idempotency_key)
        drawn = {"idempotency_key": idempotency_key, **({} if seed is None else {"seed": seed})}
        return await self.client.episodes_open(
            run=self._run, tasks=[task_id], arm=self._arm, **{**self._opening, **drawn}
        )

    def _open_episode(self) -> Episode:
        if self.episode is None or self.episode.is_over:
            raise PalaestraError("There is no open episode: call reset(task_id) first.")
        return self.episode

    async def _ended(self, episode: Episode, info: StepInfo) -> Stepped:
        verdict = episode.step_queue.ack.verdict
        if verdict is None:
            verdict = await verdict_wait(self.client, episode.opened.id, limit_s=self._verdict_limit_s)
        is_terminated = verdict is not None and verdict.terminated
        rewards = await rewards_read(
            self.client, episode.opened.id, verdict=verdict, profile=self._reward_profile
        )
        reward = reward_of(verdict, rewards)
        info = {**self._info(episode, info, verdict), "rewards": rewards}
        # A void verdict is neither; a loop over steps sees it as truncated.
        return episode.observation, reward, is_terminated, not is_terminated, info

    def _info(self, episode: Episode, info: StepInfo, verdict: Verdict | None) -> StepInfo:
        return {
            "episode": episode.opened.id,
            "task": episode.opened.task,
            "group": episode.opened.group,
            "step": episode.steps,
            **info,
            "verdict": verdict,
            "reason": verdict.reason if verdict else None,
            "rewards": None,
        }

    async def _abandon(self) -> None:
        if self.episode is not None and not self.episode.is_over:
            await self._finish("cancelled", "abandoned before its end")

    async def _finish(self, reason: CloseReason, detail: str, *, is_healthy: bool = True) -> None:
        try:
            if self.episode is not None:
                await self.episode.close(reason, detail)
        finally:
            await self._release(is_healthy=is_healthy and reason != "harness_error")

    async def _release(self, *, is_healthy: bool = True) -> None:
        if self.episode is None:
            return
        self._heartbeat.episodes.discard(self.episode.opened.id)
        page, self.episode.page = self.episode.page, None
        if page is not None:
            await self._pool.release(page, is_healthy=is_healthy)
