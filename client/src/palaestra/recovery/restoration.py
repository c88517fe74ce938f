"""Restoration of a fork's page to its parent's page, and comparison with what the parent was shown.

The documents on the way are opened again as of the site events at which they were served, and the actions on
them are repeated; documents that nobody will look at stay blank. The arena stores nothing of this.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palaestra.actions import Action, action_perform
from palaestra.actions.base import ActionFailed
from palaestra.errors import ForkDiverged, PageHung
from palaestra.observation import Observation, Observer
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.surface import DocumentGone, PageView, Surface
from palaestra.protocol.observations import ObservationFormat
from palaestra.protocol.outline import PUBLIC_ROOT
from palaestra.records.recipes import PastAct, Recipe
from palaestra.recovery.visits import Arrival, Interaction, Visit, list_visits, list_ways
from palaestra.turn.element_ids import ElementIds
from palaestra.turn.steps import text_clean

LINES_MAX, LINE_CHARS = 6, 60
AGAIN_S = (0.3, 0.4, 0.6, 0.25, 0.75)
"""Pauses, in seconds, before looking again at a page that differs. If its text differs, there is one more
look, because a list may still be rendering. If only its picture differs, there are more, because a blinking
caret is visible half of the time.
"""


@dataclass(frozen=True, kw_only=True)
class Looks:
    """The way in which an episode observes its page.

    ``read_action`` returns the action that a past step took on the page, ``texts`` returns the page text that
    the parent was shown after a step. With ``checks_all`` every observation is compared, not only the last
    one.
    """

    observer: Observer
    form: ObservationFormat
    read_action: Callable[[PastAct], Action | None]
    texts: Callable[[int], str]
    checks_all: bool = False


class _Differs(Exception):
    """Raised if an action had another result than in the parent, or led to another page (``observation``)."""

    def __init__(self, past: PastAct, observation: Observation | None = None) -> None:
        super().__init__()
        self.past = past
        self.observation = observation


async def page_restore(page: Surface, recipe: Recipe, *, ids: ElementIds, looks: Looks) -> Observation:
    """Restore a fork's page, and return the observation that the parent had.

    Several ways to the page are tried, from the cheapest to the most faithful. Raises ``ForkDiverged`` if the
    page differs each time.
    """
    visits = list_visits(recipe, read_action=looks.read_action)
    failure: _Differs | None = None
    ways = list(list_ways(visits, is_remembered=page.is_remembering))
    paces = [(ways[0], True), *((way, False) for way in ways)]
    for way, is_quick in paces[-1:] if looks.checks_all else paces:
        ids.restore(recipe.element_ids.split())
        try:
            return await _Restoration(page, recipe, looks, is_quick=is_quick).walk(way, ids=ids.numbers)
        except _Differs as differs:
            failure = differs
        finally:
            page.types_by_keys = True
    raise ForkDiverged(_describe(failure, looks) if failure else "There is nothing to restore.")


class _Restoration:
    """One attempt to restore a page by opening documents and repeating the actions on them.

    If it ``is_quick``, it observes neither blank documents nor pages after an action that only fills in
    fields, and on all pages but the last it inserts text in one go instead of key by key.
    """

    def __init__(self, page: Surface, recipe: Recipe, looks: Looks, *, is_quick: bool) -> None:
        self._page = page
        self._looks = looks
        self._is_quick = is_quick
        self._last = recipe.steps[-1].index
        self._bounds = EpisodeBounds.of(recipe.start_url)

    async def walk(self, way: Sequence[Arrival], *, ids: dict[str, int]) -> Observation:
        """Open the documents of a way, and return the observation of the last one.

        Raises ``_Differs`` if a page or a result differs, and ``ForkDiverged`` if the way is empty.
        """
        self._looks.observer.before = ("", "")
        observation: Observation | None = None
        for number, (visit, is_real) in enumerate(way):
            is_last = number == len(way) - 1
            self._page.types_by_keys = is_last or not self._is_quick
            self._announce(visit.landing.index, seq=visit.served.seq)
            self._bounds.is_blank = not is_real
            await self._arrive(visit, ids=ids if number == 0 else None)
            if not is_real:
                if not self._is_quick:
                    await self._page.observe(acted=number > 0, with_text=False)
                continue
            observation = await self._look(visit.landing, acted=number > 0)
            for interaction in visit.interactions:
                observation = await self._repeat(interaction)
            if not is_last:
                await self._leave(visit.parting)
        # Send the recorder's events now, while ``as_of`` is set, so that they do not count as the fork's own.
        await self._page.flush_recorder()
        self._bounds.as_of = None
        if observation is None:
            raise ForkDiverged("There is nothing to restore.")
        return observation

    def _announce(self, index: int, *, seq: int) -> None:
        self._bounds.as_of = seq
        self._bounds.step = index
        if self._page.bounds is self._bounds:
            self._page.turn(index)

    async def _arrive(self, visit: Visit, *, ids: dict[str, int] | None) -> None:
        address = self._bounds.root + visit.url.removeprefix(PUBLIC_ROOT)
        if ids is not None:
            await self._page.begin(address, ids=ids, bounds=self._bounds)
        elif visit.is_back:
            await self._page.back()
        else:
            await self._page.go(address)

    async def _repeat(self, interaction: Interaction) -> Observation | None:
        self._announce(interaction.past.index, seq=interaction.past.seq)
        if interaction.action is None:
            return await self._look(interaction.past, acted=False)
        outcome = await action_perform(self._page, interaction.action)
        if self._is_quick and interaction.only_fills and interaction.past.index != self._last:
            if not outcome.is_ok:
                raise _Differs(interaction.past)
            return None
        return await self._look(interaction.past, acted=outcome.is_ok)

    async def _leave(self, parting: Sequence[Action]) -> None:
        """Repeat the actions of the step in which a document was left, except the action that left it.

        Of that action, only the scrolling to its element is repeated, because the browser restores the scroll
        position when an agent goes back.
        """
        for action in parting[:-1]:
            await action_perform(self._page, action)
            await self._page.observe(acted=True, with_text=self._looks.form.has_text)
        if not parting or parting[-1].spec.aim == "none":
            return
        with contextlib.suppress(ActionFailed, DocumentGone, PageHung):
            await parting[-1].place(self._page, "locate")

    # ---- looking
    async def _look(self, past: PastAct, *, acted: bool) -> Observation | None:
        """Observe the page as the parent's episode did; this also assigns ids to its elements."""
        looks = self._looks
        view = await self._page.observe(acted=acted, with_text=looks.form.has_text)
        if view is None:
            return None
        if past.index == self._last or looks.checks_all:
            return await self._compare(past, view)
        if looks.form.has_marks:
            await self._page.call("picture", True)
        looks.observer.before = (view.title, view.text)
        return None

    async def _compare(self, past: PastAct, view: PageView) -> Observation:
        observer = self._looks.observer
        before = observer.before
        observation = await observer.observe(self._page, view)
        for number, pause_s in enumerate(AGAIN_S):
            if _equals_record(observation, past, self._looks.form):
                return observation
            if number and not _has_recorded_text(observation, past):
                break
            await asyncio.sleep(pause_s)
            again = await self._page.observe(acted=False, with_text=self._looks.form.has_text)
            if again is not None:
                observer.before = before
                observation = await observer.observe(self._page, again)
        if not _equals_record(observation, past, self._looks.form):
            raise _Differs(past, observation)
        return observation


def _equals_record(observation: Observation, past: PastAct, form: ObservationFormat) -> bool:
    """Return whether an observation equals the parent's in text and picture."""
    if not _has_recorded_text(observation, past):
        return False
    if not form.has_screenshot or past.screenshot is None or observation.screenshot is None:
        return True
    return hashlib.sha256(observation.screenshot).hexdigest() == past.screenshot


def _has_recorded_text(observation: Observation, past: PastAct) -> bool:
    return hashlib.sha256(text_clean(observation.text).encode()).hexdigest() == past.sha256


def _describe(failure: _Differs, looks: Looks) -> str:
    """Return an error message with the step and the first lines that differ."""
    if failure.observation is None:
        return f"Step {failure.past.index} can no longer be done."
    recorded = looks.texts(failure.past.index).split("\n")
    lines = difflib.unified_diff(recorded, text_clean(failure.observation.text).split("\n"), lineterm="", n=0)
    differing = [line[:LINE_CHARS] for line in lines if not line.startswith(("---", "+++", "@@"))]
    named = "; ".join(differing[:LINES_MAX]) or "its picture"
    return f"After step {failure.past.index} the page differs: {named}"
