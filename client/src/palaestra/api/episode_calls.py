"""API calls about episodes, and the waits for their verdicts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from palaestra import records
from palaestra.api.calls import WAIT_S, Calls, Json, build_idempotency
from palaestra.http.paths import V1, build_path
from palaestra.http.transport import decode, drop_missing
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Page
from palaestra.records.recipes import Recipe

DETAIL_CHARS = 500
"""Most characters of the detail that is sent when an episode is closed."""


class EpisodeCalls(Calls):
    """Calls that open, record and close episodes."""

    async def episodes_open(
        self, *, run: int, tasks: Sequence[int], arm: str, idempotency_key: str | None = None, **fields: Any
    ) -> records.Opening:
        """Open one group per task.

        Fields: samples_per_task, policy_version, seed, max_steps, token_budget, recording, presentation,
        looks, answer_channel, guidance, and in the arm ``text_few_shot`` shots (the number of solved
        examples). Fields that are None are left out.
        """
        body = {"run": run, "tasks": list(tasks), "arm": arm, **drop_missing(**fields)}
        return await self._post("episodes", records.Opening, body, headers=build_idempotency(idempotency_key))

    async def episode_fork(
        self, episode: int, *, step: int, count: int = 1, idempotency_key: str | None = None, **fields: Any
    ) -> records.Opening:
        """Open ``count`` forks of an ended episode after ``step`` (0: its beginning).

        Fields: run, policy_version, max_steps, token_budget. Fields that are None are left out.
        """
        body = {"step": step, "count": count, **drop_missing(**fields)}
        path = build_path("episodes/{}/fork", episode)
        return await self._post(path, records.Opening, body, headers=build_idempotency(idempotency_key))

    async def forks_open(
        self, forks: Sequence[Json], *, idempotency_key: str | None = None
    ) -> records.Opening:
        """Open forks of several episodes, all or none; each item is ``{"episode", "step", "count", ...}``."""
        headers = build_idempotency(idempotency_key)
        return await self._post("forks", records.Opening, {"forks": list(forks)}, headers=headers)

    async def episode_restore(self, episode: int) -> Recipe:
        """Copy the parent's server-side state into a fork, and return the recipe that restores its page."""
        return await self._post(build_path("episodes/{}/restore", episode), Recipe, {})

    async def episode_tree(self, episode: int, *, cursor: str | None = None) -> Json:
        """Return a page of the tree of forks around an episode, parents first: ``results`` and ``next``."""
        return await self._get(build_path("episodes/{}/tree", episode), Json, cursor=cursor)

    async def step_values_store(self, episode: int, values: Sequence[Json]) -> Json:
        """Store a search's values of the states after steps; each is ``{"step", "value", "visits"}``."""
        return await self._post(build_path("episodes/{}/values", episode), Json, {"values": list(values)})

    async def steps_post(self, episode: int, steps: Sequence[records.Step]) -> records.StepsAck:
        """Record steps. Repeating a step has no effect; different content for an index is refused (409)."""
        return await self._post(build_path("episodes/{}/steps", episode), records.StepsAck, {"steps": steps})

    async def submission_post(
        self, episode: int, *, answer: records.Answer, number: int = 1
    ) -> records.SubmissionAck:
        """Submit an answer.

        In a run with answer checks, the reply's ``check`` asks the agent to check its first answer. The
        second answer, with ``number`` 2, is then the one that counts.
        """
        body = {"answer": answer, **({"number": number} if number > 1 else {})}
        return await self._post(build_path("episodes/{}/submission", episode), records.SubmissionAck, body)

    async def tool_call(
        self, episode: int, *, step: int, tool: str, arguments: Mapping[str, str]
    ) -> records.ToolAnswer:
        """Call one of the task's tools in a step of an episode without a page.

        If a call is repeated for the same step, the tool still runs only once.
        """
        body = {"step": step, "tool": tool, "arguments": dict(arguments)}
        return await self._post(build_path("episodes/{}/tool_calls", episode), records.ToolAnswer, body)

    async def episode_close(self, episode: int, *, reason: CloseReason, detail: str = "") -> Any:
        body = {"reason": reason, "detail": detail}
        return await self._post(
            build_path("episodes/{}/close", episode), Any, body, headers=build_idempotency()
        )

    async def episode(self, episode: int) -> records.EpisodeState:
        return await self._get(build_path("episodes/{}", episode), records.EpisodeState)

    async def episodes_page(self, **filters: Any) -> Page[records.EpisodeState]:
        """Return one page of episodes. Filters: run, group, status, origin, cursor."""
        return await self._get("episodes", Page[records.EpisodeState], **filters)

    async def episode_resume(self, episode: int) -> records.Resumed:
        return await self._post(build_path("episodes/{}/resume", episode), records.Resumed, {})

    async def heartbeat(self, episodes: Sequence[int]) -> records.Liveness:
        return await self._post("heartbeat", records.Liveness, {"episodes": list(episodes)})

    async def trajectory(self, episode: int, *, profile: str | None = None) -> Json:
        """Return an episode and its whole record, with the payments of ``profile`` or the run's profile."""
        return await self._get(build_path("episodes/{}/trajectory", episode), Json, profile=profile)

    async def episode_messages(self, episode: int) -> list[records.Message]:
        """Return the messages that opened an episode.

        In a fork, they are followed by the messages that its parent had been sent by then, marked ``copied``;
        see ``palaestra.conversation``.
        """
        answer = await self._get(build_path("episodes/{}/messages", episode), Json)
        return list(answer["messages"])

    async def opening_messages(self, episode: int) -> list[records.Message]:
        """Return the messages that opened an episode, or the first ancestor of a fork.

        In an intervention's continuation, they are followed by the beginning of the model's next message,
        marked ``prefill``.
        """
        messages = await self.episode_messages(episode)
        return [message for message in messages if not message.get("copied")]

    async def trajectories(self, run: int, *, profile: str | None = None) -> AsyncIterator[Json]:
        """Stream every trajectory of a run."""
        path = V1 + build_path("/runs/{}/trajectories", run)
        async for line in self._lab.lines(path, params={"profile": profile}):
            yield decode(line, answer=Json)

    # ---- waits, answered by live
    async def wait_episode(self, episode: int, *, timeout_s: int = WAIT_S) -> records.EpisodeState:
        """Return the episode as soon as it has a verdict, or its state after ``timeout_s`` seconds."""
        return await self._wait(build_path("episodes/{}", episode), records.EpisodeState, timeout_s)

    async def wait_verdicts(
        self, run: int, *, after: str | int | None = None, timeout_s: int = WAIT_S
    ) -> Page[records.StreamedVerdict]:
        """Wait for verdicts of a run after a cursor, and return them; each verdict comes exactly once."""
        path = build_path("runs/{}/verdicts", run)
        return await self._wait(path, Page[records.StreamedVerdict], timeout_s, after=after)
