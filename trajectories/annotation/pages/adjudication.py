"""A disputed unit as an adjudicator sees it: the step, the answers without names, and the form."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from trajectories.annotation.adjudication import selectors
from trajectories.annotation.adjudication.selectors import Column, Disagreement
from trajectories.annotation.adjudication.services import Reason
from trajectories.annotation.codebook.types import Codebook, Field, load_codebook
from trajectories.annotation.labels.answers import Answers, mirror_answers, read_answers
from trajectories.annotation.pages.label_form import LINK_PREFIX, STEP_PREFIX
from trajectories.annotation.pages.pair_unit import PairPage
from trajectories.annotation.pages.queue_views import PAGES
from trajectories.annotation.pages.unit import Question, UnitPage, summarise_label
from trajectories.models import AnnotationSlot, AnnotationUnit, Annotator, Label

# Each key is the initial of the reason's most characteristic word.
REASON_KEYS = {
    Reason.DEFINITION: "D",
    Reason.SLIP: "S",
    Reason.MISREAD: "P",
    Reason.AMBIGUOUS: "T",
    Reason.OTHER: "O",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """Each person's answer to a field, in the order of the columns."""

    field: Field
    answers: list[str]
    is_differing: bool


@dataclass(frozen=True, kw_only=True)
class SettlementPage:
    """A unit to settle. ``annotator`` is the adjudicator, or None for a researcher, who can only read.

    ``posted`` holds answers that were sent but not stored. ``taken`` is the letter of the column whose
    answers prefill the form.
    """

    unit: AnnotationUnit
    annotator: Annotator | None
    disagreement: Disagreement | None
    taken: str = ""
    posted: Answers | None = None
    sent: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    starts: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        return str(uuid.uuid4())

    @cached_property
    def codebook(self) -> Codebook:
        return load_codebook(self.unit.project.codebook)

    @property
    def is_own(self) -> bool:
        """True if the adjudicator is one of the people whose answers differ."""
        return self.annotator is not None and self.annotator.pk in {
            column.label.annotator_id for column in self.columns
        }

    @cached_property
    def is_for_others(self) -> bool:
        return self.unit.pk in selectors.list_units_for_others(self.unit.project, self.annotator)

    @property
    def may_settle(self) -> bool:
        return self.annotator is not None and not self.is_for_others

    # ---- the answers side by side

    @cached_property
    def columns(self) -> list[Column]:
        return selectors.list_columns(self.unit)

    @property
    def differing(self) -> list[str]:
        return self.disagreement.fields if self.disagreement else []

    @cached_property
    def _fields(self) -> list[Field]:
        """The fields, starting with those on which people differ."""
        return sorted(self.codebook.fields, key=lambda one: one.id not in self.differing)

    @property
    def rows(self) -> list[Row]:
        return [
            Row(
                field=field,
                answers=[field.words(answers.values.get(field.id)) for _, answers in self._as_shown],
                is_differing=field.id in self.differing,
            )
            for field in self._fields
        ]

    @property
    def has_notes(self) -> bool:
        return any(column.label.note or column.label.is_unsure for column in self.columns)

    @property
    def has_spans(self) -> bool:
        return any(column.label.spans for column in self.columns)

    @property
    def has_views(self) -> bool:
        """True if people saw different parts of the unit."""
        return len({column.label.view for column in self.columns}) > 1

    @property
    def marked(self) -> list[list[str]]:
        """The parts of the thought that each person marked."""
        texts = {part.place: part.text for part in self.shown.parts if part.place}
        places = [[f"{begin}-{end}" for begin, end in column.label.spans] for column in self.columns]
        return [[texts[place] for place in row if place in texts] for row in places]

    @property
    def fills(self) -> list[tuple[Column, str]]:
        """Each column with its answers as form fields, in JSON for the page's script."""
        return [
            (column, json.dumps(_as_fields(answers, self.codebook))) for column, answers in self._as_shown
        ]

    @property
    def _as_shown(self) -> list[tuple[Column, Answers]]:
        """The columns with their answers; for a pair, in the order in which this page shows it."""
        shown = self.shown
        if not (isinstance(shown, PairPage) and shown.is_swapped):
            return [(column, column.answers) for column in self.columns]
        return [(column, mirror_answers(column.answers, codebook=self.codebook)) for column in self.columns]

    # ---- the form

    @cached_property
    def settlement(self) -> Label | None:
        return selectors.find_settlement(self.unit)

    @property
    def settled_words(self) -> str:
        """A short description of how the unit was settled."""
        shown = self.shown
        is_swapped = isinstance(shown, PairPage) and shown.is_swapped
        words = [summarise_label(self.settlement, self.codebook, is_swapped=is_swapped)]
        words += [one.label.lower() for one in Reason if self.settlement and one == self.settlement.reason]
        return " · ".join(words)

    @property
    def reasons(self) -> list[tuple[str, str, str, bool]]:
        """The reasons to choose from: value, title, key, and whether the reason is chosen."""
        chosen = self.sent.get("reason", self.settlement.reason if self.settlement else "")
        return [(one.value, one.label, REASON_KEYS[one], one.value == chosen) for one in Reason]

    @cached_property
    def _answers(self) -> Answers:
        """The form's initial answers."""
        if self.posted is not None:
            return self.posted
        for column in self.columns:
            if column.letter.lower() == self.taken:
                return column.answers
        if self.settlement is not None:
            return read_answers(self.settlement)
        return selectors.merge_agreed_answers(self.columns, differing=self.differing)

    @cached_property
    def shown(self) -> UnitPage:
        """The unit as the annotators saw it, with the form's answers."""
        view = selectors.choose_view(self.columns)
        annotator = self.annotator or Annotator(project=self.unit.project)
        slot = AnnotationSlot(unit=self.unit, annotator=annotator, position=self.unit.position, view=view)
        return PAGES[self.unit.project.level](
            annotator=annotator, slot=slot, posted=self._answers, starts=self.starts
        )

    @property
    def questions(self) -> list[tuple[Question, bool]]:
        """The form's questions in the order of the rows, each with whether people differ on it."""
        questions = {question.field.id: question for question in self.shown.questions}
        return [
            (questions[field.id], field.id in self.differing)
            for field in self._fields
            if field.id in questions
        ]

    @property
    def taken_keys(self) -> set[str]:
        """The keys that select a column here, so they cannot select an answer."""
        return {column.key for column in self.columns} - {""}


def _as_fields(answers: Answers, codebook: Codebook) -> list[tuple[str, str]]:
    values = []
    for question in codebook.fields:
        value = answers.values.get(question.id)
        if isinstance(value, int) and question.step_option:
            values += [(question.id, question.step_option.id), (f"{STEP_PREFIX}{question.id}", str(value))]
        elif value is not None:
            values += [(question.id, answer) for answer in (value if isinstance(value, list) else [value])]
    spans = [("span", f"{begin}-{end}") for begin, end in answers.spans]
    links = [(f"{LINK_PREFIX}{name}", str(step)) for name, step in answers.links.items()]
    return [*values, *spans, *links, ("note", answers.note)]
