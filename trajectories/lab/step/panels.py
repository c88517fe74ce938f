"""The panels of a step, which of them are fetched when opened, and which is open at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from trajectories.models import Episode, Step

# Id, key and title. The key 2 is that of the DOM replay, which has the picture's place.
PANELS = (
    ("tree", "1", "Accessibility tree"),
    ("changes", "3", "Changes"),
    ("page", "4", "Page events"),
    ("server", "5", "Site events"),
    ("programs", "6", "Programs"),
    ("prompt", "7", "Conversation"),
    ("usage", "8", "Usage and timing"),
    ("measures", "9", "Measures"),
    ("json", "0", "Raw and JSON"),
)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A panel with a ``template`` is part of the page; one with ``href`` is fetched when the reader opens it.

    ``key`` is the digit that opens it, the same on every step. ``matches`` counts the places in it that match
    what the reader searches for.
    """

    id: str
    key: str
    title: str
    template: str = ""
    href: str = ""
    count: int | None = None
    matches: int = 0


def panels_of(
    episode: Episode, step: Step, *, counts: Mapping[str, int], matches: Mapping[str, int], has_facts: bool
) -> list[Panel]:
    """``counts`` of ``page``, ``server`` and ``programs``: events and calls of this step."""
    here = [episode.pk, step.index]
    fetched = {
        "changes": reverse("step_changes", args=here),
        "prompt": reverse("step_conversation", args=here),
    }
    is_shown = {"programs": counts["programs"] > 0, "measures": has_facts}
    return [
        Panel(
            id=name,
            key=key,
            title=title,
            template="" if name in fetched else f"lab/step/_{name}.html",
            href=fetched.get(name, ""),
            count=counts.get(name),
            matches=matches.get(name, 0),
        )
        for name, key, title in PANELS
        if is_shown.get(name, True)
    ]


def panel_first(panels: Sequence[Panel], *, has_content: Mapping[str, bool]) -> str:
    """The first panel that holds something; ``has_content`` says so of those without a count."""
    return next((panel.id for panel in panels if panel.count or has_content.get(panel.id)), panels[0].id)
