"""Distracting boxes next to a question, like those around the content of an ordinary web page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.draws import Draws
from core.episodes.presentation import Look
from core.text.toml import toml_load

COUNTS = {"none": 0, "one": 1, "two": 2}
# Delay in milliseconds with which a page's distracting parts appear.
SLOW_MS = {"never": 0, "short": 300, "long": 900}


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A distracting box. ``label`` names its landmark; each text is a paragraph, ``items`` are a list."""

    label: str
    heading: str
    texts: tuple[str, ...]
    items: tuple[str, ...] = ()


PANELS = toml_load(Path(__file__).with_suffix(".toml"), dict[str, tuple[Panel, ...]])["panels"]


def choose_panels(payload: Mapping[str, Any], look: Look) -> tuple[Panel, ...]:
    """Choose a question's panels by its look; they are always the same for a given question and look."""
    draws = Draws("panels", look.digest(), str(payload.get("text", "")))
    return tuple(draws.sample(PANELS, COUNTS[look.panels]))
