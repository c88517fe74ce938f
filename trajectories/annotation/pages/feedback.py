"""Feedback to an annotator after a unit with known answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trajectories.annotation.codebook.types import Codebook
from trajectories.annotation.labels.answers import Answers, answers_mirrored
from trajectories.annotation.queues.golds import AnswerCheck, answer_checks
from trajectories.lab.step.index import thought_line
from trajectories.models import Label, Step
from trajectories.models.annotation import View


@dataclass(frozen=True, kw_only=True)
class Feedback:
    label: Label
    checks: list[AnswerCheck]

    @property
    def why(self) -> str:
        return str((self.label.unit.gold or {}).get("why", ""))

    @property
    def right(self) -> int:
        return sum(check.is_right for check in self.checks)

    @cached_property
    def thought(self) -> str:
        """The beginning of the unit, to identify it; empty if its thought was not shown."""
        unit = self.label.unit
        if self.label.view != View.FULL or unit.other_episode_id:
            return ""
        rows = Step.objects.filter(episode_id=unit.episode_id, index=unit.step)
        thought = rows.values_list("thought", flat=True).first() or ""
        return thought_line(thought[unit.begin : unit.end])


def feedback_of(label: Label, codebook: Codebook) -> Feedback | None:
    """Return the feedback; None for a unit without known answers, or a skipped one."""
    if label.unit.gold is None or label.state != Label.State.DONE:
        return None
    given, right = (Answers(values=values) for values in (label.values, label.unit.gold.get("values", {})))
    if label.is_swapped:  # in the words of the form
        given, right = (answers_mirrored(answers, codebook=codebook) for answers in (given, right))
    return Feedback(label=label, checks=answer_checks(given.values, right.values, codebook))
