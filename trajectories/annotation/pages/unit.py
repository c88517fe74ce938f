"""A unit as its annotator sees it: the step, without the outcome, and the form."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from django.db.models import Max

from trajectories.annotation.codebook.types import Codebook, Field, Option, load_codebook
from trajectories.annotation.labels.answers import Answers, mirror_answers, read_answers
from trajectories.annotation.labels.services import find_newest_label
from trajectories.annotation.queues import redaction
from trajectories.annotation.queues.tickets import ticket_make
from trajectories.behaviour.thoughts.sentences import sentence_spans
from trajectories.lab.step.index import thought_line
from trajectories.lab.step.screenshot import Screenshot, step_screenshot
from trajectories.lab.step.texts import StepTexts
from trajectories.models import AnnotationSlot, Annotator, Episode, Label, Step
from trajectories.models.annotation import View
from trajectories.shell.queries import steps
from trajectories.shell.text.long_text import SHOWN_CHARS

STEPS_BEFORE = 5
# In a longer episode, only the steps around the unit's own are offered; the number of any other can be typed.
STEPS_OFFERED = 400


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An option in the form.

    ``link`` is the step that carries out what the option announces, and ``number`` the step number given as
    the answer.
    """

    option: Option
    is_chosen: bool
    link: int | None = None
    number: int | None = None


@dataclass(frozen=True, kw_only=True)
class Question:
    field: Field
    choices: list[Choice]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of the thought. The unit's sentences have a ``place`` in it, by which they are marked."""

    text: str
    place: str = ""
    is_marked: bool = False
    is_of_unit: bool = True


