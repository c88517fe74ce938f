"""The sections below a step: which there are, and which come only when they are opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse

from trajectories.models import Episode, Step


@dataclass(frozen=True, kw_only=True)
class Panel:
    """``template`` is drawn at once; a panel with ``href`` is fetched from there when someone opens it.

    ``key`` is the digit that opens it: the same on every step, whichever panels this one has.
    """

    id: str
    key: str
    title: str
    template: str = ""
    href: str = ""
    count: int | None = None


def panels_of(
    episode: Episode, step: Step, *, counts: Mapping[str, int], is_measured: bool, is_recorded: bool
) -> list[Panel]:
    """``counts`` of ``page``, ``server`` and ``programs``: events and runs of this step.

    Programs, measures and the DOM replay are left out where there are none.
    """
    here = [episode.pk, step.index]
    panels = [
        Panel(id="tree", key="1", title="Accessibility tree", template="lab/_step_tree.html"),
        Panel(id="dom", key="2", title="DOM", href=reverse("step_replay", args=here)),
        Panel(id="changes", key="3", title="Changes", href=reverse("step_changes", args=here)),
        Panel(id="page", key="4", title="Page events", template="lab/_step_page.html", count=counts["page"]),
        Panel(
            id="server",
            key="5",
            title="Site events",
            template="lab/_step_server.html",
            count=counts["server"],
        ),
        Panel(
            id="programs",
            key="6",
            title="Programs",
            template="lab/_step_programs.html",
            count=counts["programs"],
        ),
        Panel(id="prompt", key="7", title="Prompt", href=reverse("episode_prompt", args=[episode.pk])),
        Panel(id="usage", key="8", title="Usage and timing", template="lab/_step_usage.html"),
        Panel(id="measures", key="9", title="Measures", template="lab/_step_measures.html"),
        Panel(id="json", key="0", title="Raw and JSON", template="lab/_step_json.html"),
    ]
    left_out = {"programs": not counts["programs"], "measures": not is_measured, "dom": not is_recorded}
    return [panel for panel in panels if not left_out.get(panel.id)]
