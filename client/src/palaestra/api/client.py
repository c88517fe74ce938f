"""Typed asynchronous client of the lab's REST API and live's long polls."""

from __future__ import annotations

import hashlib
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec

from palaestra import records
from palaestra.api.calls import WAIT_S, Json, build_idempotency, encode_filters, rows_read
from palaestra.api.episode_calls import EpisodeCalls
from palaestra.api.guidance import GuidanceCalls
from palaestra.api.interventions import InterventionCalls
from palaestra.api.message_pictures import messages_inline
from palaestra.api.reward_calls import RewardCalls
from palaestra.http.paths import V1, blob_path, build_path
from palaestra.http.transport import decode, drop_missing
from palaestra.observation import observation_id
from palaestra.records import Page, curation
from palaestra.records.labels import Label, LabelledUnit

PAGE_MAX = 1_000


class Client(EpisodeCalls, GuidanceCalls, InterventionCalls, RewardCalls):
    """Client of one installation, used with one key.

    Use it as ``async with Client(server, key) as client``; ``server`` is the lab's address. Every call raises
    ``ApiError`` if the server refuses it and ``Unreachable`` if no attempt was answered. Calls that are safe
    to repeat are retried.
    """

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # ---- the installation
    async def ping(self) -> None:
        """Make a single attempt to read the installation's health. Also raises ``ApiError`` if it is bad."""
        await self._lab.send("GET", f"{V1}/health", is_repeatable=False)

    async def capacity(self) -> records.Capacity:
        return await self._get("capacity", records.Capacity)

    async def benchmarks(self) -> list[records.Benchmark]:
        return await self._get("benchmarks", list[records.Benchmark])

    # ---- tasks
    async def tasks_page(
        self, *, cursor: str | int | None = None, limit: int | None = None, **filters: Any
    ) -> Page[records.Task]:
        """Return one page of tasks.

        Filters: benchmark, split, tag, ids (a list), difficulty_min, difficulty_max, drawn (``"true"``: tasks
        whose question has a picture).
        """
        return await self._get(
            "tasks", Page[records.Task], cursor=cursor, limit=limit, **encode_filters(filters)
        )

    async def tasks(self, *, limit: int = 100, **filters: Any) -> list[records.Task]:
        """Return the first ``limit`` tasks that match the filters, in the server's order."""
        page = await self.tasks_page(limit=min(limit, PAGE_MAX), **filters)
        tasks = page.results
        while page.next is not None and len(tasks) < limit:
            share = min(limit - len(tasks), PAGE_MAX)
            page = await self.tasks_page(cursor=page.next, limit=share, **filters)
            tasks += page.results
        return tasks[:limit]

    async def tasks_export(self, **filters: Any) -> AsyncIterator[records.Task]:
        """Stream every task that matches the filters."""
        decoder = msgspec.json.Decoder(records.Task)
        async for line in self._lab.lines(f"{V1}/tasks/export", params=encode_filters(filters)):
            yield decoder.decode(line)

    async def golds_export(self, **filters: Any) -> AsyncIterator[Json]:
        """Stream the golds of every task that matches the filters; the key needs the scope ``golds``."""
        async for line in self._lab.lines(f"{V1}/golds/export", params=encode_filters(filters)):
            yield decode(line, answer=Json)

    async def tasks_stats(
        self, *, run: int, cursor: str | int | None = None, recent: int | None = None
    ) -> Page[records.TaskStats]:
        """Return one page of a run's results by task, with extra figures for the ``recent`` newest ones."""
        params = {"run": run, "cursor": cursor, "recent": recent}
        return await self._get("tasks/stats", Page[records.TaskStats], **params)

    # ---- runs
    async def run_create(self, *, name: str, kind: str = "eval", **fields: Any) -> records.Run:
        """Open a run.

        Fields: model, checkpoint, observation (an id or a short name), observation_settings, grammar,
        history, actions_per_turn, affordances, settings, tags, simulated, report.
        """
        if "observation" in fields:
            fields["observation"] = observation_id(fields["observation"])
        body = {"name": name, "kind": kind, **fields}
        return await self._post("runs", records.Run, body, headers=build_idempotency())

    async def run(self, run: int) -> records.Run:
        return await self._get(build_path("runs/{}", run), records.Run)

    async def runs(self, *, cursor: str | int | None = None, **filters: Any) -> Page[records.Run]:
        """Return one page of runs, newest first. Filters: kind, tag, name."""
        return await self._get("runs", Page[records.Run], cursor=cursor, **filters)

    async def policy_register(
        self, run: int, *, version: int, checkpoint: str | None = None, trainer_step: int | None = None
    ) -> Any:
        """Register a policy version of the run; versions are ascending integers."""
        body = drop_missing(version=version, checkpoint=checkpoint, trainer_step=trainer_step)
        return await self._post(build_path("runs/{}/policy", run), Any, body, headers=build_idempotency())

    async def metrics_post(self, run: int, *, policy_version: int, values: dict[str, float]) -> Any:
        """Store training metrics of a policy version."""
        body = {"policy_version": policy_version, "values": values}
        return await self._post(build_path("runs/{}/metrics", run), Any, body, is_repeatable=False)

    async def prompt_sizes_post(
        self, run: int, *, history: str, episodes: Sequence[records.PromptSize]
    ) -> Any:
        """Store the prompt lengths of up to 1,000 episodes under a history; newer sizes replace older."""
        return await self._post(
            build_path("runs/{}/prompt_sizes", run), Any, {"history": history, "episodes": episodes}
        )

    async def run_cancel(
        self,
        run: int,
        *,
        reason: str,
        groups: Sequence[int] | None = None,
        policy_version_before: int | None = None,
    ) -> Any:
        """Close a run's episodes in some groups, or before a policy version, as ``cancelled`` (void)."""
        body = drop_missing(groups=groups, policy_version_before=policy_version_before, reason=reason)
        return await self._post(build_path("runs/{}/cancel", run), Any, body)

    async def groups_page(
        self,
        run: int,
        *,
        after: str | int | None = None,
        origin: str | None = None,
        profile: str | None = None,
    ) -> Page[curation.GroupState]:
        """Return one page of a run's groups in the order in which they completed, after a cursor.

        ``origin`` selects "plain", "forked", "guided" or "taken_over" groups. ``profile`` names a reward
        profile other than the run's.
        """
        path = build_path("runs/{}/groups", run)
        filters = {"after": after, "origin": origin, "profile": profile}
        return await self._get(path, Page[curation.GroupState], **filters)

    async def group_refill(
        self, group: int, *, count: int, idempotency_key: str | None = None
    ) -> records.Opening:
        path, headers = build_path("groups/{}/refill", group), build_idempotency(idempotency_key)
        return await self._post(path, records.Opening, {"count": count}, headers=headers)

    async def groups(
        self, run: int, *, after: int = 0, timeout_s: float | None = None, **filters: str | None
    ) -> AsyncIterator[tuple[int, curation.GroupState]]:
        """Yield a run's groups as they complete; a refilled group is yielded again.

        The filters are those of ``groups_page``. Each group comes with a cursor from which a trainer
        continues after a crash: passed as ``after``, it skips no group, but repeats the groups of a page that
        was not read to its end. The iteration ends when ``timeout_s`` seconds pass without a group; without a
        timeout it never ends.
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
            # Both cursors are positions in the run's verdict stream: a group completes with a verdict.
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
        """Yield a run's correct episodes that were played from the start and without help, newest first.

        ``only_changed`` omits steps that did not change the screen from ``steps``.
        """
        page_read = partial(self._get, build_path("runs/{}/successes", run), Page[curation.Success])
        filters = {"task": task, "arm": arm, "policy_version_min": policy_version_min}
        steps = "changed" if only_changed else None
        async for success in rows_read(page_read, **filters, steps=steps):
            yield success

    # ---- samplers
    async def sampler_create(
        self, *, run: int, strategy: Json, tasks: Json | None = None, seed: int | None = None, **plan: Any
    ) -> curation.Sampler:
        """Create a sampler of a run's next tasks.

        ``tasks`` filters: benchmark, split, tags, ids, difficulty_min, difficulty_max, evaluation_splits.
        Plan: rollouts, horizon, difficulty, half_life. See ``docs/curation.md``.
        """
        body = {"run": run, "strategy": strategy, **drop_missing(tasks=tasks, seed=seed), **plan}
        return await self._post("samplers", curation.Sampler, body, headers=build_idempotency())

    async def sampler(self, sampler: int) -> curation.Sampler:
        return await self._get(build_path("samplers/{}", sampler), curation.Sampler)

    async def samplers(self, *, run: int, cursor: str | int | None = None) -> Page[curation.Sampler]:
        """Return one page of a run's samplers, newest first."""
        return await self._get("samplers", Page[curation.Sampler], run=run, cursor=cursor)

    async def sampler_draw(self, sampler: int, *, count: int, number: int | None = None) -> curation.Draw:
        """Draw the next tasks to play.

        ``number`` (from 1, for example the trainer's step) makes the call repeatable, so that a trainer gets
        the same tasks again after a crash.
        """
        body = drop_missing(count=count, number=number)
        return await self._post(
            build_path("samplers/{}/draw", sampler), curation.Draw, body, headers=build_idempotency()
        )

    async def sampler_draws(self, sampler: int, *, cursor: str | int | None = None) -> Page[curation.Draw]:
        """Return one page of a sampler's draws, in order of number."""
        return await self._get(build_path("samplers/{}/draws", sampler), Page[curation.Draw], cursor=cursor)

    # ---- reports
    async def report_create(self, *, name: str, plan: Json) -> records.ReportCreated:
        """Store an analysis plan; runs created with ``report`` belong to it."""
        body = {"name": name, "plan": plan}
        return await self._post("reports", records.ReportCreated, body, headers=build_idempotency())

    async def report(self, report: int) -> records.Report:
        return await self._get(build_path("reports/{}", report), records.Report)

    async def reports(self, *, cursor: str | int | None = None) -> Page[records.ReportSummary]:
        """Return one page of reports, newest first."""
        return await self._get("reports", Page[records.ReportSummary], cursor=cursor)

    async def report_compute(self, report: int) -> records.ReportSummary:
        """Request a report's tables; they are computed in the background."""
        return await self._post(build_path("reports/{}/compute", report), records.ReportSummary, {})

    async def report_files(self, report: int) -> list[records.ReportFile]:
        """Return the list of a report's files: its page, a table of episodes, and every table and chart."""
        return (await self._get(build_path("reports/{}/files", report), records.ReportFiles)).results

    async def report_file(self, report: int, name: str) -> AsyncIterator[bytes]:
        """Stream the content of one of a report's files."""
        async for part in self._lab.parts(V1 + build_path("/reports/{}/files/{}", report, name)):
            yield part

    # ---- labels
    async def labels(self, *, cursor: str | int | None = None, **filters: Any) -> Page[Label]:
        """Return one page of labels, oldest first.

        Filters: project, episode, run, arm, layer, annotator_kind, answer (``"type:reasoning"``), limit.
        """
        params = {"cursor": cursor, **filters}
        return await self._lab.call("GET", f"{V1}/labels", answer=Page[Label], params=params)

    async def episode_labels(self, episode: int) -> list[LabelledUnit]:
        """Return the labelled units of an episode, each with its labels and consensus."""
        return (await self._get(build_path("episodes/{}/labels", episode), Page[LabelledUnit])).results

    # ---- blobs
    async def blobs_missing(self, digests: Iterable[str]) -> list[str]:
        """Return the SHA-256 digests (hex) that the server does not have yet."""
        return (await self._post("blobs/missing", records.Missing, {"sha256": list(digests)})).missing

    async def blob_put(self, content: bytes, *, content_type: str = "application/octet-stream") -> str:
        """Store bytes and return their SHA-256 in hex."""
        digest = hashlib.sha256(content).hexdigest()
        headers = {"Content-Type": content_type}
        await self._lab.send("PUT", blob_path(digest), content=content, headers=headers)
        return digest

    async def blobs_put(self, contents: Iterable[bytes], *, content_type: str) -> list[str]:
        """Store the contents that the server does not have yet, and return the digests of all, in order."""
        by_digest = {hashlib.sha256(content).hexdigest(): content for content in contents}
        for digest in await self.blobs_missing(by_digest) if by_digest else []:
            await self.blob_put(by_digest[digest], content_type=content_type)
        return list(by_digest)

    async def blob_get(self, digest: str) -> bytes:
        return (await self._lab.send("GET", blob_path(digest))).content

    async def messages_inline(self, messages: Iterable[records.Message]) -> list[records.Message]:
        """Inline the lab's pictures in messages, for a model server that cannot reach the lab."""
        return await messages_inline(messages, blob_get=self.blob_get)
