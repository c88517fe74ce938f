"""Distracting boxes beside a question, like those around the content of an ordinary web page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.draws import Draws
from core.episodes.presentation import Look
from core.text.toml import toml_load

COUNTS = {"none": 0, "one": 1, "two": 2}
# How much later than the page its distracting parts appear, in milliseconds.
SLOW_MS = {"never": 0, "short": 300, "long": 900}


@dataclass(frozen=True, kw_only=True)
class Panel:
    """``label`` names its landmark; each text is a paragraph, and ``items`` follow as a list."""

    label: str
    heading: str
    texts: tuple[str, ...]
    items: tuple[str, ...] = ()


PANELS = toml_load(Path(__file__).with_suffix(".toml"), dict[str, tuple[Panel, ...]])["panels"]


def choose_panels(payload: Mapping[str, Any], look: Look) -> tuple[Panel, ...]:
    """Choose the panels of a question in its look; the same question has the same ones in equal looks."""
    draws = Draws("panels", look.digest(), str(payload.get("text", "")))
    return tuple(draws.sample(PANELS, COUNTS[look.panels]))
