"""Brings the page of a fork to where its parent stood, and holds it against what the parent was shown.

Documents that nobody will look at again stay blank; the others are opened as they were at the site event of
their serving, and what was done on them is done again. The arena stores nothing of it.
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
from palaestra.bounds import EpisodeBounds
from palaestra.element_ids import ElementIds
from palaestra.errors import ForkDiverged, PageHung
from palaestra.observation import Observation, Observer
from palaestra.protocol.observations import ObservationFormat
from palaestra.protocol.outline import PUBLIC_ROOT
from palaestra.recipes import PastAct, Recipe
from palaestra.step_queue import text_clean
from palaestra.surface import DocumentGone, PageView, Surface
from palaestra.visits import Arrival, Deed, Visit, plans_of, visits_of

LINES_MAX, LINE_CHARS = 6, 60
AGAIN_S = (0.3, 0.4, 0.6, 0.25, 0.75)
"""Before a page that differs is looked at again: once where its text does, for a list may still be drawn; and
where its picture alone does more often, for a caret is there for half a second of each."""


@dataclass(frozen=True, kw_only=True)
class Looks:
    """How an episode looks at its page, and which of an act's actions it performs; ``texts`` gives what the
    parent was shown after a step. With ``checks_all`` every observation is compared, not only the last."""

    observer: Observer
    form: ObservationFormat
    action_of: Callable[[PastAct], Action | None]
    texts: Callable[[int], str]
    checks_all: bool = False


class _Differs(Exception):
    """An act that ended otherwise than the parent's, or led to another page, which was then ``shown``."""

    def __init__(self, past: PastAct, shown: Observation | None = None) -> None:
        super().__init__()
        self.past = past
        self.shown = shown


async def page_restore(page: Surface, recipe: Recipe, *, ids: ElementIds, looks: Looks) -> Observation:
    """The observation that the parent had, on a page that nothing was done on yet.

    Raises ``ForkDiverged`` where the page is another one, whichever way it is reached.
    """
    visits = visits_of(recipe, action_of=looks.action_of)
    failure: _Differs | None = None
    ways = list(plans_of(visits, is_remembered=page.is_remembering))
    paces = [(ways[0], True), *((way, False) for way in ways)]
    for way, is_quick in paces[-1:] if looks.checks_all else paces:
        ids.restore(recipe.element_ids.split())
        try:
            return await _Restoration(page, recipe, looks, is_quick=is_quick).walk(way, ids=ids.numbers)
        except _Differs as differs:
            failure = differs
        finally:
            page.types_by_keys = True
    raise ForkDiverged(_words(failure, looks) if failure else "There is nothing to restore.")


class _Restoration:
    """One way through the documents. One that ``is_quick`` looks neither at blank documents nor after an act
    that fills in fields, and types at once what is seen only by who goes back to it."""

    def __init__(self, page: Surface, recipe: Recipe, looks: Looks, *, is_quick: bool) -> None:
        self._page = page
        self._looks = looks
        self._is_quick = is_quick
        self._last = recipe.steps[-1].index
        self._bounds = EpisodeBounds.of(recipe.start_url)

    async def walk(self, way: Sequence[Arrival], *, ids: dict[str, int]) -> Observation:
        self._looks.observer.before = ("", "")
        shown: Observation | None = None
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
            shown = await self._look(visit.landing, acted=number > 0)
            for deed in visit.deeds:
                shown = await self._do(deed)
            if not is_last:
                await self._part(visit.parting)
        # What was done until now is on record as the parent's.
        await self._page.flush_recorder()
        self._bounds.as_of = None
        if shown is None:
            raise ForkDiverged("There is nothing to restore.")
        return shown

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

    async def _do(self, deed: Deed) -> Observation | None:
        self._announce(deed.past.index, seq=deed.past.seq)
        if deed.action is None:
            return await self._look(deed.past, acted=False)
        outcome = await action_perform(self._page, deed.action)
        if self._is_quick and deed.only_fills and deed.past.index != self._last:
            if not outcome.is_ok:
                raise _Differs(deed.past)
            return None
        return await self._look(deed.past, acted=outcome.is_ok)

    async def _part(self, parting: Sequence[Action]) -> None:
        """Do what was done on a document in the step in which it was left, but for leaving it: that only
        scrolls to the element, and the browser remembers the place."""
        for action in parting[:-1]:
            await action_perform(self._page, action)
            await self._page.observe(acted=True, with_text=self._looks.form.has_text)
        if not parting or parting[-1].spec.aim == "none":
            return
        with contextlib.suppress(ActionFailed, DocumentGone, PageHung):
            await parting[-1].place(self._page, "locate")

    # ---- looking
    async def _look(self, past: PastAct, *, acted: bool) -> Observation | None:
        """Look at the page as the parent's episode did, which gives its elements their ids."""
        looks = self._looks
        view = await self._page.observe(acted=acted, with_text=looks.form.has_text)
        if view is None:
            return None
        if past.index == self._last or looks.checks_all:
            return await self._checked(past, view)
        if looks.form.has_marks:
            await self._page.call("picture", True)
        looks.observer.before = (view.title, view.text)
        return None

    async def _checked(self, past: PastAct, view: PageView) -> Observation:
        observer = self._looks.observer
        before = observer.before
        shown = await observer.observe(self._page, view)
        for number, pause_s in enumerate(AGAIN_S):
            if _is_recorded(shown, past, self._looks.form):
                return shown
            if number and not _says_recorded(shown, past):
                break
            await asyncio.sleep(pause_s)
            again = await self._page.observe(acted=False, with_text=self._looks.form.has_text)
            if again is not None:
                observer.before = before
                shown = await observer.observe(self._page, again)
        if not _is_recorded(shown, past, self._looks.form):
            raise _Differs(past, shown)
        return shown


def _is_recorded(shown: Observation, past: PastAct, form: ObservationFormat) -> bool:
    """Whether a model would be shown what the parent's was."""
    if not _says_recorded(shown, past):
        return False
    if not form.has_screenshot or past.screenshot is None or shown.screenshot is None:
        return True
    return hashlib.sha256(shown.screenshot).hexdigest() == past.screenshot


def _says_recorded(shown: Observation, past: PastAct) -> bool:
    return hashlib.sha256(text_clean(shown.text).encode()).hexdigest() == past.sha256


def _words(failure: _Differs, looks: Looks) -> str:
    """The step, and the first lines that differ."""
    if failure.shown is None:
        return f"Step {failure.past.index} can no longer be done."
    recorded = looks.texts(failure.past.index).split("\n")
    lines = difflib.unified_diff(recorded, text_clean(failure.shown.text).split("\n"), lineterm="", n=0)
    differing = [line[:LINE_CHARS] for line in lines if not line.startswith(("---", "+++", "@@"))]
    named = "; ".join(differing[:LINES_MAX]) or "its picture"
    return f"After step {failure.past.index} the page differs: {named}"
