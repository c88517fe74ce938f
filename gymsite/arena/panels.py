"""Distracting boxes beside a question, like those around the content of an ordinary web page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.draws import Draws
from core.presentation import Look

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


PANELS = (
    Panel(
        label="Weather",
        heading="Mild until Thursday",
        texts=(
            "Light wind from the west and a few clouds in the afternoon. Rain comes in from the coast late.",
        ),
        items=("Today: 17 °C, dry", "Tomorrow: 19 °C, sunny spells", "Friday: 12 °C, showers"),
    ),
    Panel(
        label="From the magazine",
        heading="The bakers who get up at noon",
        texts=(
            "Three friends turned a closed post office into a bakery that opens when others shut.",
            "Their rye loaf rests for two days, and so, they say, do they.",
        ),
    ),
    Panel(
        label="Tip of the week",
        heading="Read it twice",
        texts=("People who read a text a second time before they write find more of their own slips.",),
    ),
    Panel(
        label="People also look at",
        heading="Popular this month",
        texts=("What other visitors spent the longest time with:",),
        items=("Bridges and how they stand", "A short history of the umbrella", "Counting birds in winter"),
    ),
    Panel(
        label="What's on",
        heading="Open day at the observatory",
        texts=(
            "On Saturday evening the dome is open to everybody, weather permitting.",
            "Warm clothes are a good idea; the heating would blur the stars.",
        ),
    ),
    Panel(
        label="Community",
        heading="Chess in the library",
        texts=("The club meets every Tuesday on the second floor. Boards are there, beginners are welcome.",),
    ),
    Panel(
        label="Partner offer",
        heading="Notebooks that lie flat",
        texts=(
            "Sewn by hand, with squared, ruled or plain pages. Postage is on us until the end of the month.",
        ),
    ),
    Panel(
        label="Service notice",
        heading="Short break on Sunday night",
        texts=(
            "We move to new machines between two and three in the morning. Nothing of yours will be lost.",
        ),
    ),
    Panel(
        label="Letters",
        heading="A reader asks",
        texts=(
            "Why do the clocks in the station never agree with each other?",
            "The stationmaster writes back: they do, twice a day.",
        ),
    ),
    Panel(
        label="Recipe",
        heading="Lentil soup with lemon",
        texts=("Ready in half an hour, and better on the second day.",),
        items=("Soften an onion in oil", "Add red lentils, cumin and stock", "Finish with plenty of lemon"),
    ),
)


def panels_of(payload: Mapping[str, Any], look: Look) -> tuple[Panel, ...]:
    """Those of a question in its look; the same question has the same ones wherever it looks the same."""
    draws = Draws("panels", look.digest(), str(payload.get("text", "")))
    return tuple(draws.sample(PANELS, COUNTS[look.panels]))
