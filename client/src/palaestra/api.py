"""Typed asynchronous client of the REST API: every call of the lab, and the waits of live."""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

import msgspec

from palaestra import records
from palaestra.errors import ApiError
from palaestra.transport import Transport, decode

WAIT_S = 20
WAIT_MARGIN_S = 10.0
V1 = "/api/v1"
_BLOB = re.compile(r"/api/v1/blobs/([0-9a-f]{64})$")
Json = dict[str, Any]


class Client:
    """One installation, used with one key.

    Use as ``async with Client(server, key) as client``. ``server`` is the lab's address. Every call
    raises ``ApiError`` when it is refused and ``Unreachable`` when no attempt was answered. Calls that are
    safe to repeat are retried.
    """

    def __init__(self, server: str, key: str, *, timeout_s: float = 30.0, retries: int | None = None) -> None:
        options: dict[str, Any] = {} if retries is None else {"retries": retries}
        self._lab = Transport(base_url=server, key=key, timeout_s=timeout_s, **options)
        self._live: Transport | None = None
        self._key = key
        self._health: records.Health | None = None

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._lab.aclose()
        if self._live is not None:
            await self._live.aclose()

    # ---- the installation
    async def health(self) -> records.Health:
        """The state of the installation and the addresses of arena and live; cached."""
        if self._health is None:
            self._health = await self._lab.call("GET", f"{V1}/health", answer=records.Health)
        return self._health

    async def capacity(self) -> records.Capacity:
        return await self._lab.call("GET", f"{V1}/capacity", answer=records.Capacity)

    async def benchmarks(self) -> list[records.Benchmark]:
        return await self._lab.call("GET", f"{V1}/benchmarks", answer=list[records.Benchmark])

    # ---- tasks
    async def tasks_page(
        self, *, cursor: str | int | None = None, limit: int | None = None, **filters: Any
    ) -> records.TaskPage:
        """One page of tasks. Filters: benchmark, split, tag, ids (a list), difficulty_min, difficulty_max."""
        params = {**_query(filters), "cursor": cursor, "limit": limit}
        return await self._lab.call("GET", f"{V1}/tasks", params=params, answer=records.TaskPage)

    async def tasks(self, *, limit: int = 100, **filters: Any) -> list[records.Task]:
        """The first ``limit`` tasks that match the filters, in the server's order."""
        tasks: list[records.Task] = []
        cursor: str | int | None = None
        while len(tasks) < limit:
            page = await self.tasks_page(cursor=cursor, limit=limit - len(tasks), **filters)
            tasks.extend(page.results)
            cursor = page.next
            if cursor is None:
                break
        return tasks[:limit]

    async def tasks_export(self, **filters: Any) -> AsyncIterator[records.Task]:
        """Every task that matches the filters, streamed."""
        decoder = msgspec.json.Decoder(records.Task)
        async for line in self._lab.lines(f"{V1}/tasks/export", params=_query(filters)):
            yield decoder.decode(line)

    async def tasks_stats(self, *, run: int) -> Any:
        return await self._lab.call("GET", f"{V1}/tasks/stats", params={"run": run}, answer=Any)

    # ---- runs
    async def run_create(self, *, name: str, kind: str = "eval", **fields: Any) -> records.Run:
        """Open a run. Fields: model, checkpoint, observation, affordances, settings, tags, simulated."""
        body = {"name": name, "kind": kind, **fields}
        return await self._lab.call(
            "POST", f"{V1}/runs", body=body, headers=_idempotency(), answer=records.Run
        )

    async def run(self, run: int) -> records.Run:
        return await self._lab.call("GET", f"{V1}/runs/{run}", answer=records.Run)

    async def runs(self, *, cursor: str | int | None = None) -> Any:
        return await self._lab.call("GET", f"{V1}/runs", params={"cursor": cursor}, answer=Any)

    async def policy_register(
        self, run: int, *, version: int, checkpoint: str | None = None, trainer_step: int | None = None
    ) -> Any:
        """Register a policy version of the run, an integer that grows."""
        body = _present(version=version, checkpoint=checkpoint, trainer_step=trainer_step)
        return await self._lab.call(
            "POST", f"{V1}/runs/{run}/policy", body=body, headers=_idempotency(), answer=Any
        )

    async def metrics_post(self, run: int, *, policy_version: int, values: dict[str, float]) -> Any:
        body = {"policy_version": policy_version, "values": values}
        path = f"{V1}/runs/{run}/metrics"
        return await self._lab.call("POST", path, body=body, answer=Any, is_repeatable=False)

    async def run_cancel(
        self,
        run: int,
        *,
        reason: str,
        groups: Sequence[int] | None = None,
        policy_version_before: int | None = None,
    ) -> Any:
        """End episodes as void/``cancelled``: some groups, or all older than a policy version."""
        body = _present(groups=groups, policy_version_before=policy_version_before, reason=reason)
        return await self._lab.call("POST", f"{V1}/runs/{run}/cancel", body=body, answer=Any)

    async def groups_page(self, run: int, *, after: str | int | None = None) -> records.GroupPage:
        """Groups of a run as they complete, after a cursor."""
        path = f"{V1}/runs/{run}/groups"
        return await self._lab.call("GET", path, params={"after": after}, answer=records.GroupPage)

    async def group_refill(self, group: int, *, count: int) -> records.Opening:
        path = f"{V1}/groups/{group}/refill"
        body = {"count": count}
        return await self._lab.call("POST", path, body=body, headers=_idempotency(), answer=records.Opening)

    # ---- episodes
    async def episodes_open(
        self, *, run: int, tasks: Sequence[int], arm: str, idempotency_key: str | None = None, **fields: Any
    ) -> records.Opening:
        """Open one group per task. Fields: samples_per_task, policy_version, seed, max_steps, token_budget,
        recording, presentation, looks, answer_channel, guidance, and in the arm ``text_few_shot`` shots (the
        number of solved examples); those that are None are left out."""
        body = {"run": run, "tasks": list(tasks), "arm": arm, **_present(**fields)}
        headers = _idempotency(idempotency_key)
        return await self._lab.call(
            "POST", f"{V1}/episodes", body=body, headers=headers, answer=records.Opening
        )

    async def steps_post(self, episode: int, steps: Sequence[records.Step]) -> records.StepsAck:
        """Record steps. Repeating a step changes nothing; the same index with other content raises 409."""
        path = f"{V1}/episodes/{episode}/steps"
        return await self._lab.call("POST", path, body={"steps": steps}, answer=records.StepsAck)

    async def submission_post(self, episode: int, *, answer: records.Answer) -> Any:
        path = f"{V1}/episodes/{episode}/submission"
        return await self._lab.call("POST", path, body={"answer": answer}, answer=Any)

    async def episode_close(self, episode: int, *, reason: records.CloseReason, detail: str = "") -> Any:
        path = f"{V1}/episodes/{episode}/close"
        body = {"reason": reason, "detail": detail}
        return await self._lab.call("POST", path, body=body, headers=_idempotency(), answer=Any)

    async def episode(self, episode: int) -> records.EpisodeState:
        return await self._lab.call("GET", f"{V1}/episodes/{episode}", answer=records.EpisodeState)

    async def episodes_page(self, **filters: Any) -> records.EpisodePage:
        """One page of episodes. Filters: run, group, status, cursor."""
        return await self._lab.call("GET", f"{V1}/episodes", params=filters, answer=records.EpisodePage)

    async def episode_resume(self, episode: int) -> records.Resumed:
        path = f"{V1}/episodes/{episode}/resume"
        return await self._lab.call("POST", path, body={}, answer=records.Resumed)

    async def heartbeat(self, episodes: Sequence[int]) -> records.Liveness:
        body = {"episodes": list(episodes)}
        return await self._lab.call("POST", f"{V1}/heartbeat", body=body, answer=records.Liveness)

    async def trajectory(self, episode: int) -> Json:
        return await self._lab.call("GET", f"{V1}/episodes/{episode}/trajectory", answer=Json)

    async def trajectories(self, run: int) -> AsyncIterator[Json]:
        """Every trajectory of a run, streamed."""
        async for line in self._lab.lines(f"{V1}/runs/{run}/trajectories"):
            yield decode(line, answer=Json)

    # ---- blobs
    async def blobs_missing(self, digests: Iterable[str]) -> list[str]:
        """The SHA-256 digests (hex) that the server does not hold yet."""
        body = {"sha256": list(digests)}
        answer = await self._lab.call("POST", f"{V1}/blobs/missing", body=body, answer=records.Missing)
        return answer.missing

    async def blob_put(self, content: bytes, *, content_type: str = "application/octet-stream") -> str:
        """Store bytes and return their SHA-256 in hex."""
        digest = hashlib.sha256(content).hexdigest()
        headers = {"Content-Type": content_type}
        await self._lab.send("PUT", f"{V1}/blobs/{digest}", content=content, headers=headers)
        return digest

    async def blobs_put(self, contents: Iterable[bytes], *, content_type: str) -> list[str]:
        """Store the contents that the server lacks; returns the digests of all, in order."""
        by_digest = {hashlib.sha256(content).hexdigest(): content for content in contents}
        for digest in await self.blobs_missing(by_digest) if by_digest else []:
            await self.blob_put(by_digest[digest], content_type=content_type)
        return list(by_digest)

    async def blob_get(self, digest: str) -> bytes:
        return (await self._lab.send("GET", f"{V1}/blobs/{digest}")).content

    async def messages_inline(self, messages: Iterable[records.Message]) -> list[records.Message]:
        """The messages with the lab's pictures inlined, for a model server that cannot reach the lab."""
        return [await self._inline(message) for message in messages]

    async def _inline(self, message: records.Message) -> records.Message:
        if isinstance(message["content"], str):
            return message
        parts = [await self._part_inline(part) for part in message["content"]]
        return {**message, "content": parts}

    async def _part_inline(self, part: dict[str, Any]) -> dict[str, Any]:
        match = _BLOB.search(part["image_url"]["url"]) if part["type"] == "image_url" else None
        if match is None:
            return part
        content = base64.b64encode(await self.blob_get(match[1])).decode("ascii")
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{content}"}}

    # ---- waits, answered by live
    async def wait_episode(self, episode: int, *, timeout_s: int = WAIT_S) -> records.EpisodeState:
        """The episode as soon as it has a verdict, or as it is when ``timeout_s`` seconds have passed."""
        live = await self._live_transport()
        return await live.call(
            "GET",
            f"/wait/episodes/{episode}",
            params={"timeout": timeout_s},
            answer=records.EpisodeState,
            timeout_s=timeout_s + WAIT_MARGIN_S,
        )

    async def wait_verdicts(
        self, run: int, *, after: str | int | None = None, timeout_s: int = WAIT_S
    ) -> records.VerdictPage:
        """Verdicts of a run after a cursor, each exactly once, as soon as there is one."""
        live = await self._live_transport()
        return await live.call(
            "GET",
            f"/wait/runs/{run}/verdicts",
            params={"after": after, "timeout": timeout_s},
            answer=records.VerdictPage,
            timeout_s=timeout_s + WAIT_MARGIN_S,
        )

    async def _live_transport(self) -> Transport:
        if self._live is None:
            address = (await self.health()).live_url
            if not address:
                raise ApiError(status=503, code="no_live", message="The server gives no address for waits.")
            self._live = Transport(base_url=address, key=self._key)
        return self._live


def _idempotency(key: str | None = None) -> dict[str, str]:
    return {"Idempotency-Key": key or uuid.uuid4().hex}


def _present(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _query(filters: Json) -> Json:
    return {k: ",".join(map(str, v)) if isinstance(v, (list, tuple)) else v for k, v in filters.items()}
