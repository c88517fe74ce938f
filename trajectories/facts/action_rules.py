"""What the page has to have seen of each kind of action; one rule a kind, documented in
``docs/said_and_done.md``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit

from core.outline import is_element_id
from core.tokens import mask_tokens
from trajectories.facts import elements

if TYPE_CHECKING:
    from trajectories.facts.action_check import Declared, Reported
    from trajectories.facts.attribution import Tied

# Actions that do nothing to a page: whatever somebody does meanwhile is extra.
QUIET = ("", "wait", "noop", "answer")
NOT_DONE = {
    "no_target": "the harness found nothing there to act on",
    "refused": "the harness refused it",
    "invalid": "the harness could not read it",
}
NO_TARGET = "no_target"
# The keys that pages report; all others are text.
NAMED_KEYS = frozenset(
    [
        "Enter",
        "Escape",
        "Tab",
        "Backspace",
        "Delete",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "ArrowUp",
        "ArrowDown",
        "ArrowLeft",
        "ArrowRight",
    ]
)
POINT_PX = 2
# Pages report as much of a field.
VALUE_CHARS = 2_000
# What a field holds is told so far.
HELD_CHARS = 80
# So many steps back a page is looked for where it was scrolled to.
LOOKED_BACK = 50


@dataclass(frozen=True, kw_only=True)
class Found:
    """``missing``: nothing of it was seen; ``none``: it asks for nothing. ``explained`` are the events
    that come of the action."""

    kind: Literal["confirmed", "different", "unknown", "missing", "none"]
    detail: str = ""
    explained: Sequence[Reported] = ()


def event_words(event: Reported) -> str:
    """An event as one would say it."""
    where = elements.reported(event.data)
    if event.kind == "key":
        return f"the key {event.data.get('key')} in {where}"
    if event.kind in ("click", "input"):
        return f"{'a click on' if event.kind == 'click' else 'input in'} {where}"
    return f"{event.kind}"


def not_done(step: Declared) -> str:
    """Why the harness did nothing, empty when it does not say so."""
    target = (step.action or {}).get("target")
    if step.result != NO_TARGET or not isinstance(target, str) or not target:
        return NOT_DONE.get(step.result, "")
    if not is_element_id(target):
        return "the action names no element by its number"
    if elements.is_shown(target, observation=step.observation):
        return "the element that it names was shown, but could not be reached any more"
    if not step.has_all_shown:
        return NOT_DONE[NO_TARGET]
    return f"the action named an element that was not there: {target}"


def same_answer(given: object, taken: object) -> bool:
    """Whether an answer is the one that was taken: a value, or a list of them."""
    one, other = ([value] if not isinstance(value, list) else value for value in (given, taken))
    return [str(value).strip() for value in one] == [str(value).strip() for value in other]


def _click(step: Declared, tied: Tied) -> Found:
    events = tied.of(step.index)
    clicks = [event for event in events if event.kind == "click"]
    if not clicks:
        return Found(kind="missing", detail="no page saw a click: it hit nothing")
    hits = [event for event in clicks if _is_hit(step, event)]
    if not hits:
        told = elements.target_of(step.action, observation=step.observation)
        return Found(
            kind="different",
            detail=f"{event_words(clicks[0])}, not on {told or 'the place that was named'}",
            explained=events,
        )
    # A click on a label is a click on its control too, and either may send a form or change a field.
    others = [event for event in events if event.kind in ("input", "submit")]
    return Found(kind="confirmed", explained=[*hits, *others])


def _is_hit(step: Declared, event: Reported) -> bool:
    action = step.action or {}
    told = elements.target_of(action, observation=step.observation)
    if told is not None:
        return elements.is_same(told, elements.reported(event.data))
    x, y = _number(action.get("x")), _number(action.get("y"))
    seen_x, seen_y = _number(event.data.get("x")), _number(event.data.get("y"))
    if x is None or y is None or seen_x is None or seen_y is None:
        return True  # nothing says where it should have gone
    return abs(x - seen_x) <= POINT_PX and abs(y - seen_y) <= POINT_PX


def _type(step: Declared, tied: Tied) -> Found:
    events = tied.of(step.index)
    inputs = [event for event in events if event.kind == "input"]
    text = _plain((step.action or {}).get("text"))
    if not inputs:
        return _typed_unseen(step, events, text)
    told = elements.target_of(step.action, observation=step.observation)
    right = [one for one in inputs if told is None or elements.is_same(told, elements.reported(one.data))]
    if not right:
        detail = f"{event_words(inputs[0])}, not in {told}"
        return Found(kind="different", detail=detail, explained=events)
    # Line ends and tabs of the text are keys.
    explained = [*right, *(one for one in events if one.kind in ("key", "submit"))]
    if any(_holds(one, text) for one in right):
        return Found(kind="confirmed", explained=explained)
    return Found(kind="different", detail=_held_words(right[-1]), explained=explained)


def _held_words(event: Reported) -> str:
    """What a field holds, on one line. Tokens are masked before the cut, which could leave half of one."""
    text = " ".join(mask_tokens(str(event.data.get("value"))).split())
    told = text if len(text) <= HELD_CHARS else f"{text[: HELD_CHARS - 1]}…"
    return f"the field holds “{told}”" if told else "the field is empty"


def _typed_unseen(step: Declared, events: Sequence[Reported], text: str) -> Found:
    if not text:
        return Found(kind="unknown", detail="typing nothing into an empty field leaves no trace")
    told = elements.target_of(step.action, observation=step.observation)
    focused = [one for one in events if one.kind in ("focus", "key")]
    if any(told and elements.is_same(told, elements.reported(one.data)) for one in focused):
        detail = "the field took the focus and reported no text"
        return Found(kind="unknown", detail=detail, explained=focused)
    return Found(kind="missing", detail="no page saw input in any field")


def _holds(event: Reported, text: str) -> bool:
    value = event.data.get("value")
    if not isinstance(value, str):
        return True  # a password is not reported
    shown = _plain(value)
    return text in shown or (len(value) >= VALUE_CHARS and shown[: VALUE_CHARS // 2] in text)


def _press(step: Declared, tied: Tied) -> Found:
    events = tied.of(step.index)
    named = str((step.action or {}).get("key") or "")
    key = named.rpartition("+")[2] or named
    keys = [event for event in events if event.kind == "key"]
    told = elements.target_of(step.action, observation=step.observation)
    pressed = [event for event in keys if event.data.get("key") == key]
    if pressed:
        if told and not any(elements.is_same(told, elements.reported(one.data)) for one in pressed):
            detail = f"{event_words(pressed[0])}, not in {told}"
            return Found(kind="different", detail=detail, explained=events)
        # Enter sends forms, which is a click on their button; arrows change fields.
        return Found(
            kind="confirmed", explained=[one for one in events if one.kind != "key" or one in pressed]
        )
    if key in NAMED_KEYS:
        if keys:
            return Found(kind="different", detail=f"{event_words(keys[0])}, not {key}", explained=events)
        return Found(kind="missing", detail="no page saw the key")
    if any(event.kind in ("input", "click") for event in events):
        return Found(kind="confirmed", explained=events)
    return Found(kind="unknown", detail="pages report no keys that are text", explained=events)


def _scroll(step: Declared, tied: Tied) -> Found:
    action = step.action or {}
    asked = (_number(action.get("dx")) or 0.0, _number(action.get("dy")) or 0.0)
    if asked == (0.0, 0.0):
        return Found(kind="none", detail="nothing was asked: it names no distance")
    seen = _scrolls(step, tied)
    if not seen:
        return Found(kind="missing", detail="nothing moved: its end may have been reached")
    before = _position_before(seen[0], tied, step)
    after = _position(seen[-1])
    if before and after:
        moved = (after[0] - before[0], after[1] - before[1])
        if any(want * got < 0 for want, got in zip(asked, moved, strict=True)):
            return Found(kind="different", detail="the page moved the other way")
    return Found(kind="confirmed")


def _scrolls(step: Declared, tied: Tied) -> list[Reported]:
    """A page waits a quarter of a second before it reports scrolling: the next step may have begun."""
    own = [event for event in tied.of(step.index) if event.kind == "scroll"]
    after = tied.step_after(step.index)
    if own or after is None or after.type == "scroll":
        return own
    return [event for event in tied.of(after.index) if event.kind == "scroll"][:1]


def _position_before(event: Reported, tied: Tied, step: Declared) -> tuple[float, float] | None:
    """Where the page was last known to be before the step; it begins at its top."""
    place = tied.order[step.index] - 1
    while place >= max(0, tied.order[step.index] - LOOKED_BACK):
        for known in reversed(tied.of(tied.steps[place].index)):
            position = _position(known) if known.page == event.page else None
            if position:
                return position
            if known.page == event.page and known.kind == "load":
                return 0.0, 0.0
        place -= 1
    return None


def _position(event: Reported) -> tuple[float, float] | None:
    x, y = event.data.get("x"), event.data.get("y")
    if event.kind != "scroll":
        given = event.data.get("scroll")
        x, y = given if isinstance(given, list) and len(given) == 2 else (None, None)
    left, top = _number(x), _number(y)
    return None if left is None or top is None else (left, top)


def _select(step: Declared, tied: Tied) -> Found:
    action = step.action or {}
    events = tied.of(step.index)
    inputs = [event for event in events if event.kind == "input"]
    if not inputs:
        return Found(kind="missing", detail="no page saw a choice in any list")
    told = elements.target_of(action, observation=step.observation)
    right = [one for one in inputs if told is None or elements.is_same(told, elements.reported(one.data))]
    if not right:
        detail = f"{event_words(inputs[0])}, not in {told}"
        return Found(kind="different", detail=detail, explained=events)
    value, asked = right[-1].data.get("value"), action.get("value")
    # Options have a label and a value: a page reports the value, an action may say either.
    if value != asked and value in elements.options_of(action, observation=step.observation):
        return Found(kind="different", detail="another option was chosen", explained=right)
    return Found(kind="confirmed", explained=right)


def _goto(step: Declared, tied: Tied) -> Found:
    loads = [event for event in tied.of(step.index) if event.kind == "load"]
    if not loads:
        return Found(kind="missing", detail="no page was loaded")
    wanted = _path((step.action or {}).get("url"))
    reached = [_path(event.data.get("path")) for event in loads]
    if any(path == wanted or (wanted and path.endswith(f"/{wanted}")) for path in reached):
        return Found(kind="confirmed")
    return Found(kind="different", detail=f"the page that came is /{reached[-1]}")


def _back(step: Declared, tied: Tied) -> Found:
    if any(event.kind == "load" for event in tied.of(step.index)):
        return Found(kind="confirmed")
    return Found(kind="unknown", detail="a page that comes back from memory does not report it")


def _nothing(_step: Declared, _tied: Tied) -> Found:
    return Found(kind="confirmed", detail="there was nothing to see")


RULES: dict[str, Callable[[Declared, Tied], Found]] = {
    "back": _back,
    "click": _click,
    "goto": _goto,
    "noop": _nothing,
    "press": _press,
    "scroll": _scroll,
    "select": _select,
    "type": _type,
    "wait": _nothing,
}


def _path(address: Any) -> str:
    """The path below the episode's first page, without query: pages report no more."""
    if not isinstance(address, str):
        return ""
    try:
        return unquote(urlsplit(address.strip()).path).strip("/")
    except ValueError:
        return ""


def _plain(text: Any) -> str:
    """Without line ends and tabs, which are keys in some fields and text in others."""
    return "".join(str(text if text is not None else "").split())


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e9 else None
