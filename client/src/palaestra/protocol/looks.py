"""Looks of pages: their axes, and the hash by which equal looks are known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

LOOK_VERSION = "look-v2"

Value = str | int
PageKind = Literal["question", "site"]
"""The page of one question, or the pages of a mock site."""


@dataclass(frozen=True)
class Axis:
    """An axis of a look: its values, the neutral one first, and the kinds of page for which it is drawn."""

    values: tuple[Value, ...]
    pages: tuple[PageKind, ...] = ("question", "site")


# Values are never renamed or reordered: they are drawn by position, so that a change is a new LOOK_VERSION.
AXES: Mapping[str, Axis] = {
    "theme": Axis(("light", "dark")),
    "contrast": Axis(("normal", "high")),
    "accent": Axis(("blue", "green", "plum", "clay")),
    "font": Axis(("sans", "serif", "mono")),
    "zoom": Axis((100, 90, 125)),  # percent
    "density": Axis(("normal", "compact", "roomy")),
    "layout": Axis(("card", "plain", "wide")),
    # The place of the form that answers a question or filters a site's list.
    "form": Axis(("below", "above", "beside", "dialog")),
    # Boxes that have nothing to do with the task.
    "panels": Axis(("none", "one", "two")),
    # A box that covers the page until it is closed: when it appears.
    "pop_ups": Axis(("none", "early", "late", "often")),
    # How long the parts that do not belong to the task take to load; the page is not settled until then.
    "slow": Axis(("never", "short", "long")),
    "wording": Axis(("question", "problem", "exercise", "prompt"), pages=("question",)),
    "labels": Axis(("plain", "brisk", "formal", "friendly"), pages=("site",)),
    "listing": Axis(("cards", "table", "rows"), pages=("site",)),
    "sections": Axis(("usual", "reversed", "mixed"), pages=("site",)),
    "paging": Axis(("pages", "more", "scroll"), pages=("site",)),
    "time_zone": Axis(("UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland"), pages=("site",)),
    "locale": Axis(("en-GB", "en-US"), pages=("site",)),
    # Never drawn: it changes how a page is used, not only how it looks. A neutral one is not stored.
    "editor": Axis(("plain", "codemirror"), pages=()),
}
NEUTRAL: Mapping[str, Value] = {name: axis.values[0] for name, axis in AXES.items()}


def axes_of(page: PageKind) -> list[str]:
    """Return the axes that are drawn for a kind of page."""
    return [name for name, axis in AXES.items() if page in axis.pages]


def look_hash(look: Mapping[str, Value]) -> str:
    """Return the ``presentation_hash`` of an episode whose pages look so.

    16 hex digits, equal for equal looks on every machine and Python version. Axes that the look lacks are
    neutral.
    """
    chosen = {name: value for name, value in look.items() if value != NEUTRAL[name]}
    text = json.dumps([LOOK_VERSION, chosen], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
