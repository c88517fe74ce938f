"""Carries out one action on a page. A failing action is an observation, never an exception."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from palaestra.actions import Action
from palaestra.errors import PageHung
from palaestra.pages import WarmPage, WorldGone
from palaestra.records import ActionResult

KEYS_MAX = 200  # characters typed key by key; what follows is inserted at once
# Keys that act inside the page. Those of the browser (new tab, address bar, view source) and of the
# clipboard, which all pages of a machine share, are refused.
KEY = re.compile(
    r"^(?:Shift\+)?(?:Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Space|"
    r"Arrow(?:Up|Down|Left|Right)|[^\s\x00-\x1f])$"
)
CHORD = re.compile(
    r"^Control\+(?:Shift\+)?(?:[aAzZyY]|Home|End|Backspace|Delete|Enter|Arrow(?:Up|Down|Left|Right))$"
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of an action, and a sentence for the model when it was not simply done."""

    result: ActionResult
    message: str = ""


DONE = Outcome(result="ok")


async def execute(page: WarmPage, action: Action) -> Outcome:
    """Do ``action``. Raises only for a page that is dead or closed (``PageDead``, ``TabClosed``)."""
    try:
        return await _DOERS[action.type](page, action)
    except PageHung as failure:
        return Outcome(result="timeout", message=str(failure))
    except WorldGone:
        return Outcome(result="no_target", message="The page changed before the action reached it.")


async def _click(page: WarmPage, action: Action) -> Outcome:
    place = await page.ask("locate", action.target)
    if "problem" in place:
        return _no_target(action, place["problem"])
    await page.act(page.page.mouse.click(place["x"], place["y"]))
    return DONE


async def _type(page: WarmPage, action: Action) -> Outcome:
    place = await page.ask("focus", action.target, action.clear)
    if "problem" in place:
        return _no_target(action, place["problem"])
    if action.clear and not action.text and place["had"]:
        await page.act(page.page.keyboard.press("Backspace"))
    text = "".join(c for c in action.text if c >= " " or c in "\n\t")
    # In a field of several lines a tab is text; as a key it would indent, or leave the field.
    by_keys = 0 if place["lines"] and "\t" in text else KEYS_MAX
    keyboard = page.page.keyboard
    if text[:by_keys]:
        await page.act(keyboard.type(text[:by_keys]))
    if text[by_keys:]:
        await page.act(keyboard.insert_text(text[by_keys:]))
    return DONE


async def _press(page: WarmPage, action: Action) -> Outcome:
    key = "Space" if action.key == " " else action.key
    if not KEY.match(key) and not CHORD.match(key):
        return Outcome(result="refused", message=f"The key {key[:40]!r} is not available.")
    place = await (page.ask("reach", action.target) if action.target else page.ask("idle", 0))
    if "problem" in place:
        return _no_target(action, place["problem"])
    await page.act(page.page.keyboard.press(key))
    return DONE


async def _scroll(page: WarmPage, action: Action) -> Outcome:
    if action.target:
        place = await page.ask("locate", action.target)
        if "problem" in place:
            return _no_target(action, place["problem"])
        await page.act(page.page.mouse.move(place["x"], place["y"]))
    elif action.dx and not action.dy:
        place = await page.ask("sideways", action.dx)
        if "problem" in place:
            return _no_target(action, place["problem"])
        if place:
            await page.act(page.page.mouse.move(place["x"], place["y"]))
    else:
        await page.ask("idle", 0)  # tells the page the number of this step
    await page.act(page.page.mouse.wheel(action.dx, action.dy))
    return DONE


async def _select(page: WarmPage, action: Action) -> Outcome:
    place = await page.ask("choose", action.target, action.value)
    return _no_target(action, place["problem"]) if "problem" in place else DONE


async def _goto(page: WarmPage, action: Action) -> Outcome:
    real = page.fence and page.fence.resolve(action.url, base=page.page.url)
    if not real:
        return Outcome(result="refused", message="That address is outside this task.")
    if not await page.go(real):
        return Outcome(result="refused", message="That address leads to no page of this task.")
    return DONE


async def _back(page: WarmPage, action: Action) -> Outcome:
    if not await page.back():
        return Outcome(result="no_target", message="This is the first page: there is nothing to go back to.")
    return DONE


async def _wait(page: WarmPage, action: Action) -> Outcome:
    await page.ask("idle", action.ms)
    return DONE


async def _noop(page: WarmPage, action: Action) -> Outcome:
    return DONE


async def _answer(page: WarmPage, action: Action) -> Outcome:
    return Outcome(result="refused", message="Answer through the page: there is no other way in this task.")


def _no_target(action: Action, problem: str) -> Outcome:
    return Outcome(result="no_target", message=f"{action.target or 'The page'}: {problem}.")


_DOERS: dict[str, Callable[[WarmPage, Action], Awaitable[Outcome]]] = {
    "answer": _answer,
    "back": _back,
    "click": _click,
    "goto": _goto,
    "noop": _noop,
    "press": _press,
    "scroll": _scroll,
    "select": _select,
    "type": _type,
    "wait": _wait,
}
