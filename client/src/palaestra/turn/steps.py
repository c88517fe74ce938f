"""The steps of an episode: built from turns, posted to the server in batches, and read back as stored.

The stored steps count, even if another process of the client has done something else since.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from palaestra.actions import Outcome
from palaestra.actions.answer import Answer
from palaestra.api import Client
from palaestra.completion import Completion
from palaestra.errors import ApiError, Unreachable
from palaestra.grammars import Grammar, Turn
from palaestra.observation import Observation
from palaestra.pages.surface import SERVER_FAILED
from palaestra.records import EpisodeState, Step, StepObservation, StepsAck

LINGER_S = 0.05  # steps within this time are posted together
TEXT_MAX_CHARS = 100_000
MESSAGE_CHARS = 8_000  # maximum length of the message about an action's result
CUT = "\n(cut here: {} characters in all)"
TAKEN_OVER, BOUNDARY = "taken_over", "begins_after"
REPLACEMENT = "\ufffd"
APART = ("text", "reasoning", "tool_calls")
"""The fields of a completion that are not recorded under their own names."""


def text_clean(text: str, *, limit: int = TEXT_MAX_CHARS) -> str:
    """Return text that the database accepts: without NULs or lone surrogates, and cut to ``limit``."""
    shortened = text if len(text) <= limit else text[:limit] + CUT.format(len(text))
    return shortened.replace("\x00", REPLACEMENT).encode("utf-8", "replace").decode("utf-8")


def json_clean(value: Any, *, limit: int = TEXT_MAX_CHARS) -> Any:
    """Apply ``text_clean`` to every string inside a JSON value."""
    if isinstance(value, str):
        return text_clean(value, limit=limit)
    if isinstance(value, dict):
        return {text_clean(k, limit=200): json_clean(v, limit=limit) for k, v in value.items()}
    if isinstance(value, list):
        return [json_clean(item, limit=limit) for item in value]
    return value


@dataclass(frozen=True, kw_only=True)
class StoredStep:
    """A recorded step: its completion, the parsed turn, and the result of its action."""

    index: int
    raw: str
    turn: Turn
    outcome: Outcome

    def has_same_result(self, step: Step) -> bool:
        """Return whether ``step`` has the same completion and result, so its policy needs no correction."""
        sent = (step.raw or "", step.action_result, step.result_message or "")
        return sent == (self.raw, self.outcome.result, self.outcome.message)


def is_answer(action: Mapping[str, Any] | None, result: str | None) -> bool:
    """Return whether a step submitted an answer that was accepted, even if it was only the first of two."""
    return (action or {}).get("type") == Answer.type and result == "ok"


def read_stored(step: Mapping[str, Any]) -> StoredStep:
    """Return a step of a trajectory as a stored step."""
    return StoredStep(
        index=step["index"],
        raw=step["raw"],
        turn=Turn(
            thought=step.get("thought") or "", declared=step["action"], parse_error=step.get("parse_error")
        ),
        outcome=Outcome(result=step["action_result"], message=step.get("result_message") or ""),
    )


class StepQueue:
    """Posts one episode's steps. ``ack`` is the server's last response; ``flush`` waits for all steps.

    ``overruled`` are steps for which the server has another result, from another player that was disconnected
    or died; the stored result counts. ``trajectory`` is the record with these results.
    """

    def __init__(self, client: Client, episode: int) -> None:
        self.ack = StepsAck()
        self.is_final = False
        self.overruled: dict[int, StoredStep] = {}
        self.trajectory: dict[str, Any] = {}
        self._client = client
        self._episode = episode
        self._waiting: list[tuple[Step, bytes | None]] = []
        self._posting: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def add(self, step: Step, *, screenshot: bytes | None = None) -> None:
        """Queue a step. It is posted soon, together with steps that follow immediately."""
        self._waiting.append((step, screenshot))
        if self._posting is None or self._posting.done():
            if self._posting is not None and not self._posting.cancelled():
                self._posting.result()  # raises the exception of the last posting, if any
            self._hurry.clear()
            self._posting = asyncio.ensure_future(self._post_all())

    async def flush(self) -> StepsAck:
        """Post the queued steps.

        Raises ``ApiError`` or ``Unreachable`` if a step could not be recorded. If the server was unreachable,
        the next flush posts the step.
        """
        self._hurry.set()
        posting, self._posting = self._posting, None
        if posting is not None:
            await posting
        if self._waiting:
            await self._post_all()
        return self.ack

    async def _post_all(self) -> None:
        # Wait a little for more steps, unless ``flush`` was called.
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), LINGER_S)
        while self._waiting and not self.is_final:
            batch, self._waiting = self._waiting, []
            try:
                await self._post_batch(batch)
            except (ApiError, Unreachable, asyncio.CancelledError) as failure:
                if not isinstance(failure, ApiError) or failure.status >= SERVER_FAILED:
                    self._waiting = batch + self._waiting
                raise

    async def _post_batch(self, batch: Sequence[tuple[Step, bytes | None]]) -> None:
        for step, screenshot in batch:
            if screenshot is not None:
                step.screenshot = await self._client.blob_put(screenshot, content_type="image/png")
        await self._post([step for step, _ in batch])

    async def _post(self, steps: Sequence[Step]) -> None:
        try:
            self.ack = await self._client.steps_post(self._episode, steps)
        except ApiError as failure:
            if failure.code == "step_conflict":
                await self._yield_to_record(steps, failure)
            elif failure.code == "episode_final":
                # The episode was closed in the meantime (cancelled, out of budget, or judged long ago); its
                # verdict gives the reason.
                self.is_final = True
            else:
                if failure.code == TAKEN_OVER:
                    await self._post_before(steps, failure)
                raise

    async def _post_before(self, steps: Sequence[Step], taken_over: ApiError) -> None:
        """Post the steps from before a person took over, which the server still accepts."""
        [last] = taken_over.fields.get(BOUNDARY, ["0"])
        own = [step for step in steps if step.index <= int(last)]
        if own and len(own) < len(steps):
            await self._post(own)

    async def _yield_to_record(self, steps: Sequence[Step], conflict: ApiError) -> None:
        """Note which steps are already stored, and post the others."""
        self.trajectory = await self._client.trajectory(self._episode)
        stored = {step["index"]: read_stored(step) for step in self.trajectory["steps"]}
        missing = [step for step in steps if step.index not in stored]
        if len(missing) == len(steps):
            raise conflict
        for step in steps:
            if step.index in stored and not stored[step.index].has_same_result(step):
                self.overruled[step.index] = stored[step.index]
        if missing:
            await self._post(missing)
        else:
            self.ack = build_ack(await self._client.episode(self._episode))


def build_ack(state: EpisodeState) -> StepsAck:
    """Return the response that the server gives for a step that it has already stored."""
    return StepsAck(
        status=state.status,
        terminated=state.terminated,
        truncated=state.truncated,
        verdict=state.verdict,
        next_index=state.steps_used + 1,
    )


def build_step(
    completion: Completion,
    turn: Turn,
    outcome: Outcome,
    *,
    index: int,
    prefill_chars: int,
    shown: Observation,
    grammar: Grammar,
    has_page: bool,
    target_path: str | None,
    element_ids: str | None,
) -> Step:
    """Build the step for a completion that was parsed as ``turn``, after the observation ``shown``."""
    details = {
        field.name: getattr(completion, field.name) for field in fields(completion) if field.name not in APART
    }
    return Step(
        index=index,
        thought=text_clean("\n\n".join(filter(None, (completion.reasoning, turn.thought)))),
        thought_hidden=completion.is_thought_hidden or None,
        raw=text_clean(grammar.raw(completion)),
        prefill_chars=prefill_chars or None,
        action=json_clean(turn.declared) if turn.declared is not None else None,
        parsed=turn.parse_error is None,
        parse_error=text_clean(turn.parse_error, limit=1000) if turn.parse_error else None,
        action_result=outcome.result,
        result_message=outcome.message or None,
        target_path=target_path or None,
        settled=shown.is_settled if has_page else None,
        element_ids=element_ids,
        observation=StepObservation(kind=shown.kind, text=shown.text) if has_page else None,
        url=shown.url or None,
        **details,
    )
