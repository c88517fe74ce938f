"""One open episode, which takes completions, acts, observes and records; ``Env`` and the engine use it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from palaestra.actions import DONE, Action, Outcome, action_perform, shows_hidden
from palaestra.actions.answer import Answer as AnswerAction
from palaestra.actions.call_tool import CallTool as CallToolAction
from palaestra.actions.give_up import GiveUp
from palaestra.actions.sequence import Sequence as SequenceAction
from palaestra.api import Client
from palaestra.api.episode_calls import DETAIL_CHARS
from palaestra.completion import BROKEN_OFF, Completion
from palaestra.end_tokens import end_tokens_cut
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PAGE_FAILURES, ApiError, PalaestraError, TabClosed
from palaestra.extraction import REPAIRS_MAX, answer_extract
from palaestra.grammars import Turn, get_grammar
from palaestra.observation import Observation, ObservationConfig, Observer, get_format
from palaestra.pages.surface import Surface
from palaestra.play.episode_page import EpisodePage, Renew
from palaestra.play.stored_turns import RECORDED
from palaestra.protocol.action_results import ActionResult
from palaestra.protocol.answers import REPAIRS
from palaestra.protocol.arms import arm_of
from palaestra.protocol.end_reasons import CloseReason
from palaestra.protocol.histories import history_read
from palaestra.records import Message, OpenedEpisode, Step
from palaestra.recovery.lost_pages import Draft
from palaestra.thoughts import thoughts_separate
from palaestra.turn.budgets import Budgets
from palaestra.turn.element_ids import ElementIds
from palaestra.turn.histories import Past, PastTurn, messages_send
from palaestra.turn.steps import MESSAGE_CHARS, StepQueue, build_step, text_clean
from palaestra.turn.tool_calls import tool_call

NOT_OPENED = "The browser could not open that page. Go back, or go to another address."
NO_PAGE = Outcome(result="no_target", message='There is no page in this task: use the action "answer".')
TOO_MANY = "One turn has at most {} of them: nothing was done."
HIDDEN = Outcome(result="refused", message="Here a page is a picture without its text: scroll instead.")
OTHER_FIRST_ANSWER = "other_first_answer"


class Episode(EpisodePage):
    """One attempt at one task.

    ``page`` is the warm page, in arms that have one; ``renew`` replaces a page that died, hangs or was
    closed. The first time that a page dies, the episode continues, because its state is on the server. The
    second time, the episode ends. It is then judged, because the agent may have caused the crash, unless the
    whole browser died along with other pages, in which case it is void.
    """

    def __init__(
        self, client: Client, opened: OpenedEpisode, *, messages: list[Message], config: EpisodeConfig
    ) -> None:
        self.opened = opened
        self.page: Surface | None = None
        self.renew: Renew | None = None
        self.observation = Observation(kind="text")
        self._client = client
        self._config = config
        self._form = get_format(config.observation)
        self._observer = Observer(
            ObservationConfig(
                form=self._form,
                scope=config.scope,
                max_chars=config.max_chars,
                picture_max=config.picture_max,
                with_pictures=config.with_pictures,
            )
        )
        self._grammar = get_grammar("json" if arm_of(opened.arm).is_free_text else config.grammar)
        self._history = history_read(config.history)
        self._opening = [message for message in messages if not message.get("prefill")]
        # In a continuation of an intervention, the beginning of the model's first message.
        self._prefill = next((str(message["content"]) for message in messages if message.get("prefill")), "")
        self.conditions = config.conditions(opened.arm, is_site=opened.is_site, has_tools=bool(opened.tools))
        self._deaths: Counter[type[PalaestraError]] = Counter()
        self._restart()

    def _restart(self) -> None:
        """Reset to the state before the first step, with nothing recorded or spent."""
        config = self._config
        self.step_queue = StepQueue(self._client, self.opened.id)
        self.steps = 0
        self.is_over = False
        self.closed_as: CloseReason | None = None
        self._detail = ""
        self.fate: Outcome | None = None  # the next action's outcome, if it must not be repeated
        self.unanswered, self.refusal = {}, None
        self._turns: list[PastTurn] = []
        self._budgets = Budgets(
            tokens=config.token_budget, prompt_tokens=config.prompt_token_budget, invalid=config.invalid_limit
        )
        self._ids = ElementIds()
        self._repairs = 0
        self._is_first_given = False

    @property
    def _has_page(self) -> bool:
        return arm_of(self.opened.arm).has_page

    @property
    def _begun(self) -> str:
        """The beginning of the next message; empty except in the first turn of a continuation."""
        return self._prefill if self.steps == self.opened.begins_after else ""

    @property
    def tools(self) -> list[dict[str, Any]] | None:
        """The ``tools`` for a model's endpoint, or None if the grammar has none."""
        return self._grammar.tools(self.conditions)

    @property
    def response_format(self) -> dict[str, Any] | None:
        """The ``response_format`` for a model's endpoint, or None if completions are free text."""
        return self._grammar.response_format(self.conditions)

    def resume(self, past: Past) -> None:
        """Continue after the recorded turns of ``past``. Call it before ``begin``."""
        self._turns = list(past.turns)
        self.steps = past.steps
        self._ids.adopt(past.element_ids)
        self._is_first_given = past.is_answered
        for usage, is_parsed in past.used:
            self._budgets.count(usage, is_parsed=is_parsed)
            self._repairs += not is_parsed
        self.observation = replace(self.observation, result=past.result, result_message=past.result_message)

    async def begin(self, draft: Draft | None = None) -> Observation:
        """Open the first page, restore a ``draft`` and observe the page; without a page, observe the prompt.

        A fork continues from its parent's page. Raises ``ForkDiverged`` if the fork's page differs from it.
        """
        await self._inherit()
        first, before = Observation(kind="text"), self.observation
        if self.page is not None:
            try:
                first = await self._open_first_page(self.page, draft)
            except PAGE_FAILURES:
                # The previous episode may have left the page in a broken state, so try another one.
                first = await self._reopen()
        self._show(replace(first, result=before.result, result_message=before.result_message))
        return self.observation

    async def turn(self, completion: str | Completion) -> tuple[Turn, Outcome]:
        """Parse one completion, act, observe and record the step. Updates ``observation`` and ``is_over``.

        Raises ``BrowserDead`` if browsers keep dying, and ``ApiError`` or ``Unreachable`` if the step cannot
        be recorded.
        """
        self._refusal_check()
        completion = self._complete(completion)
        self.steps += 1
        stored = self.unanswered.pop(self.steps, None)
        if stored is not None:
            if stored.raw != text_clean(self._grammar.raw(completion)):
                return await self._answer_stored(stored, completion)
            self.fate = stored.outcome
        shown, started_at, started = self.observation, datetime.now(timezone.utc), time.perf_counter()
        spoken = thoughts_separate(end_tokens_cut(completion), tags=self._config.thought_tags)
        parsed, outcome, observed = await self._act(spoken)
        self.fate = None
        if stored is not None:
            outcome = stored.outcome
        outcome = replace(outcome, message=text_clean(outcome.message, limit=MESSAGE_CHARS))
        env_ms = (time.perf_counter() - started) * 1000
        step = self._build_step(replace(spoken, text=completion.text), parsed, outcome, shown)
        is_shown = self._has_page or shown.result is not None
        self._turns.append(PastTurn(shown=shown if is_shown else None, raw=step.raw or ""))
        step.started_at, step.env_ms = started_at.isoformat(), env_ms
        step.duration_ms = env_ms + (completion.model_ms or 0.0)
        if stored is None:
            self.step_queue.add(step, screenshot=shown.screenshot)
        if observed is None or self.steps >= self.opened.max_steps or self.is_over:
            await self._flush_last(step)
        await self._check_end(completion, parsed)
        if (stored := await self.amend()) is not None:
            return stored.turn, stored.outcome
        if observed is None and not self.is_over:
            # The step is already recorded, so the model must read the result as recorded.
            _, observed = await self._look_after(outcome)
        observed = observed or Observation(kind=shown.kind, text=RECORDED, url=shown.url)
        self._show(replace(observed, result=outcome.result, result_message=outcome.message))
        return parsed, outcome

    async def close(self, reason: CloseReason, detail: str = "") -> None:
        """Close the episode; if it has already ended, it stays as it is."""
        self.is_over, self.closed_as = True, reason
        if self.page is not None:
            await self.page.flush_recorder()
        try:
            await self.step_queue.flush()
        finally:  # close the episode even if a step cannot be recorded
            await self._close(reason, detail)

    async def _close(self, reason: CloseReason, detail: str) -> None:
        try:
            await self._client.episode_close(self.opened.id, reason=reason, detail=detail[:DETAIL_CHARS])
        except ApiError as failure:
            if failure.status != 409:
                raise

    # ---- acting
    async def _act(self, completion: Completion) -> tuple[Turn, Outcome, Observation | None]:
        """Return the parsed turn, its outcome, and the next observation (None after an answer)."""
        is_free_text = arm_of(self.opened.arm).is_free_text
        if is_free_text and completion.broken_off is None:
            return await self._answer_in_text(completion)
        parsed = self._grammar.parse(completion, self.conditions, shown=self.observation.text)
        if completion.broken_off is not None:
            self.is_over, self.closed_as = True, completion.broken_off
            message = BROKEN_OFF[completion.broken_off]
            thought = completion.text if is_free_text else parsed.thought
            broken = Outcome(result="invalid", message=message)
            return Turn(thought=thought, parse_error=message), broken, self._make_unreadable()
        action = parsed.action
        if action is None:
            outcome = Outcome(result="invalid", message=parsed.parse_error or "")
        elif isinstance(action, AnswerAction) and "answer" in self.conditions:
            outcome = await self._submit(action.text)
            if outcome is DONE:
                return parsed, outcome, None
        elif isinstance(action, GiveUp):
            self.is_over, self.closed_as, self._detail = True, "agent_stopped", action.reason
            return parsed, DONE, None
        elif (off_page := await self._act_off_page(action)) is not None:
            outcome = off_page
        elif self.fate is not None:
            is_open = self.page is not None
            return parsed, *(await self._look_after(self.fate) if is_open else (self.fate, None))
        elif self.page is None:
            outcome = NO_PAGE
        elif shows_hidden(action, self.conditions):
            outcome = HIDDEN
        else:
            return parsed, *await self._act_on_page(self.page, action)
        return parsed, *await self._look_after(outcome)

    async def _act_off_page(self, action: Action) -> Outcome | None:
        """Return the outcome of an action that needs no page, or None if the action needs one."""
        if isinstance(action, CallToolAction):
            return self.fate or await tool_call(self._client, self.opened, action, step=self.steps)
        if isinstance(action, SequenceAction) and len(action.actions) > self._config.actions_per_turn:
            return Outcome(result="refused", message=TOO_MANY.format(self._config.actions_per_turn))
        return None if action.touches_page else DONE

    async def _answer_in_text(self, completion: Completion) -> tuple[Turn, Outcome, Observation | None]:
        answer = answer_extract(completion.text, form=self.opened.answer_form)
        if answer is None:
            missing = Outcome(result="invalid", message=REPAIRS[self.opened.answer_form])
            self._repairs += 1
            if self._repairs > REPAIRS_MAX:
                self.is_over, self.closed_as = True, "invalid_actions"
            turn = Turn(thought=completion.text, parse_error=missing.message)
            return turn, missing, Observation(kind="text")
        turn = Turn(thought=completion.text, declared={"type": "answer", "text": answer})
        is_first = not self._is_first_given
        outcome = await self._submit(answer)
        if is_first and self._is_first_given:
            return turn, outcome, Observation(kind="text")
        if not outcome.is_ok:
            self.closed_as = "agent_stopped"
        self.is_over = True
        return turn, outcome, None

    async def _act_on_page(self, page: Surface, action: Action) -> tuple[Outcome, Observation | None]:
        try:
            return await self._act_in_bounds(page, action)
        except PAGE_FAILURES as failure:
            result: ActionResult = "refused" if isinstance(failure, TabClosed) else "timeout"
            return await self._recover(failure, Outcome(result=result))

    async def _act_in_bounds(self, page: Surface, action: Action) -> tuple[Outcome, Observation | None]:
        bounds = page.turn(self.steps)
        refused_before = len(bounds.refused)
        outcome = await action_perform(page, action)
        view = await page.observe(acted=outcome.is_ok, with_text=self._form.has_text)
        if len(bounds.refused) > refused_before and outcome.is_ok:
            outcome = Outcome(result="refused", message="That leads outside this task.")
        if view is not None and view.opens_tab:
            outcome = Outcome(result="refused", message="New tabs are not opened.")
        if view is not None and view.is_error and outcome.is_ok:
            outcome = Outcome(result="refused", message=NOT_OPENED)
        return outcome, await self._look(page, view)

    async def _submit(self, answer: str | Sequence[str]) -> Outcome:
        cleaned = text_clean(answer) if isinstance(answer, str) else [text_clean(part) for part in answer]
        number = 2 if self._is_first_given else 1
        try:
            ack = await self._client.submission_post(self.opened.id, answer=cleaned, number=number)
        except ApiError as failure:
            if not failure.refuses_content:
                raise
            # An earlier process may have submitted the first answer and died before recording the step.
            self._is_first_given = self._is_first_given or failure.code == OTHER_FIRST_ANSWER
            return Outcome(result="refused", message=failure.message)
        if ack.check is None:
            return DONE
        self._is_first_given = True
        return Outcome(result="ok", message=ack.check)

    def _show(self, observation: Observation) -> None:
        # The model reads the recorded text, so that its conversation can be rebuilt from the record.
        observation = replace(observation, text=text_clean(observation.text))
        self._ids.show()
        is_shown = self._has_page or observation.result is not None
        messages = messages_send(
            history=self._history,
            grammar=self._grammar,
            opening=self._opening,
            turns=self._turns,
            shown=observation if is_shown else None,
        )
        if self._begun:
            messages.append({"role": "assistant", "content": self._begun})
        self.observation = replace(observation, messages=messages)

    # ---- steps and the end
    def _complete(self, completion: str | Completion) -> Completion:
        """Return the truncated completion, with the beginning of its message put before it."""
        completion = (Completion(text=completion) if isinstance(completion, str) else completion).truncate()
        return replace(completion, text=self._begun + completion.text)

    def _build_step(self, completion: Completion, parsed: Turn, outcome: Outcome, shown: Observation) -> Step:
        is_begun = self.steps == self.opened.begins_after + 1
        return build_step(
            completion,
            parsed,
            outcome,
            index=self.steps,
            prefill_chars=len(self._prefill) if is_begun else 0,
            shown=shown,
            grammar=self._grammar,
            has_page=self._has_page,
            target_path=self.page.target_path if self.page else None,
            element_ids=self._ids.take(),
        )

    async def _flush_last(self, step: Step) -> None:
        """Store a step that may be the last one.

        If the server already has another completion for this step, that one counts, and this one does not end
        the episode.
        """
        await self.step_queue.flush()
        stored = self.step_queue.overruled.get(step.index)
        if stored is not None and stored.raw != step.raw:
            self.is_over, self.closed_as = False, None

    async def _check_end(self, completion: Completion, parsed: Turn) -> None:
        """Note that the server ended the episode, or close it if one of the client's own budgets is spent."""
        if self._has_ended:
            self.is_over = True
            return
        self._budgets.count(completion.usage, is_parsed=parsed.parse_error is None)
        ending = (self.closed_as, self._detail) if self.closed_as else self._budgets.find_spent()
        if ending is not None:
            await self.close(*ending)
