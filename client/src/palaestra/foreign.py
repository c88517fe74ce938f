"""Episodes that are played in another browser: by browser-use, Playwright MCP or a person.

``ForeignEpisode`` provides a URL to open. Nothing more is needed, because the pages record themselves, and
the server counts the steps and judges the answer. A harness that wants its thoughts recorded posts them as
steps. ``docs/foreign.md`` lists what is recorded and what is not.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from typing import Any

from palaestra.api import Client
from palaestra.api.background import VERDICT_LIMIT_S, Heartbeat, verdict_wait
from palaestra.errors import PalaestraError
from palaestra.pages.bounds import EpisodeBounds
from palaestra.protocol.action_results import ActionResult
from palaestra.protocol.arms import arm_of
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Message, Step, Verdict
from palaestra.turn.steps import MESSAGE_CHARS, TEXT_MAX_CHARS, StepQueue, json_clean, text_clean

URL_CHARS = 2_000
DETAIL_MAX_CHARS = 1_000
RUN_NAME = "Foreign browsers"


class ForeignEpisode:
    """An episode played in another browser. Use as ``async with ForeignEpisode(...) as episode``.

    ``start_url`` is the URL for the browser to open, ``bounds`` the URLs that belong to the episode. The
    lease is renewed for as long as the block runs. If the block is left without an answer, the episode ends
    as ``agent_stopped``, or after an exception as ``harness_error``, which makes it void; ``stop`` sets
    another reason. With ``recording="full"`` the DOM is recorded as well, so that the lab can replay the
    pages. With ``group`` the episode is one more sample of that group, and the group's settings apply. Other
    keywords are those of ``Client.episodes_open``. Entering the block raises ``PalaestraError`` for an arm
    without a page.
    """

    def __init__(
        self,
        server: str,
        key: str,
        *,
        task: int,
        run: int | None = None,
        run_name: str = RUN_NAME,
        arm: str = "gym",
        group: int | None = None,
        recording: str = "full",
        **opening: Any,
    ) -> None:
        self.client = Client(server, key)
        self.start_url = ""
        self.id = self.run = self.max_steps = 0
        self.group = group
        self.messages: list[Message] = []
        self._task, self._run, self._run_name, self._arm = task, run, run_name, arm
        self._opening = {"recording": recording, **opening}
        self._heartbeat = Heartbeat(self.client)
        self._turn: tuple[Step, bytes | None, float] | None = None
        self._index = 0
        self._is_stopped = False

    async def __aenter__(self) -> ForeignEpisode:
        try:
            await self._open()
        except BaseException:
            await self.client.aclose()
            raise
        await self._heartbeat.__aenter__()
        return self

    async def __aexit__(self, kind: object, failure: BaseException | None, _: object) -> None:
        try:
            if not self._is_stopped:
                reason: CloseReason = "agent_stopped" if kind is None else "harness_error"
                await self.stop(reason, "" if failure is None else repr(failure))
        finally:
            await self._heartbeat.__aexit__()
            await self.client.aclose()

    def step(
        self,
        *,
        thought: str | None = None,
        action: dict[str, Any] | None = None,
        raw: str | None = None,
        url: str | None = None,
        screenshot: bytes | None = None,
        **fields: Any,
    ) -> None:
        """Record a turn. Call it before its action is carried out.

        The turn lasts until the next call; whatever the pages report meanwhile belongs to it. ``action`` is
        an object with a ``type``; types that Palaestra does not know are kept and marked as unknown.
        ``screenshot`` is a PNG of what the model saw; the other fields are those of
        ``palaestra.records.Step``.
        """
        self._end_turn()
        self._index = fields.pop("index", self._index + 1)
        step = Step(
            index=self._index,
            thought=self._clean(thought),
            raw=self._clean(raw),
            action=json_clean(action),
            url=self._clean(url, limit=URL_CHARS),
            started_at=datetime.now(timezone.utc).isoformat(),
            **fields,
        )
        self._turn = (step, screenshot, time.monotonic())

    def outcome(self, result: ActionResult, message: str = "") -> None:
        """Add the action's result, as the harness reports it, to the current turn."""
        if self._turn is not None:
            step = self._turn[0]
            step.action_result = result
            step.result_message = self._clean(message, limit=MESSAGE_CHARS) or None

    async def flush(self) -> None:
        """End the turn and post the remaining steps.

        Steps that arrive after the episode's end are dropped.
        """
        self._end_turn()
        await self._queue.flush()

    async def stop(self, reason: CloseReason = "agent_stopped", detail: str = "") -> None:
        """Close the episode unless it has an answer.

        If the model failed (``model_error``), it is void, not wrong.
        """
        self._is_stopped = True
        await self.flush()
        # After an answer, the browser still sends its last events. A closed episode would refuse them.
        if (await self.client.episode(self.id)).status == "open":
            await self.client.episode_close(self.id, reason=reason, detail=detail[:DETAIL_MAX_CHARS])

    async def verdict(self, *, limit_s: float = VERDICT_LIMIT_S) -> Verdict | None:
        """Return the verdict, or None if there is none within ``limit_s`` seconds."""
        return await verdict_wait(self.client, self.id, limit_s=limit_s)

    async def _open(self) -> None:
        if not arm_of(self._arm).has_page:
            raise PalaestraError(f"The arm {self._arm} has no page to open.")
        self.run = self._run or await find_run(self.client, self._run_name)
        if self.group is None:
            opening = await self.client.episodes_open(
                run=self.run, tasks=[self._task], arm=self._arm, **self._opening
            )
        else:
            opening = await self.client.group_refill(self.group, count=1)
        opened = opening.episodes[0]
        self.id, self.start_url, self.max_steps = opened.id, opened.start_url or "", opened.max_steps
        self.group, self.messages = opened.group, opening.messages_of(opened)
        self.bounds = EpisodeBounds.of(self.start_url)
        self._queue = StepQueue(self.client, self.id)
        self._heartbeat.episodes.add(self.id)

    def _end_turn(self) -> None:
        if self._turn is not None:
            (step, screenshot, began), self._turn = self._turn, None
            step.duration_ms = round((time.monotonic() - began) * 1000, 1)
            self._queue.add(step, screenshot=screenshot)

    def _clean(self, text: str | None, *, limit: int = TEXT_MAX_CHARS) -> str | None:
        """Return a text without the episode's token: anyone who reads the record could act with it."""
        return None if text is None else text_clean(self.bounds.mask(text), limit=limit)


