"""The part of an episode that defers to the record: if the two differ, the stored steps count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from msgspec import structs

from palaestra.actions import Outcome
from palaestra.actions.give_up import GiveUp
from palaestra.api import Client
from palaestra.completion import Completion
from palaestra.errors import ApiError, PageHung, TabClosed
from palaestra.grammars import Turn
from palaestra.http.backoff import Patience
from palaestra.observation import Observation
from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import OpenedEpisode, Resumed
from palaestra.recovery.lineage import line_read
from palaestra.recovery.lost_pages import Draft, find_last_page
from palaestra.turn.budgets import Budgets
from palaestra.turn.histories import Past, PastTurn
from palaestra.turn.steps import TAKEN_OVER, StepQueue, StoredStep, is_answer, read_stored

RECORDED = "The answer is recorded."
HAND_BACK_LIMIT_S = 3_600.0
"""The seconds that an agent waits for a person who took over; the server hands idle episodes back sooner."""


class StoredTurns(ABC):
    """An episode that defers to its record.

    ``unanswered`` are stored steps that the policy does not know yet, by index. ``refusal`` is set if a
    person took over since the last answer, in which case the next step is not taken.
    """

    opened: OpenedEpisode
    steps: int
    is_over: bool
    observation: Observation
    step_queue: StepQueue
    unanswered: dict[int, StoredStep]
    refusal: ApiError | None
    _client: Client
    _is_first_given: bool
    _turns: list[PastTurn]
    _budgets: Budgets

    async def settle(self) -> StoredStep | None:
        """Wait until every step is stored, then call ``amend``."""
        await self.step_queue.flush()
        return await self.amend()

    async def amend(self) -> StoredStep | None:
        """Continue from the stored steps if they differ from the steps that were sent.

        Returns the last step if it is one that differs; ``observation`` then follows from the stored step.
        """
        overruled, self.step_queue.overruled = self.step_queue.overruled, {}
        if not overruled:
            return None
        record = self.step_queue.trajectory
        for index, stored in overruled.items():
            self._turns[index - 1] = replace(self._turns[index - 1], raw=stored.raw)
        self.unanswered |= {
            stored.index: stored for stored in map(read_stored, record["steps"]) if stored.index > self.steps
        }
        last = overruled.get(self.steps)
        if last is None:
            return None
        self.observation = _with_result(self.observation, last.outcome)
        await self._end_as(last)
        if self.is_over:
            self._show(replace(self.observation, text=RECORDED, screenshot=None))
            return last
        try:
            await self.begin(find_last_page(record))
        except (PageHung, TabClosed):
            self._show(_with_result(self._make_unreadable(), last.outcome))
        return last

    async def rejoin(self, refusal: ApiError) -> None:
        """Wait until a person who took over hands the episode back, then continue from the record.

        What the agent did in the meantime is not recorded. If the server has ended the episode, ``is_over``
        is set. Raises ``refusal`` if it has another reason, or if nobody hands the episode back in time.
        """
        if refusal.code != TAKEN_OVER:
            raise refusal
        resumed = await self._await_hand_back(refusal)
        if resumed is None:
            self.is_over = True
            return
        number = self.opened.id
        state, trajectory = await self._client.episode(number), await self._client.trajectory(number)
        # The person's steps raised the step budget. If the agent was refused at its first call, it has no URL
        # yet.
        self.opened = structs.replace(self.opened, max_steps=state.max_steps, start_url=resumed.start_url)
        past = (await line_read(self._client, trajectory)).to_past()
        self._restart()
        self.resume(past)
        try:
            await self.begin(find_last_page(trajectory))
        except (PageHung, TabClosed):
            self._show(self._make_unreadable())

    async def _await_hand_back(self, refusal: ApiError) -> Resumed | None:
        """Return the episode's state once it can be resumed, or None if it has ended."""
        patience = Patience(HAND_BACK_LIMIT_S)
        while await patience.pause():
            try:
                return await self._client.episode_resume(self.opened.id)
            except ApiError as failure:
                if failure.code == "episode_final":
                    return None
                if failure.code != TAKEN_OVER:
                    raise
        raise refusal

    def _refusal_check(self) -> None:
        """Raise ``refusal`` if it is set, so that the next step is not taken."""
        refusal, self.refusal = self.refusal, None
        if refusal is not None:
            raise refusal

    async def _answer_stored(self, stored: StoredStep, completion: Completion) -> tuple[Turn, Outcome]:
        """Answer with the recorded step and ignore the completion."""
        last = self.observation
        is_shown = self._has_page or last.result is not None
        self._turns.append(PastTurn(shown=last if is_shown else None, raw=stored.raw))
        self._budgets.count(completion.usage, is_parsed=stored.turn.parse_error is None)
        await self._end_as(stored)
        observed = Observation(kind=last.kind, text=RECORDED, url=last.url)
        if not self.is_over:
            _, looked = await self._look_after(stored.outcome)
            observed = looked or observed
        self._show(_with_result(observed, stored.outcome))
        return stored.turn, stored.outcome

    async def _end_as(self, stored: StoredStep) -> None:
        """End the episode if the recorded step ends it, regardless of the completion."""
        self.is_over = self.is_over or self._has_ended
        self._is_first_given |= is_answer(stored.turn.declared, stored.outcome.result)
        if not self.is_over and (stored.turn.declared or {}).get("type") == GiveUp.type:
            await self.close("agent_stopped", str((stored.turn.declared or {}).get("reason", "")))

    @property
    def _has_ended(self) -> bool:
        """True if the server has reported the end of the episode."""
        ack = self.step_queue.ack
        return ack.status != "open" or ack.terminated or ack.truncated or self.step_queue.is_final

    # ---- of the episode
    @abstractmethod
    def resume(self, past: Past) -> None: ...

    @abstractmethod
    def _restart(self) -> None: ...

    @abstractmethod
    async def begin(self, draft: Draft | None = None) -> Observation: ...

    @abstractmethod
    async def close(self, reason: CloseReason, detail: str = "") -> None: ...

    @property
    @abstractmethod
    def _has_page(self) -> bool: ...

    @abstractmethod
    async def _look_after(self, outcome: Outcome) -> tuple[Outcome, Observation | None]: ...

    @abstractmethod
    def _make_unreadable(self) -> Observation: ...

    @abstractmethod
    def _show(self, observation: Observation) -> None: ...


def _with_result(observation: Observation, outcome: Outcome) -> Observation:
    return replace(observation, result=outcome.result, result_message=outcome.message)
