"""Looks of pages: their axes, and the hash that identifies equal looks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

LOOK_VERSION = "look-v2"

Value = str | int
PageKind = Literal["question", "site"]
"""A kind of page: the page of one question, or the pages of a mock site."""


@dataclass(frozen=True)
class Axis:
    """An axis of a look: its values, the neutral value first, and the kinds of page for which it is drawn."""

    values: tuple[Value, ...]
    pages: tuple[PageKind, ...] = ("question", "site")


# Values are drawn by position, so renaming or reordering them requires a new LOOK_VERSION.
AXES: Mapping[str, Axis] = {
    "theme": Axis(("light", "dark")),
    "contrast": Axis(("normal", "high")),
    "accent": Axis(("blue", "green", "plum", "clay")),
    "font": Axis(("sans", "serif", "mono")),
    "zoom": Axis((100, 90, 125)),  # percent
    "density": Axis(("normal", "compact", "roomy")),
    "layout": Axis(("card", "plain", "wide")),
    # Where the form is that answers a question or filters a site's list.
    "form": Axis(("below", "above", "beside", "dialog")),
    # How many boxes the page has that are unrelated to the task.
    "panels": Axis(("none", "one", "two")),
    # When a box appears that covers the page until it is closed.
    "pop_ups": Axis(("none", "early", "late", "often")),
    # How long the parts that do not belong to the task take to load. Until then, the page has not settled.
    "slow": Axis(("never", "short", "long")),
    "wording": Axis(("question", "problem", "exercise", "prompt"), pages=("question",)),
    "labels": Axis(("plain", "brisk", "formal", "friendly"), pages=("site",)),
    "listing": Axis(("cards", "table", "rows"), pages=("site",)),
    "sections": Axis(("usual", "reversed", "mixed"), pages=("site",)),
    "paging": Axis(("pages", "more", "scroll"), pages=("site",)),
    "time_zone": Axis(("UTC", "Europe/Berlin", "America/New_York", "Pacific/Auckland"), pages=("site",)),
    "locale": Axis(("en-GB", "en-US"), pages=("site",)),
    # Never drawn, because it changes how a page is used, not only its look. A neutral value is not stored.
    "editor": Axis(("plain", "codemirror"), pages=()),
}
NEUTRAL: Mapping[str, Value] = {name: axis.values[0] for name, axis in AXES.items()}


def axes_of(page: PageKind) -> list[str]:
    """Return the axes that are drawn for a kind of page."""
    return [name for name, axis in AXES.items() if page in axis.pages]


def look_hash(look: Mapping[str, Value]) -> str:
    """Return the ``presentation_hash`` of an episode whose pages have this look.

    The hash has 16 hex digits and is the same for equal looks on every machine and Python version. Axes that
    the look does not contain count as neutral.
    """
    chosen = {name: value for name, value in look.items() if value != NEUTRAL[name]}
    text = json.dumps([LOOK_VERSION, chosen], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
