"""The part of a step's page that changes from step to step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse

from trajectories.behaviour.dom_replay.scenes import has_recording
from trajectories.lab.step.interventions import Posted, StepInterventions
from trajectories.lab.step.measures import StepMeasures, StepUsage
from trajectories.lab.step.screenshot import AfterPicture, Screenshot, after_picture, step_screenshot
from trajectories.lab.step.texts import StepTexts
from trajectories.models import Blob, Episode, Step
from trajectories.record.prompts.templates import Template
from trajectories.shell.queries import programs, steps
from trajectories.shell.queries.fidelity import FidelityLabel, step_fidelity

# Id, key and title. Key 2 belongs to the DOM replay, which is shown in place of the picture.
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
    """A panel of a step's page.

    A panel with a ``template`` is part of the page; a panel with an ``href`` is fetched when the reader opens
    it. ``key`` is the digit that opens the panel, the same on every step. ``matches`` counts the panel's
    matches with the text that the reader searches for.
    """

    id: str
    key: str
    title: str
    template: str = ""
    href: str = ""
    count: int | None = None
    matches: int = 0


def build_panels(
    episode: Episode, step: Step, *, counts: Mapping[str, int], matches: Mapping[str, int], has_facts: bool
) -> list[Panel]:
    """Build the panels. ``counts`` has the numbers of the step's events and calls, by panel."""
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
    """Return the id of the first panel with content; ``has_content`` decides for panels without a count."""
    return next((panel.id for panel in panels if panel.count or has_content.get(panel.id)), panels[0].id)


@dataclass(frozen=True, kw_only=True)
class StepPage:
    """A step's page; its parts are read from the database when they are first used.

    ``find`` is the text that the reader searches the episode for. ``requested`` is the step number that led
    here; another step is shown if that one does not exist. ``posted`` is an intervention that was refused,
    and ``sees_golds`` is true if the reader may see golds.
    """

    episode: Episode
    step: Step
    sees_golds: bool
    find: str = ""
    requested: int | None = None
    posted: Posted | None = None

    # ---- position of the step

    @cached_property
    def neighbours(self) -> steps.Neighbours:
        return steps.step_neighbours(episode_id=self.episode.pk, index=self.step.index)

    @cached_property
    def notice(self) -> str:
        """Reason why a step other than the requested one is shown; empty if it is the requested one."""
        if self.requested is None or self.requested == self.step.index:
            return ""
        if steps.step_nearest(episode_id=self.episode.pk, index=self.requested).pk != self.step.pk:
            return ""  # the address was edited by hand
        if self.requested > self.step.index:
            return f"There is no step {self.requested}: {self.step.index} is the last one."
        return f"Step {self.requested} was never recorded: {self.step.index} is the next one."

    # ---- data of the step

    @cached_property
    def interventions(self) -> StepInterventions:
        return StepInterventions(
            episode=self.episode, step=self.step, sees_golds=self.sees_golds, posted=self.posted
        )

    @cached_property
    def texts(self) -> StepTexts:
        return StepTexts(step=self.step, find=self.find)

    @cached_property
    def measures(self) -> StepMeasures:
        return StepMeasures(step=self.step, target=self.texts.target)

    @cached_property
    def usage(self) -> StepUsage:
        return StepUsage(step=self.step, has_page=self.episode.has_page)

    @cached_property
    def events(self) -> steps.StepEvents:
        return steps.step_events(episode_id=self.episode.pk, index=self.step.index)

    @cached_property
    def calls(self) -> list[programs.Call]:
        return programs.tool_calls(self.episode, step=self.step.index)

    @cached_property
    def fidelity(self) -> FidelityLabel | None:
        """Fidelity of the DOM replay; None if it was not checked."""
        if self.episode.recording != Episode.Recording.FULL:
            return None
        row, label = step_fidelity(self.episode, index=self.step.index)
        return label if row else None

    # ---- files

    @cached_property
    def _blobs(self) -> dict[str, Blob]:
        return steps.list_uploaded_blobs([self.step.screenshot, self.step.observation_sha256])

    @property
    def observation_blob(self) -> Blob | None:
        return self._blobs.get(self.step.observation_sha256)

    @cached_property
    def screenshot(self) -> Screenshot:
        events = None if self.events.is_cut else self.events.page
        return step_screenshot(self.step, is_uploaded=self.step.screenshot in self._blobs, events=events)

    @cached_property
    def after(self) -> AfterPicture | None:
        """The next step's screenshot, which shows what the action led to."""
        return after_picture(self.episode.pk, index=self.neighbours.after)

    # ---- layout

    @cached_property
    def has_recording(self) -> bool:
        return has_recording(self.episode)

    @property
    def has_tree(self) -> bool:
        return bool(self.step.observation_text or self.step.observation_sha256)

    @property
    def is_words_only(self) -> bool:
        """True if there is no page to show, so that the thought takes its place."""
        if self.step.screenshot or self.has_recording:
            return False
        return not (self.episode.has_page and self.has_tree)

    @cached_property
    def panels(self) -> list[Panel]:
        texts = self.texts
        return build_panels(
            self.episode,
            self.step,
            counts={
                "page": len(self.events.page),
                "server": len(self.events.site),
                "programs": len(self.calls),
            },
            matches={"tree": texts.tree.matches, "json": texts.raw.matches + texts.action.matches},
            has_facts=self.measures.facts is not None,
        )

    @property
    def open_panel(self) -> str:
        """The id of the panel that is open until the reader chooses another one."""
        if not self.has_tree and not self.episode.has_page and self._has_prompt:
            return "prompt"  # only this panel shows what the model saw
        has_content = {
            "tree": self.has_tree,
            "usage": bool(self.usage),
            "json": bool(self.step.raw or self.step.action),
        }
        return panel_first(self.panels, has_content=has_content)

    @property
    def _has_prompt(self) -> bool:
        return Template(self.episode.group.template).is_known
