"""What is said of a replay that was held against its screenshot, or was not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trajectories.models import Fidelity

Reason = Fidelity.Reason
State = Fidelity.State
# A hovered button and a lost word look alike in figures; beyond this it is another page.
MUCH_SHARE = 0.01
LEAST_TOLD = 0.0001
WORDS = {
    State.FAITHFUL: "Faithful",
    State.UNFAITHFUL: "Not faithful",
    State.NOT_CHECKED: "Not checked",
    State.FAILED: "Check failed",
}
SIGNS = {State.FAITHFUL: "✓", State.UNFAITHFUL: "≠", State.FAILED: "!"}
UNASKED = "Nobody has held this replay against the screenshot yet."
TOO_EARLY = "It is held against the screenshot after the episode has ended."
WHY = {
    Reason.WAITING: "It waits for a worker that draws replays.",
    Reason.NO_SANDBOX: "The workers here have no sandbox to draw it in (bubblewrap).",
    Reason.NO_BROWSER: "The workers here have no Chromium to draw it with.",
    Reason.NO_SCREENSHOT: "There is no screenshot to hold it against.",
    Reason.NO_REPLAY: "The recording does not show this step.",
    Reason.OTHER_SIZE: "The screenshot has another shape than the window that was recorded.",
    Reason.WHOLE_PAGE: "The screenshot shows more than the window, the replay shows the window.",
    Reason.TOO_LARGE: "The page is too large to be drawn.",
    Reason.OUT_OF_TIME: "Drawing the page took too long.",
    Reason.OUT_OF_MEMORY: "Drawing the page took too much memory.",
    Reason.NOT_READY: "The page was not rebuilt.",
    Reason.UNREADABLE: "What was drawn is no picture of the window.",
    Reason.CRASHED: "The browser that drew the page ended.",
}


@dataclass(frozen=True, kw_only=True)
class Said:
    """``tone`` is a colour of tags; ``can_ask`` when a check may find more than what is known."""

    word: str
    tone: str
    why: str
    sign: str = ""
    is_waiting: bool = False
    can_ask: bool = False


@dataclass(frozen=True, kw_only=True)
class EpisodeSaid:
    """What came of an episode's steps; ``others`` failed or cannot be checked."""

    faithful: int
    unfaithful: Sequence[int]
    waiting: int
    others: int

    @property
    def checked(self) -> int:
        return self.faithful + len(self.unfaithful)


def fidelity_said(found: Fidelity | None, *, has_ended: bool) -> Said:
    """Of one step; None where nobody has asked. Before its episode ``has_ended`` nobody can."""
    if found is None:
        why = UNASKED if has_ended else TOO_EARLY
        return Said(word=WORDS[State.NOT_CHECKED], tone="plain", why=why, can_ask=has_ended)
    state = State(found.state)
    return Said(
        word=WORDS[state],
        tone=_tone(found),
        why=WHY.get(Reason(found.reason), "") or _differs(found),
        sign=SIGNS.get(state, ""),
        is_waiting=found.is_waiting,
        can_ask=has_ended and not found.is_waiting,
    )


def share_told(share: float) -> str:
    """A share of pixels, of which few are enough for a word."""
    if 0 < share < LEAST_TOLD:
        return f"less than {LEAST_TOLD:.2%}"
    return f"{share:.1%}" if share >= MUCH_SHARE else f"{share:.2%}"


def _tone(found: Fidelity) -> str:
    if found.state == State.UNFAITHFUL:
        return "bad" if (found.changed_share or 0) >= MUCH_SHARE else "warn"
    return {State.FAITHFUL: "good", State.FAILED: "warn"}.get(State(found.state), "plain")


def _differs(found: Fidelity) -> str:
    share = found.changed_share or 0
    if not share:
        return "No pixel of it differs from the screenshot."
    end = "" if found.state == State.FAITHFUL else f"{_may_be(share)} Trust the screenshot."
    return f"{share_told(share).capitalize()} of it differs from the screenshot.{end}"


def _may_be(share: float) -> str:
    """A word that is lost in a lit field changes as many pixels, in the same place, as the light."""
    if share >= MUCH_SHARE:
        return ""
    return " So little may be a focus ring or what the pointer lights up, or a lost word: look at both."
