"""One open episode: takes completions, acts, records, observes. ``Env`` and the engine are both made of
it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from palaestra.actions import Turn, turn_parse
from palaestra.api import Client
from palaestra.errors import ApiError, PageDead, PageHung, TabClosed
from palaestra.executor import DONE, Outcome, execute
from palaestra.extraction import answer_extract
from palaestra.observation import Kind, Observation, observation_message, page_observe
from palaestra.pages import PageView, WarmPage
from palaestra.recording import Recorder, json_clean, text_clean
from palaestra.records import (
    ActionResult,
    Answer,
    CloseReason,
    Message,
    OpenedEpisode,
    Step,
    StepObservation,
    Usage,
)

FREE_TEXT_ARMS = frozenset({"text_zero_shot", "text_few_shot", "prompt_image"})
UNREADABLE = "(the page does not answer)"
RECORDED = "The answer is recorded."
NOT_OPENED = "The browser could not open that page. Go back, or go to another address."
REOPENED = "It is open again at the first page."
NO_LINE = 'There is no line "Answer: ...".'
NO_BLOCK = "There is no fenced code block."
MISSING = {"line": NO_LINE, "values": NO_LINE, "block": NO_BLOCK, "program": NO_BLOCK}
Renew = Callable[[WarmPage], Awaitable[WarmPage]]


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What a model said, with whatever it tells about how it came to say it."""

    text: str
    usage: Usage | None = None
    finish_reason: str | None = None
    model: str | None = None
    model_ms: float | None = None
    sampling: dict[str, Any] | None = None
    prompt_sha256: str | None = None
    tokens_blob: str | None = None
    policy_version: int | None = None


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How an episode is run. ``token_budget`` counts completion tokens; ``invalid_limit`` unreadable actions
    in a row."""

    observation: Kind = "axtree"
    answer_channel: str = "page"
    token_budget: int | None = None
    invalid_limit: int | None = None
    with_pictures: bool = False


@dataclass(frozen=True, kw_only=True)
class Turned:
    """What one completion led to. ``is_over`` means that the episode takes no further one."""

    observation: Observation
    outcome: Outcome
    turn: Turn
    is_over: bool


class Episode:
    """One attempt at one task.

    ``page`` is given in arms that have one; ``renew`` gives another for one that was closed.
    """

    def __init__(
        self,
        client: Client,
        opened: OpenedEpisode,
        *,
        messages: list[Message],
        manner: Manner,
        page: WarmPage | None = None,
        renew: Renew | None = None,
    ) -> None:
        self.opened = opened
        self.page = page
        self.recorder = Recorder(client, opened.id)
        self.steps = 0
        self.is_over = False
        self.closed_as: CloseReason | None = None
        self.observation = Observation(kind="text")
        self._client = client
        self._manner = manner
        self.renew = renew
        self._messages = list(messages)
        self._tokens = self._invalid = 0

    async def begin(self) -> Observation:
        """Bring the page to the episode and take the first observation; without a page, the prompt."""
        if self.page is not None and self.opened.start_url is not None:
            await self.page.begin(self.opened.start_url)
            view = await self.page.observe(acted=False, with_text=self._manner.observation != "screenshot")
            self._observed(await self._look(view))
        else:
            self.observation = replace(self.observation, messages=list(self._messages))
        return self.observation

    async def turn(self, completion: str | Completion) -> Turned:
        """Take one completion: parse, act, observe, record.

        Raises ``PageDead`` when renderer or browser died, ``ApiError`` or ``Unreachable`` when it cannot be
        recorded.
        """
        said = completion if isinstance(completion, Completion) else Completion(text=completion)
        self.steps += 1
        shown, started_at, started = self.observation, datetime.now(timezone.utc), time.perf_counter()
        parsed, outcome, seen = await self._act(said)
        env_ms = (time.perf_counter() - started) * 1000
        self._messages.append({"role": "assistant", "content": text_clean(said.text)})
        step = self._step(said, parsed, outcome, shown)
        step.started_at, step.env_ms = started_at.isoformat(), env_ms
        step.duration_ms = env_ms + (said.model_ms or 0.0)
        self.recorder.add(step, screenshot=shown.screenshot)
        if seen is None or self.steps >= self.opened.max_steps or self.is_over:
            await self.recorder.flush()
        await self._judge_end(said, parsed)
        if seen is None and not self.is_over:
            seen = await self._look_again()
        told = seen or Observation(kind=shown.kind, text=RECORDED, url=shown.url)
        self._observed(replace(told, result=outcome.result, result_message=outcome.message))
        return Turned(observation=self.observation, outcome=outcome, turn=parsed, is_over=self.is_over)

    async def close(self, reason: CloseReason, detail: str = "") -> None:
        """End the episode; one that has ended already stays as it ended."""
        self.is_over, self.closed_as = True, reason
        if self.page is not None:
            await self.page.farewell()
        await self.recorder.flush()
        try:
            await self._client.episode_close(self.opened.id, reason=reason, detail=detail[:500])
        except ApiError as failure:
            if failure.status != 409:
                raise

    # ---- acting
    async def _act(self, said: Completion) -> tuple[Turn, Outcome, Observation | None]:
        """The parsed turn, what came of it, the next observation; None where the answer has just gone."""
        if self.opened.arm in FREE_TEXT_ARMS:
            return await self._act_in_words(said)
        parsed = turn_parse(said.text)
        if parsed.action is None:
            outcome = Outcome(result="invalid", message=parsed.parse_error or "")
            return parsed, outcome, await self._unmoved()
        if parsed.action.type == "answer" and (self.page is None or self._manner.answer_channel == "api"):
            answer = list(parsed.action.texts) or parsed.action.text
            outcome = await self._submit(answer)
            return parsed, outcome, None if outcome == DONE else await self._unmoved()
        if self.page is None:
            outcome = DONE if parsed.action.type == "noop" else _without_page()
            return parsed, outcome, await self._unmoved()
        try:
            return await self._act_on_page(self.page, parsed)
        except (TabClosed, PageHung) as failure:
            result: ActionResult = "refused" if isinstance(failure, TabClosed) else "timeout"
            outcome = Outcome(result=result, message=f"{failure} {REOPENED}")
            return parsed, outcome, await self._reopen(self.page)

    async def _act_in_words(self, said: Completion) -> tuple[Turn, Outcome, Observation | None]:
        answer = answer_extract(said.text, form=self.opened.answer_form)
        if answer is None:
            self.is_over, self.closed_as = True, "agent_stopped"
            missing = Outcome(result="invalid", message=MISSING[self.opened.answer_form])
            return Turn(thought=said.text, parse_error=missing.message), missing, None
        outcome = await self._submit(answer)
        if outcome != DONE:
            self.closed_as = "agent_stopped"
        self.is_over = True
        return Turn(thought=said.text, stated={"type": "answer", "text": answer}), outcome, None

    async def _act_on_page(self, page: WarmPage, parsed: Turn) -> tuple[Turn, Outcome, Observation | None]:
        if parsed.action is None:
            raise ValueError("An action is needed to act.")
        fence = page.turn(self.steps)
        refused = len(fence.refused)
        outcome = await execute(page, parsed.action)
        with_text = self._manner.observation != "screenshot"
        view = await page.observe(acted=outcome == DONE, with_text=with_text)
        if len(fence.refused) > refused and outcome == DONE:
            outcome = Outcome(result="refused", message="That leads outside this task.")
        if view is None:
            return parsed, outcome, None
        if view.wanted_tab:
            outcome = Outcome(result="refused", message="New tabs are not opened.")
        if view.is_error and outcome == DONE:
            outcome = Outcome(result="refused", message=NOT_OPENED)
        return parsed, outcome, await self._look(view)

    async def _submit(self, answer: Answer) -> Outcome:
        cleaned = text_clean(answer) if isinstance(answer, str) else [text_clean(part) for part in answer]
        try:
            await self._client.submission_post(self.opened.id, answer=cleaned)
        except ApiError as failure:
            if failure.status >= 500 or failure.status in (401, 403, 404):
                raise
            return Outcome(result="refused", message=failure.message)
        return DONE

    # ---- looking
    async def _look(self, view: PageView | None) -> Observation:
        if self.page is None or view is None:
            return self._unreadable()
        try:
            return await page_observe(
                self.page, view, kind=self._manner.observation, with_picture=self._manner.with_pictures
            )
        except PageHung:
            return self._unreadable()

    async def _look_again(self) -> Observation:
        if self.page is None:
            return await self._unmoved()
        try:
            view = await self.page.observe(acted=False, with_text=self._manner.observation != "screenshot")
        except PageHung:
            return self._unreadable()
        return await self._look(view)

    async def _reopen(self, page: WarmPage) -> Observation:
        """A page that closed itself or hangs is opened anew: its state is on the server."""
        if self.renew is None or self.opened.start_url is None:
            raise PageDead("The tab was closed and there is nowhere to open another.")
        self.page = await self.renew(page)
        await self.page.begin(self.opened.start_url)
        return await self._look(await self.page.observe(acted=False))

    async def _unmoved(self) -> Observation:
        """Nothing was done: the page is looked at once more, for it may have moved by itself."""
        if self.page is None:
            return Observation(kind="text")
        self.page.turn(self.steps)
        return await self._look_again()

    def _unreadable(self) -> Observation:
        return Observation(kind=self.observation.kind, text=UNREADABLE, url=self.observation.url)

    def _observed(self, observation: Observation) -> None:
        if self.page is not None or observation.result is not None:
            self._messages.append(observation_message(observation))
        self.observation = replace(observation, messages=list(self._messages))

    # ---- recording and ending
    def _step(self, said: Completion, parsed: Turn, outcome: Outcome, shown: Observation) -> Step:
        seen = (
            StepObservation(kind=shown.kind, text=text_clean(shown.text)) if self.page is not None else None
        )
        return Step(
            index=self.steps,
            thought=text_clean(parsed.thought),
            raw=text_clean(said.text),
            action=json_clean(parsed.stated) if parsed.stated is not None else None,
            parsed=parsed.parse_error is None,
            parse_error=text_clean(parsed.parse_error, limit=1000) if parsed.parse_error else None,
            action_result=outcome.result,
            observation=seen,
            url=shown.url or None,
            model_ms=said.model_ms,
            usage=said.usage,
            finish_reason=said.finish_reason,
            policy_version=said.policy_version,
            model=said.model,
            sampling=said.sampling,
            prompt_sha256=said.prompt_sha256,
            tokens_blob=said.tokens_blob,
        )

    async def _judge_end(self, said: Completion, parsed: Turn) -> None:
        """Find out whether the episode is over, or end it when a budget of the client's is spent."""
        ack = self.recorder.ack
        if ack.status != "open" or ack.terminated or ack.truncated or self.recorder.is_final:
            self.is_over = True
            return
        self._tokens += (said.usage.completion or 0) if said.usage else 0
        self._invalid = self._invalid + 1 if parsed.parse_error else 0
        reason = self.closed_as or self._spent()
        if reason is not None:
            await self.close(reason)

    def _spent(self) -> CloseReason | None:
        if self._manner.token_budget is not None and self._tokens >= self._manner.token_budget:
            return "token_budget"
        if self._manner.invalid_limit is not None and self._invalid >= self._manner.invalid_limit:
            return "invalid_actions"
        return None


def _without_page() -> Outcome:
    return Outcome(result="no_target", message='There is no page in this task: use the action "answer".')
