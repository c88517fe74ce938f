"""``Env``, which plays one task at a time by ``reset`` and ``step``, for trainers and evaluation loops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import fields
from typing import Any, TypedDict

from palaestra.api import Client
from palaestra.api.background import VERDICT_LIMIT_S, Heartbeat, verdict_wait
from palaestra.api.reward_calls import find_reward, rewards_read
from palaestra.completion import Completion
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import UNPLAYABLE, ApiError, BrowserDead, PalaestraError, find_close_reason
from palaestra.observation import Observation, perceivable_check
from palaestra.pages.surface import VIEWPORT, Pool, Surface
from palaestra.play.episode import Episode
from palaestra.play.pools import browser_check, pool_make, run_check
from palaestra.protocol.arms import arm_of
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import OpenedEpisode, Opening, Verdict
from palaestra.records.rewards import Rewards

logger = logging.getLogger(__name__)
WAIT_REPORTED_S = 5.0
WAITING = (
    "All pages of the pool have been in use for %.0f s: reset waits for one, and opens no episode until then."
)


class StepInfo(TypedDict, total=False):
    """The ``info`` that ``step`` returns.

    ``reason`` is the verdict's reason, and None while the episode is open. ``rewards`` is None while the
    episode is open, and if there is no reward profile.
    """

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


# Keywords that configure the environment; all others are fields of the call that opens episodes.
SETTINGS = {field.name for field in fields(EpisodeConfig)} - {"answer_channel", "token_budget"}
OPENING = frozenset(
    {"answer_channel", "guidance", "looks", "max_steps", "policy_version"}
    | {"presentation", "recording", "seed", "shots", "token_budget"}
)
"""Fields of the call that opens episodes, except those about several samples."""
FORKING = frozenset({"max_steps", "policy_version", "token_budget"})
Stepped = tuple[Observation, float | None, bool, bool, StepInfo]


def keywords_check(keywords: Iterable[str], *, known: Iterable[str]) -> None:
    """Raise ``TypeError`` for keywords that an environment does not accept."""
    if unknown := set(keywords) - set(known):
        raise TypeError(f"An environment has no setting {', '.join(sorted(unknown))}.")


def config_take(keywords: dict[str, Any]) -> EpisodeConfig:
    """Remove the episode settings from ``keywords`` and return them; fields of the opening call remain."""
    settings = {name: keywords.pop(name) for name in SETTINGS & keywords.keys()}
    return EpisodeConfig(
        answer_channel=keywords.get("answer_channel") or "page",
        token_budget=keywords.get("token_budget"),
        **settings,
    )


class Env:
    """An environment with one warm page (in arms that have pages), which plays one episode at a time.

    ``arm`` is the presentation of tasks, and ``observation`` is the view of a page (``axtree``,
    ``screenshot``, ``som`` or ``both``): an outline of the whole page or of the viewport (``scope``) with at
    most ``max_chars`` characters, or a picture whose larger side has at most ``picture_max`` pixels.
    ``grammar`` is the format of actions; with ``functions`` and computer use, a step takes a ``Completion``
    that calls ``episode.tools``. ``history`` selects the earlier pages that are sent again (``full``,
    ``last_k:3``, ``diff``). An episode whose prompts add up to ``prompt_token_budget`` tokens, by the usage
    in its completions, ends as ``token_budget``, truncated and judged incorrect. Other keywords
    (``policy_version``, ``seed``, ``max_steps``, ``token_budget``, ``presentation``, ``looks``,
    ``recording``, ``answer_channel``, ``shots``) are passed to ``Client.episodes_open``. ``with_pictures``
    records a screenshot with every step. Thoughts in a completion are never parsed as answers or actions;
    ``thought_tags`` are a model's own marks. With a ``reward_profile`` the final reward is the profile's
    total instead of the verdict's, and ``info["rewards"]`` has its parts; an empty name stands for the run's
    own profile. ``browser="lite"`` reads pages over HTTP, without a browser and without scripts; the run's
    settings must allow it, which is checked once for all environments that share ``checked_runs``.

    Raises ``PalaestraError`` for an arm that the observation cannot show, and ``TypeError`` for unknown
    keywords.
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
        self._config = config_take(keywords)
        keywords_check(keywords, known=OPENING)
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
        """Open an episode of a task and load its first page; an episode that is still open ends as
        ``cancelled``.

        The call takes a page from the pool first; while all pages are in use, it waits for one and logs a
        warning.

        The same ``seed`` gives the same look, order of choices and world. It defaults to the environment's
        ``seed``; without either, every episode draws its own. The episode begins a new group or is another
        sample of ``group`` (the ``episode.opened.group`` of an earlier episode), whose settings then apply. A
        call with the ``idempotency_key`` of an earlier call returns the same episode again.
        """
        return await self._begin(
            lambda: self._open(task_id, seed=seed, group=group, idempotency_key=idempotency_key)
        )

    async def fork(
        self, episode: int, step: int, *, idempotency_key: str | None = None, **fields: Any
    ) -> Observation:
        """Fork an ended episode after ``step`` (0 is its beginning), and return the observation at that
        point.

        An episode that is still open ends as ``cancelled``. Step numbers continue those of the parent. Fields
        are ``policy_version``, ``max_steps`` and ``token_budget``, which default to the environment's own.
        Raises ``ApiError`` for an episode that cannot be forked, ``TypeError`` for unknown fields, and
        ``ForkDiverged`` if the page differs from the parent's; the fork is then closed as void.
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
        """Take a completion as a step and return ``(observation, reward, terminated, truncated, info)``.

        Bad completions, failing actions and a page that crashes once become observations. While a person has
        taken over, the step is not taken; ``step`` waits until the episode is handed back and returns its
        state at that time, and ``info["step"]`` is the last recorded step. ``reward`` is None while the
        episode is open and if its verdict is void. At the end, either ``terminated`` or ``truncated`` is
        true; a void verdict counts as truncated. Raises ``PalaestraError`` if no episode is open.
        """
        episode = self._require_episode()
        try:
            turn, outcome = await episode.turn(completion)
            if (
                stored := await episode.settle()
            ) is not None:  # so that a step is stored before this method returns
                turn, outcome = stored.turn, stored.outcome
            info: StepInfo = {
                "action": turn.declared,
                "action_result": outcome.result,
                "parse_error": turn.parse_error,
            }
        except BrowserDead as failure:
            await self._finish("harness_error", str(failure), is_healthy=False)
            return await self._build_end(episode, {"action_result": "timeout"})
        except ApiError as refusal:
            await episode.rejoin(refusal)
            info = {"action": None, "action_result": "refused", "parse_error": None}
        if episode.is_over:
            await self._release()
            return await self._build_end(episode, info)
        return episode.observation, None, False, False, self._build_info(episode, info, None)

    async def stop(self, reason: CloseReason = "agent_stopped", detail: str = "") -> Stepped:
        """End the episode without an answer; returns and raises the same as ``step``."""
        episode = self._require_episode()
        await self._finish(reason, detail)
        return await self._build_end(episode, {})

    # ---- inside
    async def _begin(self, opening_call: Callable[[], Awaitable[Opening]]) -> Observation:
        await self._abandon()
        if self._run not in self._checked_runs:
            await run_check(self.client, self._run, self._browser)
            self._checked_runs.add(self._run)
        # The page comes first, because an episode could run out of time or lose its lease while waiting for
        # one.
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
            self.episode.page, self.episode.renew = await self._match_page(opened, page), self._pool.renew
            return await self.episode.begin()
        except UNPLAYABLE as failure:
            await self._finish(find_close_reason(failure), str(failure), is_healthy=False)
            raise

    async def _page_acquire(self) -> Surface:
        """Take a page from the pool; warn if all stay in use, as they do if environments are never closed."""
        loop = asyncio.get_running_loop()
        report = loop.call_later(WAIT_REPORTED_S, logger.warning, WAITING, WAIT_REPORTED_S)
        try:
            page: Surface = await self._pool.acquire()
        finally:
            report.cancel()
        return page

    async def _match_page(self, opened: OpenedEpisode, page: Surface | None) -> Surface | None:
        """Return the page for an episode, which needs none or one if its group has another arm."""
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

    def _require_episode(self) -> Episode:
        if self.episode is None or self.episode.is_over:
            raise PalaestraError("There is no open episode: call reset(task_id) first.")
        return self.episode

    async def _build_end(self, episode: Episode, info: StepInfo) -> Stepped:
        verdict = episode.step_queue.ack.verdict
        if verdict is None:
            verdict = await verdict_wait(self.client, episode.opened.id, limit_s=self._verdict_limit_s)
        is_terminated = verdict is not None and verdict.terminated
        rewards = await rewards_read(
            self.client, episode.opened.id, verdict=verdict, profile=self._reward_profile
        )
        reward = find_reward(verdict, rewards)
        info = {**self._build_info(episode, info, verdict), "rewards": rewards}
        # A void verdict is neither terminated nor truncated, but loops over steps treat it as truncated.
        return episode.observation, reward, is_terminated, not is_terminated, info

    def _build_info(self, episode: Episode, info: StepInfo, verdict: Verdict | None) -> StepInfo:
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
