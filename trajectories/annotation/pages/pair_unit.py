"""A pair as its annotator sees it: two trajectories, or two next steps, side by side in random order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trajectories.annotation.labels.answers import Answers, mirror_answers
from trajectories.annotation.pages.trajectory_unit import Walk
from trajectories.annotation.pages.unit import UnitPage
from trajectories.annotation.queues import tickets
from trajectories.lab.step.screenshot import Screenshot, step_screenshot
from trajectories.lab.step.texts import StepTexts
from trajectories.models import Episode, Step
from trajectories.shell.queries import steps

TITLES = ("The first", "The second")
KEYS = ("gh", "jl")
PARAMETERS = dict(zip(KEYS, ("steps", "steps2"), strict=True))


@dataclass(frozen=True, kw_only=True)
class Side:
    """One member of a pair: a trajectory, or a step of a trajectory."""

    title: str
    walk: Walk
    step: Step | None

    @cached_property
    def texts(self) -> StepTexts | None:
        return StepTexts(step=self.step) if self.step else None


@dataclass(frozen=True, kw_only=True)
class PairPage(UnitPage):
    """The page of a pair. For two steps, both agents were shown the same page, which appears once."""

    template = "lab/annotation/_pair.html"

    @property
    def is_swapped(self) -> bool:
        slot = self.slot
        return tickets.is_swapped(slot.unit, annotator=self.annotator, is_repeat=slot.is_repeat)

    @property
    def is_of_steps(self) -> bool:
        return bool(self.slot.unit.step)

    @cached_property
    def sides(self) -> list[Side]:
        unit = self.slot.unit
        places = [(unit.episode_id, unit.step), (unit.other_episode_id or 0, unit.other_step or 0)]
        if self.is_swapped:
            places.reverse()
        return [
            self._side(title, keys, *place) for title, keys, place in zip(TITLES, KEYS, places, strict=True)
        ]

    def _side(self, title: str, keys: str, episode_id: int, step: int) -> Side:
        rows = Step.objects.select_related("episode__task", "episode__run")
        row = rows.filter(episode_id=episode_id, index=step).first() if step else None
        walk = Walk(
            episode_id=episode_id,
            name=f"walk-{self.element_id}-{keys}",
            keys=keys,
            parameter=PARAMETERS[keys],
            starts=self.starts,
        )
        return Side(title=title, walk=walk, step=row)

    @property
    def is_there(self) -> bool:
        if self.is_of_steps:
            return all(side.step is not None for side in self.sides)
        return all(side.walk.episode is not None and side.walk.steps for side in self.sides)

    @property
    def episode(self) -> Episode | None:
        first = self.sides[0]
        return first.step.episode if first.step else first.walk.episode

    @cached_property
    def step(self) -> None:
        """None, because a pair has no single step to label."""
        return

    @property
    def texts(self) -> StepTexts | None:
        return self.sides[0].texts

    @cached_property
    def screenshot(self) -> Screenshot | None:
        """The page that both agents were shown, without the marks of either agent's action."""
        step = self.sides[0].step
        if step is None or not step.screenshot:
            return None
        shown = Step(episode_id=step.episode_id, index=step.index, screenshot=step.screenshot)
        return step_screenshot(
            shown, is_uploaded=bool(steps.list_uploaded_blobs([step.screenshot])), events=()
        )

    @cached_property
    def answers(self) -> Answers:
        """The answers, in the order in which the pair is shown."""
        answers = self.answers_stored
        return mirror_answers(answers, codebook=self.codebook) if self.is_swapped else answers