async def find_run(client: Client, name: str) -> int:
    """Return the id of the newest run with this name; create the run if there is none."""
    runs = (await client.runs(name=name)).results
    if runs:
        return runs[0].id
    return (await client.run_create(name=name, kind="collect", tags=["foreign"])).id


def browser_use_callback(episode: ForeignEpisode) -> Callable[[Any, Any, int], Awaitable[None]]:
    """Return a callback that records an agent's steps, for ``Agent(..., register_new_step_callback=...)``.

    browser-use calls it with each output of its model, before the actions are carried out. If one output
    holds several actions, the step records them as ``actions``.
    """

    async def record(state: Any, output: Any, _number: int) -> None:
        parts = {name: getattr(output, name, None) for name in ("thinking", "memory", "next_goal")}
        actions = [action.model_dump(exclude_unset=True) for action in output.action]
        episode.step(
            thought="\n".join(part for part in parts.values() if part),
            action=convert_actions(actions),
            raw=output.model_dump_json(exclude_unset=True),
            url=getattr(state, "url", None),
        )

    return record


def convert_actions(actions: list[dict[str, Any]]) -> dict[str, Any]:
    """Convert browser-use's ``{"click": {"index": 3}}`` to an action with a ``type``."""
    named = [
        {"type": f"browser_use.{name}", **(fields if isinstance(fields, dict) else {})}
        for action in actions
        for name, fields in action.items()
    ]
    return named[0] if len(named) == 1 else {"type": "browser_use.actions", "actions": named}
