"""``Env``: one task at a time, reset and step, as a trainer or an evaluation loop wants it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any, TypedDict

from palaestra.api import Client
from palaestra.episode import Completion, Episode, Manner
from palaestra.errors import PageDead, PageHung, PalaestraError, TabClosed, Unreachable
from palaestra.observation import Kind, Observation
from palaestra.pages import VIEWPORT
from palaestra.pool import PagePool
from palaestra.records import CloseReason, Verdict
from palaestra.waiting import VERDICT_LIMIT_S, Heart, verdict_wait


class StepInfo(TypedDict, total=False):
    """What ``step`` tells beside the reward. ``reason`` is the verdict's, None while the episode goes on."""

    episode: int
    task: int
    step: int
    action: dict[str, Any] | None
    action_result: str
    parse_error: str | None
    verdict: Verdict | None
    reason: str | None


Stepped = tuple[Observation, float | None, bool, bool, StepInfo]


class Env:
    """One warm page (in arms that have one) and one episode at a time.

    ``arm`` is how tasks are presented, ``observation`` what is shown of a page (``axtree``, ``screenshot``,
    ``both``). Other keywords of opening (``policy_version``, ``seed``, ``max_steps``, ``token_budget``,
    ``presentation``, ``looks``, ``recording``, ``answer_channel``, ``shots``) are passed on.
    ``with_pictures`` records a screenshot with every step.
    """

    def __init__(
        self,
        server: str,
        key: str,
        *,
        run: int,
        observation: Kind = "axtree",
        arm: str = "gym",
        with_pictures: bool = False,
        invalid_limit: int | None = None,
        verdict_limit_s: float = VERDICT_LIMIT_S,
        viewport: tuple[int, int] = VIEWPORT,
        pool: PagePool | None = None,
        **opening: Any,
    ) -> None:
        self.client = Client(server, key)
        self.episode: Episode | None = None
        self._run, self._arm, self._opening = run, arm, opening
        self._verdict_limit_s = verdict_limit_s
        self._viewport = viewport
        self._manner = Manner(
            observation=observation,
            answer_channel=opening.get("answer_channel") or "page",
            token_budget=opening.get("token_budget"),
            invalid_limit=invalid_limit,
            with_pictures=with_pictures,
        )
        self._pool = pool
        self._owns_pool = pool is None
        self._heart = Heart(self.client)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Env:
        self._stack.push_async_callback(self.client.aclose)
        await self._stack.enter_async_context(self._heart)
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._abandon()
        finally:
            if self._pool is not None and self._owns_pool:
                await self._pool.aclose()
            await self._stack.aclose()

    async def reset(self, task_id: int) -> Observation:
        """Open an episode of a task and bring the page to it; one still open ends ``cancelled``."""
        await self._abandon()
        opening = await self.client.episodes_open(
            run=self._run, tasks=[task_id], arm=self._arm, **self._opening
        )
        opened = opening.episodes[0]
        self._heart.beating.add(opened.id)
        self.episode = Episode(self.client, opened, messages=opening.messages_of(opened), manner=self._manner)
        try:
            if opened.start_url is not None:
                pool = await self._pages()
                self.episode.page = await pool.acquire()
                self.episode.renew = pool.renew
            return await self.episode.begin()
        except (PageDead, PageHung, TabClosed, Unreachable) as failure:
            await self._finish("harness_error", str(failure))
            raise

    async def step(self, completion: str | Completion) -> Stepped:
        """Take one completion: ``(observation, reward, terminated, truncated, info)``.

        Bad completions and failing actions are observations. ``reward`` is None while the episode goes on and
        when its verdict is void; ``terminated`` and ``truncated`` say which way it ended, a void being
        truncated: one of the two is true at every end.
        """
        episode = self._open()
        try:
            turned = await episode.turn(completion)
            await episode.recorder.flush()  # whoever is told of a step may rely on its being stored
        except (PageDead, PageHung, TabClosed) as failure:
            await self._finish("harness_error", str(failure))
            return await self._ended(episode, {"action_result": "timeout"})
        info: StepInfo = {
            "action": turned.turn.stated,
            "action_result": turned.outcome.result,
            "parse_error": turned.turn.parse_error,
        }
        if turned.is_over:
            await self._let_go()
            return await self._ended(episode, info)
        return turned.observation, None, False, False, self._told(episode, info, None)

    async def stop(self, reason: CloseReason = "agent_stopped", detail: str = "") -> Stepped:
        """End the episode without an answer, and return as ``step`` does."""
        episode = self._open()
        await self._finish(reason, detail)
        return await self._ended(episode, {})

    # ---- inside
    def _open(self) -> Episode:
        if self.episode is None or self.episode.is_over:
            raise PalaestraError("There is no open episode: call reset(task_id) first.")
        return self.episode

    async def _pages(self) -> PagePool:
        if self._pool is None:
            origin = (await self.client.health()).arena_url
            self._pool = PagePool(origin=origin, size=1, viewport=self._viewport)
        return self._pool

    async def _ended(self, episode: Episode, info: StepInfo) -> Stepped:
        verdict = episode.recorder.ack.verdict
        if verdict is None:
            verdict = await verdict_wait(self.client, episode.opened.id, limit_s=self._verdict_limit_s)
        told = self._told(episode, info, verdict)
        is_terminated = verdict is not None and verdict.terminated
        reward = verdict.reward if verdict else None
        # A void is neither in the verdict; to a loop over steps it is an end that was not the task's own.
        return episode.observation, reward, is_terminated, not is_terminated, told

    def _told(self, episode: Episode, info: StepInfo, verdict: Verdict | None) -> StepInfo:
        told: StepInfo = {"episode": episode.opened.id, "task": episode.opened.task, "step": episode.steps}
        told.update(info)
        told.update({"verdict": verdict, "reason": verdict.reason if verdict else None})
        return told

    async def _abandon(self) -> None:
        if self.episode is not None and not self.episode.is_over:
            await self._finish("cancelled", "left before its end")

    async def _finish(self, reason: CloseReason, detail: str) -> None:
        try:
            if self.episode is not None:
                await self.episode.close(reason, detail)
        finally:
            await self._let_go(is_healthy=reason != "harness_error")

    async def _let_go(self, *, is_healthy: bool = True) -> None:
        if self.episode is None:
            return
        self._heart.beating.discard(self.episode.opened.id)
        page, self.episode.page = self.episode.page, None
        if page is not None and self._pool is not None:
            await self._pool.release(page, is_healthy=is_healthy)
