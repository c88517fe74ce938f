"""The messages of a conversation as they are sent, with earlier pages shortened by a history policy.

The client sends these messages, and the server rebuilds them from the record. Completions and results of
actions are always kept. Under every policy, a page that has not changed since the previous turn is replaced
by one line, and so is a section that an earlier page shows in the same words.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from palaestra.protocol.changes import outline_diff
from palaestra.protocol.completions import Message
from palaestra.protocol.folds import outline_folded, sections_of
from palaestra.protocol.histories import History
from palaestra.protocol.observations import has_outline

How = Literal["", "folded", "changes", "unchanged", "left_out"]

UNCHANGED = "The page is as it was."
SAME_OUTLINE = "The outline is as it was."
LEFT_OUT = "(left out: an older page)"
TOOK_OVER = "A person took over for steps {} to {}."


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The observation before a step: the result of the previous action, and the page.

    ``picture`` is the screenshot as a PNG or its URL; empty if the format shows none. ``how`` says in what
    form the page is sent; empty if it is sent in full.
    """

    kind: str
    text: str = ""
    picture: bytes | str = ""
    result: str = ""
    result_message: str = ""
    how: How = ""

    @property
    def is_page(self) -> bool:
        """True unless there is nothing to see, as in arms without a page."""
        return bool(self.text or self.picture)


def pages_send(shown: Sequence[Shown], *, history: History) -> list[Shown]:
    """Return the observations of a conversation as they are sent under a history policy."""
    if history.policy.id == "last_k":
        first = max(0, len(shown) - (history.number or 1))
        # The first page that is sent is sent in full, even if it equals the page before it, which is left
        # out.
        return [_left_out(older) for older in shown[:first]] + _full(shown[first:])
    sent = _full(shown)
    if history.policy.id == "diff":
        sent[1:] = map(_changed, shown, shown[1:], sent[1:])
    return sent


def observation_message(shown: Shown) -> Message:
    """Return the message that shows a model the result of its action and the page."""
    lines = []
    if shown.result:
        detail = f" {shown.result_message}" if shown.result_message else ""
        lines.append(f"Result of your action: {shown.result}.{detail}")
    if shown.text:
        lines.append(f"Observation ({shown.kind}):\n{shown.text}")
    text = "\n\n".join(lines) or "Observation:"
    if not shown.picture:
        return {"role": "user", "content": text}
    picture = {"type": "image_url", "image_url": {"url": _address(shown.picture)}}
    return {"role": "user", "content": [{"type": "text", "text": text}, picture]}


def took_over(message: str, *, first: int, last: int) -> str:
    """Add to a result message the sentence that tells an agent which steps a person took."""
    return f"{message} {TOOK_OVER.format(first, last)}".lstrip()


def _full(shown: Sequence[Shown]) -> list[Shown]:
    """Return the pages, with the sections that earlier pages show folded to one line each."""
    sent: list[Shown] = []
    above: set[str] = set()
    for place, now in enumerate(shown):
        if place and _is_same_page(shown[place - 1], now):
            sent.append(replace(now, text=UNCHANGED, picture="", how="unchanged"))
            continue
        folded = outline_folded(now.text, above) if has_outline(now.kind) else now.text
        sent.append(replace(now, text=folded, how="folded") if folded != now.text else now)
        above |= sections_of(now.text)
    return sent


def _changed(before: Shown, now: Shown, sent: Shown) -> Shown:
    """Return the observation as ``sent``, or reduced to the outline's changes if that is shorter."""
    if _is_same_page(before, now) or not has_outline(now.kind):
        return sent
    difference = outline_diff(before.text, now.text) or SAME_OUTLINE
    text = min(difference, sent.text, key=len)
    return sent if text == sent.text else replace(now, text=text, how="changes")


def _left_out(shown: Shown) -> Shown:
    return replace(shown, text=LEFT_OUT if shown.is_page else "", picture="", how="left_out")


def _is_same_page(before: Shown, now: Shown) -> bool:
    """Return whether a model would be shown the same page again; False if there is nothing to see."""
    return now.is_page and (before.kind, before.text, before.picture) == (now.kind, now.text, now.picture)


def _address(picture: bytes | str) -> str:
    if isinstance(picture, str):
        return picture
    return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")
