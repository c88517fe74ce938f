"""Typed asynchronous client of the REST API: every call of the lab, and the waits of live."""

from __future__ import annotations

import base64
import hashlib
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from palaestra import curation, records
from palaestra.errors import ApiError
from palaestra.exports import Exports
from palaestra.labels import Label, LabelledUnit
from palaestra.observation import observation_id
from palaestra.paths import blob_path, path_of
from palaestra.records import Page
from palaestra.transport import RETRIES, Transport, decode

T = TypeVar("T")

WAIT_S = 20
PAGE_MAX = 1_000
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

    def __init__(self, server: str, key: str, *, timeout_s: float = 30.0, retries: int = RETRIES) -> None:
        self._lab = Transport(base_url=server, key=key, timeout_s=timeout_s, retries=retries)
        self.exports = Exports(self._lab)
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
            self._health = await self._get("health", records.Health)
        return self._health

    async def ping(self) -> None:
        """One attempt to have the installation's health now; raises if that is bad, too."""
        await self._lab.send("GET", f"{V1}/health", is_repeatable=False)

    async def capacity(self) -> records.Capacity:
        return await self._get("capacity", records.Capacity)

    async def benchmarks(self) -> list[records.Benchmark]:
        return await self._get("benchmarks", list[records.Benchmark])

    # ---- tasks
    async def tasks_page(
        self, *, cursor: str | int | None = None, limit: int | None = None, **filters: Any
    ) -> Page[records.Task]:
        """One page of tasks. Filters: benchmark, split, tag, ids (a list), difficulty_min, difficulty_max,
        drawn (``"true"``: tasks whose question has a picture)."""
        return await self._get("tasks", Page[records.Task], cursor=cursor, limit=limit, **_query(filters))

    async def tasks(self, *, limit: int = 100, **filters: Any) -> list[records.Task]:
        """The first ``limit`` tasks that match the filters, in the server's order."""
        page = await self.tasks_page(limit=min(limit, PAGE_MAX), **filters)
        tasks = page.results
        while page.next is not None and len(tasks) < limit:
            share = min(limit - len(tasks), PAGE_MAX)
            page = await self.tasks_page(cursor=page.next, limit=share, **filters)
            tasks += page.results
        return tasks[:limit]

    async def tasks_export(self, **filters: Any) -> AsyncIterator[records.Task]:
        """Every task that matches the filters, streamed."""
        decoder = msgspec.json.Decoder(records.Task)
        async for line in self._lab.lines(f"{V1}/tasks/export", params=_query(filters)):
            yield decoder.decode(line)

    async def golds_export(self, **filters: Any) -> AsyncIterator[Json]:
        """The golds of every task that matches, streamed; the key needs the scope ``golds``."""
        async for line in self._lab.lines(f"{V1}/golds/export", params=_query(filters)):
            yield decode(line, answer=Json)

    async def tasks_stats(
        self, *, run: int, cursor: str | int | None = None, recent: int | None = None
    ) -> Page[records.TaskStats]:
        """One page of a run's results by task; ``recent``: how many of its newest results count as such."""
        params = {"run": run, "cursor": cursor, "recent": recent}
        return await self._get("tasks/stats", Page[records.TaskStats], **params)

    # ---- runs
    async def run_create(self, *, name: str, kind: str = "eval", **fields: Any) -> records.Run:
        """Open a run. Fields: model, checkpoint, observation (an id or a short name), observation_settings,
        grammar, history, actions_per_turn, affordances, settings, tags, simulated, report."""
        shown = {"observation": observation_id(fields["observation"])} if "observation" in fields else {}
        body = {"name": name, "kind": kind, **fields, **shown}
        return await self._post("runs", records.Run, body, headers=_idempotency())

    async def run(self, run: int) -> records.Run:
        return await self._get(path_of("runs/{}", run), records.Run)

    async def runs(self, *, cursor: str | int | None = None, **filters: Any) -> Page[records.Run]:
        """One page of runs, the newest first. Filters: kind, tag, name."""
        return await self._get("runs", Page[records.Run], cursor=cursor, **filters)

    async def policy_register(
        self, run: int, *, version: int, checkpoint: str | None = None, trainer_step: int | None = None
    ) -> Any:
        """Register a policy version of the run, an integer that grows."""
        body = _present(version=version, checkpoint=checkpoint, trainer_step=trainer_step)
        return await self._post(path_of("runs/{}/policy", run), Any, body, headers=_idempotency())

    async def metrics_post(self, run: int, *, policy_version: int, values: dict[str, float]) -> Any:
        body = {"policy_version": policy_version, "values": values}
        return await self._post(path_of("runs/{}/metrics", run), Any, body, is_repeatable=False)

    async def prompt_sizes_post(
        self, run: int, *, history: str, episodes: Sequence[records.PromptSize]
    ) -> Any:
        """Store how long prompts of up to 1,000 episodes are under a history; newer sizes replace older."""
        return await self._post(
            path_of("runs/{}/prompt_sizes", run), Any, {"history": history, "episodes": episodes}
        )

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
        return await self._post(path_of("runs/{}/cancel", run), Any, body)

    async def groups_page(self, run: int, *, after: str | int | None = None) -> Page[curation.GroupState]:
        """Groups of a run as they complete, after a cursor."""
        return await self._get(path_of("runs/{}/groups", run), Page[curation.GroupState], after=after)

    async def group_refill(
        self, group: int, *, count: int, idempotency_key: str | None = None
    ) -> records.Opening:
        path, headers = path_of("groups/{}/refill", group), _idempotency(idempotency_key)
        return await self._post(path, records.Opening, {"count": count}, headers=headers)

    async def groups(
        self, run: int, *, after: int = 0, timeout_s: float | None = None
    ) -> AsyncIterator[tuple[int, curation.GroupState]]:
        """Groups of a run as they complete, each once for every time that it does (a refilled group again).

        With each comes the cursor from which a crashed trainer continues: given as ``after`` it skips no
        group, and repeats those of a page that was not read to its end. Waits for more; ends when
        ``timeout_s`` seconds pass without a group, and without it never.
        """
        waited_since = time.monotonic()
        while True:
            page = await self.groups_page(run, after=after)
            for group in page.results:
                yield after if group is not page.results[-1] else int(page.next or 0), group
            after = int(page.next or 0)
            if page.results:
                waited_since = time.monotonic()
                continue
            left_s = WAIT_S if timeout_s is None else timeout_s - (time.monotonic() - waited_since)
            if left_s <= 0:
                return
            # Both cursors are places in the run's verdict stream: a group completes with a verdict.
            await self.wait_verdicts(run, after=after, timeout_s=max(1, min(WAIT_S, int(left_s))))

    # ---- samplers
    async def sampler_create(
        self, *, run: int, strategy: Json, tasks: Json | None = None, seed: int | None = None, **plan: Any
    ) -> curation.Sampler:
        """A sampler of a run's next tasks. ``tasks`` filters: benchmark, split, tags, ids, difficulty_min,
        difficulty_max, evaluation_splits. Plan: rollouts, horizon, difficulty, half_life. See
        ``docs/curation.md``."""
        body = {"run": run, "strategy": strategy, **_present(tasks=tasks, seed=seed), **plan}
        return await self._post("samplers", curation.Sampler, body, headers=_idempotency())

    async def sampler(self, sampler: int) -> curation.Sampler:
        return await self._get(path_of("samplers/{}", sampler), curation.Sampler)

    async def samplers(self, *, run: int, cursor: str | int | None = None) -> Page[curation.Sampler]:
        """One page of a run's samplers, the newest first."""
        return await self._get("samplers", Page[curation.Sampler], run=run, cursor=cursor)

    async def sampler_draw(self, sampler: int, *, count: int, number: int | None = None) -> curation.Draw:
        """The next tasks to play. ``number`` (from 1, e.g. the trainer's step) gives a draw that was made
        before again, so that a trainer that crashed goes on with the same tasks."""
        body = _present(count=count, number=number)
        return await self._post(
            path_of("samplers/{}/draw", sampler), curation.Draw, body, headers=_idempotency()
        )

    async def sampler_draws(self, sampler: int, *, cursor: str | int | None = None) -> Page[curation.Draw]:
        """One page of a sampler's draws, by number."""
        return await self._get(path_of("samplers/{}/draws", sampler), Page[curation.Draw], cursor=cursor)

    # ---- reports
    async def report_create(self, *, name: str, plan: Json) -> records.ReportCreated:
        """Store an analysis plan; runs opened with ``report`` are played for it."""
        body = {"name": name, "plan": plan}
        return await self._post("reports", records.ReportCreated, body, headers=_idempotency())

    async def report(self, report: int) -> records.Report:
        return await self._get(path_of("reports/{}", report), records.Report)

    async def reports(self, *, cursor: str | int | None = None) -> Page[records.ReportSummary]:
        """One page of reports, the newest first."""
        return await self._get("reports", Page[records.ReportSummary], cursor=cursor)

    async def report_compute(self, report: int) -> records.ReportSummary:
        """Ask for a report's tables; they are computed in the background."""
        return await self._post(path_of("reports/{}/compute", report), records.ReportSummary, {})

    async def report_files(self, report: int) -> list[records.ReportFile]:
        """The files of a report: its page, its episodes row by row, each table and each chart."""
        return (await self._get(path_of("reports/{}/files", report), records.ReportFiles)).results

    async def report_file(self, report: int, name: str) -> AsyncIterator[bytes]:
        """The content of one file, streamed."""
        async for part in self._lab.parts(V1 + path_of("/reports/{}/files/{}", report, name)):
            yield part

    # ---- episodes
    async def episodes_open(
        self, *, run: int, tasks: Sequence[int], arm: str, idempotency_key: str | None = None, **fields: Any
    ) -> records.Opening:
        """Open one group per task. Fields: samples_per_task, policy_version, seed, max_steps, token_budget,
        recording, presentation, looks, answer_channel, guidance, and in the arm ``text_few_shot`` shots (the
        number of solved examples); those that are None are left out."""
        body = {"run": run, "tasks": list(tasks), "arm": arm, **_present(**fields)}
        return await self._post("episodes", records.Opening, body, headers=_idempotency(idempotency_key))

    async def steps_post(self, episode: int, steps: Sequence[records.Step]) -> records.StepsAck:
        """Record steps. Repeating a step changes nothing; the same index with other content raises 409."""
        return await self._post(path_of("episodes/{}/steps", episode), records.StepsAck, {"steps": steps})

    async def submission_post(self, episode: int, *, answer: records.Answer) -> Any:
        return await self._post(path_of("episodes/{}/submission", episode), Any, {"answer": answer})

    async def episode_close(self, episode: int, *, reason: records.CloseReason, detail: str = "") -> Any:
        body = {"reason": reason, "detail": detail}
        return await self._post(path_of("episodes/{}/close", episode), Any, body, headers=_idempotency())

    async def episode(self, episode: int) -> records.EpisodeState:
        return await self._get(path_of("episodes/{}", episode), records.EpisodeState)

    async def episodes_page(self, **filters: Any) -> Page[records.EpisodeState]:
        """One page of episodes. Filters: run, group, status, cursor."""
        return await self._get("episodes", Page[records.EpisodeState], **filters)

    async def episode_resume(self, episode: int) -> records.Resumed:
        return await self._post(path_of("episodes/{}/resume", episode), records.Resumed, {})

    async def heartbeat(self, episodes: Sequence[int]) -> records.Liveness:
        return await self._post("heartbeat", records.Liveness, {"episodes": list(episodes)})

    async def trajectory(self, episode: int) -> Json:
        return await self._get(path_of("episodes/{}/trajectory", episode), Json)

    async def episode_messages(self, episode: int) -> list[records.Message]:
        """The messages that opened an episode; see ``palaestra.conversation``."""
        answer = await self._get(path_of("episodes/{}/messages", episode), Json)
        return list(answer["messages"])

    async def trajectories(self, run: int) -> AsyncIterator[Json]:
        """Every trajectory of a run, streamed."""
        async for line in self._lab.lines(V1 + path_of("/runs/{}/trajectories", run)):
            yield decode(line, answer=Json)

    # ---- labels
    async def labels(self, *, cursor: str | int | None = None, **filters: Any) -> Page[Label]:
        """One page of labels, oldest first. Filters: project, episode, run, arm, layer, annotator_kind,
        answer (``"type:reasoning"``), limit."""
        params = {"cursor": cursor, **filters}
        return await self._lab.call("GET", f"{V1}/labels", answer=Page[Label], params=params)

    async def episode_labels(self, episode: int) -> list[LabelledUnit]:
        """The labelled units of an episode, each with what counts as its label."""
        return (await self._get(path_of("episodes/{}/labels", episode), Page[LabelledUnit])).results

    # ---- blobs
    async def blobs_missing(self, digests: Iterable[str]) -> list[str]:
        """The SHA-256 digests (hex) that the server does not hold yet."""
        return (await self._post("blobs/missing", records.Missing, {"sha256": list(digests)})).missing

    async def blob_put(self, content: bytes, *, content_type: str = "application/octet-stream") -> str:
        """Store bytes and return their SHA-256 in hex."""
        digest = hashlib.sha256(content).hexdigest()
        headers = {"Content-Type": content_type}
        await self._lab.send("PUT", blob_path(digest), content=content, headers=headers)
        return digest

    async def blobs_put(self, contents: Iterable[bytes], *, content_type: str) -> list[str]:
        """Store the contents that the server lacks; returns the digests of all, in order."""
        by_digest = {hashlib.sha256(content).hexdigest(): content for content in contents}
        for digest in await self.blobs_missing(by_digest) if by_digest else []:
            await self.blob_put(by_digest[digest], content_type=content_type)
        return list(by_digest)

    async def blob_get(self, digest: str) -> bytes:
        return (await self._lab.send("GET", blob_path(digest))).content

    async def messages_inline(self, messages: Iterable[records.Message]) -> list[records.Message]:
        """The messages with the lab's pictures inlined, for a model server that cannot reach the lab."""
        return await messages_inline(messages, blob_get=self.blob_get)

    # ---- waits, answered by live
    async def wait_episode(self, episode: int, *, timeout_s: int = WAIT_S) -> records.EpisodeState:
        """The episode as soon as it has a verdict, or as it is when ``timeout_s`` seconds have passed."""
        return await self._wait(path_of("episodes/{}", episode), records.EpisodeState, timeout_s)

    async def wait_verdicts(
        self, run: int, *, after: str | int | None = None, timeout_s: int = WAIT_S
    ) -> Page[records.StreamedVerdict]:
        """Verdicts of a run after a cursor, each exactly once, as soon as there is one."""
        path = path_of("runs/{}/verdicts", run)
        return await self._wait(path, Page[records.StreamedVerdict], timeout_s, after=after)

    # ---- inside
    async def _get(self, path: str, answer: type[T], **params: Any) -> T:
        return await self._lab.call("GET", f"{V1}/{path}", answer=answer, params=params)

    async def _post(self, path: str, answer: type[T], body: Json, **options: Any) -> T:
        return await self._lab.call("POST", f"{V1}/{path}", answer=answer, body=body, **options)

    async def _wait(self, path: str, answer: type[T], timeout_s: int, **params: Any) -> T:
        address = (await self.health()).live_url
        if not address:
            raise ApiError(status=503, code="no_live", message="The server gives no address for waits.")
        if self._live is None:
            self._live = Transport(base_url=address, key=self._key)
        params["timeout"] = timeout_s
        limit_s = timeout_s + WAIT_MARGIN_S
        return await self._live.call("GET", f"/wait/{path}", answer=answer, params=params, timeout_s=limit_s)


