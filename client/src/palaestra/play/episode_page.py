"""An episode's page: observing it, restoring it, and recovering when it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace

from palaestra.actions import Action, ActionInvalid, Outcome, action_check, shows_hidden
from palaestra.episode_config import EpisodeConfig
from palaestra.errors import (
    PAGE_FAILURES,
    ApiError,
    BrowserDead,
    PageDead,
    PageHung,
    PageUnsettled,
    PalaestraError,
    TabClosed,
)
from palaestra.http.backoff import Patience
from palaestra.observation import Observation, Observer
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.surface import DocumentGone, PageView, Surface
from palaestra.play.stored_turns import StoredTurns
from palaestra.protocol.end_reasons import CloseReason
from palaestra.protocol.observations import ObservationFormat
from palaestra.protocol.offers import Conditions
from palaestra.records.recipes import PastAct
from palaestra.recovery.lineage import read_parent_line
from palaestra.recovery.lost_pages import AT_FIRST_PAGE, Draft
from palaestra.recovery.restoration import Looks, page_restore
from palaestra.turn.element_ids import ElementIds

UNREADABLE = "(the page does not answer)"
REOPEN_LIMIT_S = 20.0  # how long browser pages that die before they show the first page are replaced
GONE_ON = "restored"
DEATHS_MAX = 1  # pages (and, separately, browsers) that may die in one episode; the next death ends it
Renew = Callable[[Surface], Awaitable[Surface]]


class EpisodePage(StoredTurns):
    """The part of an episode that deals with its page. ``page`` is None in arms without a page."""

    page: Surface | None
    renew: Renew | None
    closed_as: CloseReason | None
    _form: ObservationFormat
    _observer: Observer
    _ids: ElementIds
    _deaths: Counter[type[PalaestraError]]
    _config: EpisodeConfig
    conditions: Conditions

    # ---- forks
    async def _inherit(self) -> None:
        """Adopt the parent's turns up to the step at which the fork begins."""
        parent, until = self.opened.parent, self.opened.begins_after
        if parent is not None and self.steps < until:
            self.resume((await read_parent_line(self._client, parent)).cut_after(until).to_past())

    async def _restore(self, page: Surface, parent: int) -> Observation:
        """Restore the page of a fork that has no steps of its own yet. Raises ``ForkDiverged``."""
        recipe = await self._client.episode_restore(self.opened.id)
        line = await read_parent_line(self._client, parent)
        looks = Looks(
            observer=self._observer,
            form=self._form,
            read_action=self._read_action,
            texts=line.find_text,
            checks_all=self._config.fork_check == "all",
        )
        return await page_restore(page, recipe, ids=self._ids, looks=looks)

    def _read_action(self, past: PastAct) -> Action | None:
        """Return the action that a past step carried out on its page, or None if there was none."""
        try:
            action = action_check(past.action or {})
        except ActionInvalid:
            return None
        is_too_long = len(getattr(action, "actions", ())) > self._config.actions_per_turn
        is_left_out = past.action_result == "invalid" or not action.touches_page
        return None if is_left_out or is_too_long or shows_hidden(action, self.conditions) else action

    # ---- looking
    async def _look(self, page: Surface, view: PageView | None) -> Observation | None:
        """Return the observation of a page, or None if the answer was submitted."""
        while view is not None:
            try:
                return await self._observer.observe(page, view)
            except PageHung:
                return self._make_unreadable()
            except DocumentGone:  # the document changed after the outline was read
                view = await self._view(page)
        return None

    async def _look_after(self, outcome: Outcome) -> tuple[Outcome, Observation | None]:
        """Observe the page after a turn that did nothing on it, because it may have changed by itself."""
        if self.page is None:
            return outcome, Observation(kind="text")
        self.page.turn(self.steps)
        try:
            return outcome, await self._look(self.page, await self._view(self.page))
        except PageHung:
            return outcome, self._make_unreadable()
        except PAGE_FAILURES as failure:
            return await self._recover(failure, outcome)

    async def _view(self, page: Surface) -> PageView | None:
        return await page.observe(acted=False, with_text=self._form.has_text)

    async def _open_first_page(self, page: Surface, draft: Draft | None = None) -> Observation:
        if self.opened.start_url is None:
            raise ValueError("The episode has no page.")
        if self.opened.parent is not None and self.steps == self.opened.begins_after:
            try:
                return await self._restore(page, self.opened.parent)
            except ApiError as failure:
                # An earlier process already began the next step. Its page is lost, so reopen it like any
                # other.
                if failure.code != GONE_ON:
                    raise
        bounds = EpisodeBounds.of(self.opened.start_url)
        bounds.step = self.steps
        await page.begin(self.opened.start_url, ids=self._ids.numbers, bounds=bounds)
        if draft is not None:
            await draft.restore(page)
        first = await self._look(page, await self._view(page)) or self._make_unreadable()
        if self.steps == 0 and not first.is_settled:
            raise PageUnsettled("The first page never settled.")
        return first

    # ---- broken pages
    async def _recover(self, failure: PalaestraError, outcome: Outcome) -> tuple[Outcome, Observation]:
        """Replace a page that broke and tell the agent; after too many deaths, end the episode."""
        message = f"{outcome.message} {failure}".lstrip()
        self._deaths[type(failure)] += 1
        if isinstance(failure, PageDead) and self._deaths[type(failure)] > DEATHS_MAX:
            if isinstance(failure, BrowserDead):
                raise failure
            self.closed_as = "page_crash"
            return replace(outcome, message=message), self._make_unreadable()
        try:
            return replace(outcome, message=f"{message} {AT_FIRST_PAGE}"), await self._reopen()
        except PageDead as again:
            return await self._recover(again, outcome)
        except (PageHung, TabClosed):
            return replace(outcome, message=message), self._make_unreadable()

    async def _reopen(self) -> Observation:
        """Open the first page again in another browser page; the episode's state is kept by the server."""
        if self.page is None or self.renew is None:
            raise BrowserDead("There is nowhere to open another page.")
        patience = Patience(REOPEN_LIMIT_S)
        while True:
            try:
                self.page = await self.renew(self.page)
                return await self._open_first_page(self.page)
            except PageDead:
                if not await patience.pause():
                    raise

    def _make_unreadable(self) -> Observation:
        last = self.observation
        return Observation(kind=last.kind, text=UNREADABLE, url=last.url, is_settled=False)
