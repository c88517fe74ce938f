"""The sections below a step: which there are, which come only when opened, and which is open at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from trajectories.models import Episode, Step

# Id, key and title.
PANELS = (
    ("tree", "1", "Accessibility tree"),
    ("dom", "2", "DOM"),
    ("changes", "3", "Changes"),
    ("page", "4", "Page events"),
    ("server", "5", "Site events"),
    ("programs", "6", "Programs"),
    ("prompt", "7", "Prompt"),
    ("usage", "8", "Usage and timing"),
    ("measures", "9", "Measures"),
    ("json", "0", "Raw and JSON"),
)


@dataclass(frozen=True, kw_only=True)
class Panel:
    """``template`` is drawn at once; a panel with ``href`` is fetched from there when someone opens it.

    ``found`` counts the places in it of what is sought in the episode.

    ``key`` is the digit that opens it: the same on every step, whichever panels this one has.
    """

    id: str
    key: str
    title: str
    template: str = ""
    href: str = ""
    count: int | None = None
    found: int = 0


def panels_of(
    episode: Episode,
    step: Step,
    *,
    counts: Mapping[str, int],
    found: Mapping[str, int],
    is_measured: bool,
    is_recorded: bool,
) -> list[Panel]:
    """``counts`` of ``page``, ``server`` and ``programs``: events and runs of this step.

    Programs, measures and the DOM replay are left out where there are none.
    """
    here = [episode.pk, step.index]
    fetched = {
        "dom": reverse("step_replay", args=here),
        "changes": reverse("step_changes", args=here),
        "prompt": reverse("episode_prompt", args=[episode.pk]),
    }
    left_out = {"programs": not counts["programs"], "measures": not is_measured, "dom": not is_recorded}
    return [
        Panel(
            id=name,
            key=key,
            title=title,
            template="" if name in fetched else f"lab/step/_{name}.html",
            href=fetched.get(name, ""),
            count=counts.get(name),
            found=found.get(name, 0),
        )
        for name, key, title in PANELS
        if not left_out.get(name)
    ]


def panel_opened(panels: Sequence[Panel], *, holds: Mapping[str, bool]) -> str:
    """The panel that is open until another is chosen: the first that holds something.

    ``holds`` tells it of those that have no count; what is only fetched when it is opened is never the one.
    """
    return next((panel.id for panel in panels if panel.count or holds.get(panel.id)), panels[0].id)
