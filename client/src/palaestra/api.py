"""Typed asynchronous client of the REST API: every call of the lab, and the waits of live."""

from __future__ import annotations

import hashlib
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec

from palaestra import curation, records
from palaestra.calls import V1, WAIT_S, Json, idempotency, present, query
from palaestra.episode_calls import EpisodeCalls
from palaestra.guidance import GuidanceCalls
from palaestra.interventions import InterventionCalls
from palaestra.labels import Label, LabelledUnit
from palaestra.message_pictures import messages_inline
from palaestra.observation import observation_id
from palaestra.paging import rows_read
from palaestra.paths import blob_path, path_of
from palaestra.records import Page
from palaestra.reward_calls import RewardCalls
from palaestra.transport import decode

PAGE_MAX = 1_000


class Client(EpisodeCalls, GuidanceCalls, InterventionCalls, RewardCalls):
    """One installation, used with one key.

    Use as ``async with Client(server, key) as client``. ``server`` is the lab's address. Every call
    raises ``ApiError`` when it is refused and ``Unreachable`` when no attempt was answered. Calls that are
    safe to repeat are retried.
    """

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # ---- the installation
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
        return await self._get("tasks", Page[records.Task], cursor=cursor, limit=limit, **query(filters))

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
        async for line in self._lab.lines(f"{V1}/tasks/export", params=query(filters)):
            yield decoder.decode(line)

    async def golds_export(self, **filters: Any) -> AsyncIterator[Json]:
        """The golds of every task that matches, streamed; the key needs the scope ``golds``."""
        async for line in self._lab.lines(f"{V1}/golds/export", params=query(filters)):
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
        return await self._post("runs", records.Run, body, headers=idempotency())

    async def run(self, run: int) -> records.Run:
        return await self._get(path_of("runs/{}", run), records.Run)

    async def runs(self, *, cursor: str | int | None = None, **filters: Any) -> Page[records.Run]:
        """One page of runs, the newest first. Filters: kind, tag, name."""
        return await self._get("runs", Page[records.Run], cursor=cursor, **filters)

    async def policy_register(
        self, run: int, *, version: int, checkpoint: str | None = None, trainer_step: int | None = None
    ) -> Any:
        """Register a policy version of the run, an integer that grows."""
        body = present(version=version, checkpoint=checkpoint, trainer_step=trainer_step)
        return await self._post(path_of("runs/{}/policy", run), Any, body, headers=idempotency())

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
        body = present(groups=groups, policy_version_before=policy_version_before, reason=reason)
        return await self._post(path_of("runs/{}/cancel", run), Any, body)

    async def groups_page(
        self,
        run: int,
        *,
        after: str | int | None = None,
        origin: str | None = None,
        profile: str | None = None,
    ) -> Page[curation.GroupState]:
        """Groups of a run as they complete, after a cursor; ``origin``: "plain", "forked", "guided" or
        "taken_over" ones alone. ``profile``: what else they are paid by than the run's own profile."""
        path = path_of("runs/{}/groups", run)
        filters = {"after": after, "origin": origin, "profile": profile}
        return await self._get(path, Page[curation.GroupState], **filters)

    async def group_refill(
        self, group: int, *, count: int, idempotency_key: str | None = None
    ) -> records.Opening:
        path, headers = path_of("groups/{}/refill", group), idempotency(idempotency_key)
        return await self._post(path, records.Opening, {"count": count}, headers=headers)

    async def groups(
        self, run: int, *, after: int = 0, timeout_s: float | None = None, **filters: str | None
    ) -> AsyncIterator[tuple[int, curation.GroupState]]:
        """Groups of a run as they complete, each once for every time that it does (a refilled group again).
        Filters are those of ``groups_page``.

        With each comes the cursor from which a crashed trainer continues: given as ``after`` it skips no
        group, and repeats those of a page that was not read to its end. Waits for more; ends when
        ``timeout_s`` seconds pass without a group, and without it never.
        """
        waited_since = time.monotonic()
        while True:
            page = await self.groups_page(run, after=after, **filters)
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

    async def successes(
        self,
        run: int,
        *,
        task: int | None = None,
        arm: str | None = None,
        policy_version_min: int | None = None,
        only_changed: bool = False,
    ) -> AsyncIterator[curation.Success]:
        """The correct episodes of a run that were played from their start and without help, newest first.
        ``only_changed`` leaves out of their ``steps`` those after which the screen was as before."""
        page_read = partial(self._get, path_of("runs/{}/successes", run), Page[curation.Success])
        filters = {"task": task, "arm": arm, "policy_version_min": policy_version_min}
        steps = "changed" if only_changed else None
        async for success in rows_read(page_read, **filters, steps=steps):
            yield success

    # ---- samplers
    async def sampler_create(
        self, *, run: int, strategy: Json, tasks: Json | None = None, seed: int | None = None, **plan: Any
    ) -> curation.Sampler:
        """A sampler of a run's next tasks. ``tasks`` filters: benchmark, split, tags, ids, difficulty_min,
        difficulty_max, evaluation_splits. Plan: rollouts, horizon, difficulty, half_life. See
        ``docs/curation.md``."""
        body = {"run": run, "strategy": strategy, **present(tasks=tasks, seed=seed), **plan}
        return await self._post("samplers", curation.Sampler, body, headers=idempotency())

    async def sampler(self, sampler: int) -> curation.Sampler:
        return await self._get(path_of("samplers/{}", sampler), curation.Sampler)

    async def samplers(self, *, run: int, cursor: str | int | None = None) -> Page[curation.Sampler]:
        """One page of a run's samplers, the newest first."""
        return await self._get("samplers", Page[curation.Sampler], run=run, cursor=cursor)

    async def sampler_draw(self, sampler: int, *, count: int, number: int | None = None) -> curation.Draw:
        """The next tasks to play. ``number`` (from 1, e.g. the trainer's step) gives a draw that was made
        before again, so that a trainer that crashed goes on with the same tasks."""
        body = present(count=count, number=number)
        return await self._post(
            path_of("samplers/{}/draw", sampler), curation.Draw, body, headers=idempotency()
        )

    async def sampler_draws(self, sampler: int, *, cursor: str | int | None = None) -> Page[curation.Draw]:
        """One page of a sampler's draws, by number."""
        return await self._get(path_of("samplers/{}/draws", sampler), Page[curation.Draw], cursor=cursor)

    # ---- reports
    async def report_create(self, *, name: str, plan: Json) -> records.ReportCreated:
        """Store an analysis plan; runs opened with ``report`` are played for it."""
        body = {"name": name, "plan": plan}
        return await self._post("reports", records.ReportCreated, body, headers=idempotency())

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