def blobs_named(messages: Iterable[records.Message]) -> list[str]:
    """The SHA-256 of every picture of the lab that the messages show."""
    parts = [
        part for message in messages if isinstance(message["content"], list) for part in message["content"]
    ]
    links = [_BLOB.search(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]
    return [link[1] for link in links if link is not None]


async def messages_inline(
    messages: Iterable[records.Message], *, blob_get: Callable[[str], Awaitable[bytes]]
) -> list[records.Message]:
    """As ``Client.messages_inline``, with the pictures that ``blob_get`` gives by their SHA-256."""

    async def inline(part: Json) -> Json:
        match = _BLOB.search(part["image_url"]["url"]) if part["type"] == "image_url" else None
        if match is None:
            return part
        content = base64.b64encode(await blob_get(match[1])).decode("ascii")
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{content}"}}

    return [
        message
        if isinstance(message["content"], str)
        else {**message, "content": [await inline(part) for part in message["content"]]}
        for message in messages
    ]


def _idempotency(key: str | None = None) -> dict[str, str]:
    return {"Idempotency-Key": key or uuid.uuid4().hex}


def _present(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _query(filters: Json) -> Json:
    return {k: ",".join(map(str, v)) if isinstance(v, (list, tuple)) else v for k, v in filters.items()}