@dataclass(frozen=True, kw_only=True)
class UnitPage:
    """The page of a unit that is a thought; ``trajectory_unit`` and ``pair_unit`` extend it to other levels.

    ``posted`` holds answers that were sent but not stored, ``errors`` say why, and ``newer`` is a label that
    was saved in the meantime. ``starts`` maps parameters to the steps at which long lists begin.
    """

    template: ClassVar[str] = "lab/annotation/_step.html"

    annotator: Annotator
    slot: AnnotationSlot
    posted: Answers | None = None
    errors: list[str] = field(default_factory=list)
    newer: Label | None = None
    starts: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """The key by which a form that a browser without scripts sends twice becomes only one label."""
        return str(uuid.uuid4())

    @property
    def ticket(self) -> str:
        return ticket_make(annotator_id=self.annotator.pk, slot=self.slot.public_id)

    @property
    def element_id(self) -> str:
        """The suffix of the ids of the page's elements, which differs between a unit and its repeat."""
        return self.slot.public_id.hex if self.slot.pk else "settled"

    # ---- the view

    @property
    def has_page(self) -> bool:
        return self.slot.view != View.THOUGHT

    @property
    def has_thought(self) -> bool:
        return self.slot.view != View.PAGE

    # ---- the step

    @cached_property
    def step(self) -> Step | None:
        """The unit's step, or None if it has been deleted."""
        unit = self.slot.unit
        rows = Step.objects.select_related("episode__task", "episode__run")
        return rows.filter(episode_id=unit.episode_id, index=unit.step).first()

    @property
    def is_there(self) -> bool:
        return self.step is not None

    @property
    def episode(self) -> Episode | None:
        return self.step.episode if self.step else None

    @cached_property
    def texts(self) -> StepTexts | None:
        return StepTexts(step=self.step) if self.step else None

    @cached_property
    def screenshot(self) -> Screenshot | None:
        if self.step is None or not self.step.screenshot:
            return None
        uploaded = steps.list_uploaded_blobs([self.step.screenshot])
        return step_screenshot(self.step, is_uploaded=bool(uploaded), events=None)

    @cached_property
    def before(self) -> list[dict[str, Any]]:
        """The preceding steps, oldest first, each with number, action and the beginning of the thought."""
        unit = self.slot.unit
        starts = steps.thought_starts(
            episode_id=unit.episode_id, first=max(unit.step - STEPS_BEFORE, 1), last=unit.step - 1
        )
        actions = dict(
            Step.objects.filter(episode_id=unit.episode_id, index__in=list(starts)).values_list(
                "index", "action"
            )
        )
        return [
            {
                "index": index,
                "action": actions.get(index),
                "thought": thought_line(start) if self.has_thought else "",
            }
            for index, start in sorted(starts.items())
        ]

    @cached_property
    def last_step(self) -> int:
        """The number of the episode's last step; 0 if the episode was deleted."""
        last = Step.objects.filter(episode_id=self.slot.unit.episode_id).aggregate(last=Max("index"))["last"]
        return last or 0

    @cached_property
    def steps_offered(self) -> list[tuple[int, Any]]:
        """Steps near this one that may carry out what its thought announces, with their actions."""
        unit = self.slot.unit
        options = (option for field in self.codebook.fields for option in field.options)
        if self.step is None or not any(option.links_step for option in options):
            return []
        first = max(min(unit.step - STEPS_OFFERED // 2, self.last_step - STEPS_OFFERED + 1), 1)
        rows = Step.objects.filter(
            episode_id=unit.episode_id, index__range=(first, first + STEPS_OFFERED - 1)
        )
        return list(rows.order_by("index").values_list("index", "action"))

    # ---- the thought

    @cached_property
    def parts(self) -> list[Part]:
        """The thought in pieces: the unit's sentences, the text between them, and that around the unit."""
        if self.step is None or not self.has_thought:
            return []
        thought, unit = self.step.thought, self.slot.unit
        marked = {f"{begin}-{end}" for begin, end in self.answers.spans}
        end = min(unit.end, unit.begin + SHOWN_CHARS)
        parts = [Part(text=self._thought(0, unit.begin), is_of_unit=False)]
        place = unit.begin
        for begin, stop in sentence_spans(thought[unit.begin : end]):
            begin, stop = begin + unit.begin, stop + unit.begin
            parts.append(Part(text=self._thought(place, begin)))
            name = f"{begin}-{stop}"
            parts.append(Part(text=self._thought(begin, stop), place=name, is_marked=name in marked))
            place = stop
        parts += [
            Part(text=self._thought(place, end)),
            Part(text=self._thought(unit.end, unit.end + SHOWN_CHARS), is_of_unit=False),
        ]
        return [part for part in parts if part.text]

    def _thought(self, begin: int, end: int) -> str:
        """Return a range of the thought's characters, redacted if the page is not shown."""
        thought = self.step.thought if self.step else ""
        if self.has_page:
            return thought[begin:end]
        return redaction.redact(thought, begin, end, hidden=self._hidden)

    @cached_property
    def _hidden(self) -> list[tuple[int, int]]:
        if self.step is None:
            return []
        return redaction.find_hidden_places(self.step.thought, observation=self.step.observation_text)

    # ---- the form

    @cached_property
    def codebook(self) -> Codebook:
        return load_codebook(self.annotator.project.codebook)

    @cached_property
    def label(self) -> Label | None:
        """The annotator's earlier label of the unit."""
        return find_newest_label(unit=self.slot.unit, annotator=self.annotator, is_repeat=self.slot.is_repeat)

    @property
    def label_words(self) -> str:
        return summarise_label(self.label, self.codebook)

    @property
    def newer_words(self) -> str:
        return summarise_label(self.newer, self.codebook)

    @property
    def answers(self) -> Answers:
        return self.answers_stored

    @cached_property
    def answers_stored(self) -> Answers:
        """The posted answers or, failing those, the stored ones; for a pair, in the unit's own order."""
        if self.posted is not None:
            return self.posted
        return read_answers(self.label) if self.label else Answers(values={})

    @property
    def questions(self) -> list[Question]:
        return [Question(field=field, choices=self._choices(field)) for field in self.codebook.fields]

    def _choices(self, one: Field) -> list[Choice]:
        value = self.answers.values.get(one.id)
        chosen = value if isinstance(value, list) else [value]
        return [
            Choice(
                option=option,
                is_chosen=option.id in chosen or (option.is_step and isinstance(value, int)),
                link=self.answers.links.get(option.id) if option.links_step else None,
                number=value if option.is_step and isinstance(value, int) else None,
            )
            for option in one.options
        ]


def summarise_label(label: Label | None, codebook: Codebook, *, is_swapped: bool | None = None) -> str:
    """Summarise a label in a few words, such as ``Reasoning, The problem, Plan``.

    The summary of a pair's label follows the order in which its annotator saw the pair or, if ``is_swapped``
    is given, the order in which the reader sees it.
    """
    if label is None:
        return "not labelled"
    if label.state == Label.State.SKIPPED:
        return "skipped"
    answers = Answers(values=label.values)
    if label.is_swapped if is_swapped is None else is_swapped:
        answers = mirror_answers(answers, codebook=codebook)
    # Restore the codebook's order, since Postgres does not keep the order of JSON keys, and drop empty sets.
    given = [(field, answers.values.get(field.id)) for field in codebook.fields]
    return ", ".join(one.words(value) for one, value in given if value not in (None, []))
