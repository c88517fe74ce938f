"""Check of a file's rows against a project: which are new, which are stored already, and which are wrong."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec

from core.errors import GymError
from core.text.csv import unescape_formula
from trajectories.annotation.archive import Manifest
from trajectories.annotation.codebook.types import VERSION_CHARS, Codebook, codebook_read, load_codebook
from trajectories.annotation.columns import PLACE, unit_paths
from trajectories.annotation.imports.files import LabelFile
from trajectories.annotation.imports.rows import Row
from trajectories.annotation.labels.answers import Answers, check_answers, prune_answers
from trajectories.annotation.machines.labels import check_given_answers
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, CodebookVersion, Label

AT_ONCE = 1_000
LABELS_MAX = 500_000
PROBLEMS_MAX = 50
PROBLEM_CHARS = 500
SPANS_AT_ONCE = 20_000
NAMESPACE = uuid.UUID("5f6f2f0e-7a1c-4a38-9d5c-6d1f0e9b8a11")

ADVICE = (
    "Imports overwrite nothing: import the label under another annotator's name, or give it the next version."
)
SETTLED_ADVICE = "Imports overwrite nothing: give the label the next version."

# What identifies a label version: unit, annotator, layer, whether it is a repeat, and version.
Slot = tuple[int, str, str, bool, int]


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """Settings for reading a file. If ``annotator`` is set, it and ``kind`` override those in the rows."""

    annotator: str = ""
    kind: str = Annotator.Kind.PERSON
    takes_other_codebooks: bool = False


@dataclass(frozen=True, kw_only=True)
class Placement:
    """A row with its unit and key in the project. ``is_new`` is false if the project already has it."""

    row: Row
    unit: int
    key: uuid.UUID
    is_new: bool


@dataclass(kw_only=True)
class Check:
    """A check of ``files`` against a project. ``problems`` describe what is wrong with which line.

    At most ``PROBLEMS_MAX`` of them are kept, but ``problem_count`` counts all.
    """

    project: AnnotationProject
    files: Sequence[LabelFile]
    manifest: Manifest | None
    settings: ImportSettings
    problems: list[str] = field(default_factory=list)
    problem_count: int = 0
    left_out: int = 0

    def rows(self) -> Iterator[list[Placement]]:
        """Yield the rows in batches, leaving out those that have a problem."""
        seen: dict[bytes, bytes] = {}
        batch: list[tuple[str, Row]] = []
        spans = 0
        for where, row in self._lines():
            checked = self._checked(row) if isinstance(row, Row) else row
            if isinstance(checked, str):
                self._problem(where, checked)
            elif checked is not None:
                batch.append((where, checked))
                spans += len(checked.spans)
            if len(batch) == AT_ONCE or spans > SPANS_AT_ONCE:
                yield self._batch(batch, seen)
                batch, spans = [], 0
        yield self._batch(batch, seen)

    @cached_property
    def codebook(self) -> Codebook:
        return load_codebook(self.project.codebook)

    @cached_property
    def codebooks(self) -> dict[str, Any]:
        """The contents, by hash, of the codebook versions that labels may name."""
        own = {self.project.codebook_id: self.project.codebook.content}
        if not self.settings.takes_other_codebooks:
            return own
        named = {} if self.manifest is None else self.manifest.codebooks
        return {**{name: one for name, one in named.items() if _hash_of(one) == name}, **own}

    @cached_property
    def people(self) -> dict[str, Annotator]:
        return {annotator.name: annotator for annotator in self.project.annotators.all()}

    @cached_property
    def units(self) -> dict[tuple[Any, ...], tuple[int, int, int]]:
        units = AnnotationUnit.objects.filter(project=self.project)
        rows = units.values_list("pk", "begin", "end", *unit_paths(PLACE))
        return {row[3:]: row[:3] for row in rows.iterator()}

    def _lines(self) -> Iterator[tuple[str, Row | str]]:
        books = [self.codebook, *(codebook_read(codebook) for codebook in self.codebooks.values())]
        fields = {field.id: field for book in reversed(books) for field in book.fields}
        count = 0
        for file in self.files:
            name = f"{file.name}, line" if len(self.files) > 1 else "Line"
            for number, row in file.lines(fields):
                count += 1
                if count > LABELS_MAX:
                    message = f"The file has more than {LABELS_MAX:,} labels. Split it."
                    raise GymError("too_many_labels", message)
                yield f"{name} {number}", row

    def _checked(self, row: Row) -> Row | str | None:
        """Return the row to store, a message if something is wrong with it, or None if it is left out."""
        if self.settings.annotator:
            row = msgspec.structs.replace(
                row, annotator=self.settings.annotator, annotator_kind=self.settings.kind
            )
        row = msgspec.structs.replace(row, codebook=row.codebook or self.project.codebook_id)
        problem = self._place_problem(row) or self._annotator_problem(row) or self._codebook_problem(row)
        problem = problem or _twice_problem(row)
        if problem or row.state == "skipped":
            return problem or _skip_problem(row) or row
        _, begin, end = self.units[row.place]
        answers = Answers(
            values=row.values, spans=[list(span) for span in row.spans], links=row.links, note=row.note
        )
        unit = AnnotationUnit(project=self.project, begin=begin, end=end)
        is_person = row.annotator_kind == "person"
        check = check_answers if is_person else check_given_answers
        errors = check(answers, codebook=self.codebook, unit=unit, view=row.view)
        if errors and row.codebook != self.project.codebook_id:
            self.left_out += 1
            return None
        return " ".join(errors) or (self._completed(row, answers) if is_person else row)

    def _completed(self, row: Row, answers: Answers) -> Row:
        """Add empty answers for fields with sets that the row lacks, and drop answers that others exclude."""
        none: dict[str, Any] = {field.id: [] for field in self.codebook.fields if field.is_set}
        pruned = prune_answers(replace(answers, values={**none, **answers.values}), codebook=self.codebook)
        return msgspec.structs.replace(row, values=dict(pruned.values))

    def _place_problem(self, row: Row) -> str:
        if row.place not in self.units:
            return (
                f"This project has no unit for {_words(row)}. Delete the line, or import it into the project "
                "that has the unit."
            )
        _, begin, end = self.units[row.place]
        if (row.begin, row.end) not in ((None, None), (begin, end)):
            return f"Here, the unit for {_words(row)} consists of characters {begin} to {end} of its thought."
        return ""

    def _annotator_problem(self, row: Row) -> str:
        if not row.annotator.strip():
            return "It names no annotator: give the name of the annotator who made the label."
        known = self.people.get(row.annotator)
        if known and known.kind != row.annotator_kind:
            return (
                f"“{row.annotator}” is a {known.get_kind_display().lower()} in this project, but of the kind "
                f"{row.annotator_kind} in the file. Rename the annotator in the file."
            )
        return ""

    def _codebook_problem(self, row: Row) -> str:
        if row.codebook in self.codebooks:
            return ""
        if self.settings.takes_other_codebooks:
            if CodebookVersion.objects.filter(pk=row.codebook).exists():
                self.codebooks[row.codebook] = CodebookVersion.objects.get(pk=row.codebook).content
                return ""
            return (
                f"Codebook version {row.codebook[:VERSION_CHARS]} is unknown to this installation: "
                "send the manifest too."
            )
        return (
            f"It was made with codebook version {row.codebook[:VERSION_CHARS]}, but this project has "
            f"{self.project.codebook_id[:VERSION_CHARS]}. Choose to take labels of other codebook versions "
            "to import those that this codebook can express, marked with their version."
        )

    def _batch(self, batch: list[tuple[str, Row]], seen: dict[bytes, bytes]) -> list[Placement]:
        stored, keys = self._stored([self.units[row.place][0] for _, row in batch])
        placements = []
        for where, row in batch:
            unit = self.units[row.place][0]
            slot, content = locate_version(row, unit, annotator=row.annotator), hash_content(row)
            mark = hashlib.blake2b(repr(slot).encode(), digest_size=16).digest()
            is_first = mark not in seen
            before = seen.setdefault(mark, content)
            there = keys.get(row.key, stored.get(slot)) if row.key else stored.get(slot)
            if before != content or there not in (None, content):
                has = "The file" if before != content else "This project"
                self._problem(where, f"{has} has another {_label_words(row)}")
            key = uuid.uuid5(NAMESPACE, f"{self.project.pk} {slot!r} {content.hex()}")
            placements.append(Placement(row=row, unit=unit, key=key, is_new=is_first and there is None))
        return placements

    def _stored(self, units: list[int]) -> tuple[dict[Slot, bytes], dict[uuid.UUID, bytes]]:
        """Return the content hashes of the labels that are stored for these units, by slot and by key."""
        slots, keys = {}, {}
        for one in Label.objects.filter(unit_id__in=units).select_related("annotator"):
            content = hash_content(one)
            slots[locate_version(one, one.unit_id, annotator=one.annotator.name)] = content
            keys[one.key] = content
        return slots, keys

    def _problem(self, where: str, problem: str) -> None:
        self.problem_count += 1
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(f"{where}: {problem[:PROBLEM_CHARS]}")


def _skip_problem(row: Row) -> str:
    has_answers = row.values or row.spans or row.links
    return "It is skipped but has answers. Delete them, or make its state “done”." if has_answers else ""


def _twice_problem(row: Row) -> str:
    for name, value in row.values.items():
        if isinstance(value, list) and (twice := [one for one in value if value.count(one) > 1]):
            return f"The field “{name}” has the answer “{twice[0]}” twice."
    return ""


def locate_version(row: Row | Label, unit: int, *, annotator: str) -> Slot:
    """Return what identifies a label version. All adjudicators of a unit share one sequence of versions."""
    who = "" if row.layer == Label.Layer.ADJUDICATED else annotator
    return unit, who, row.layer, row.is_repeat, row.version


def hash_content(row: Row | Label) -> bytes:
    """Hash a label's content. Empty answers do not count, since a label read from a table has none."""
    parts = (
        row.state,
        {name: value for name, value in row.values.items() if value != []},
        [list(span) for span in row.spans],
        dict(row.links),
        unescape_formula(row.note),
        row.is_unsure,
        row.view,
        row.is_swapped,
        row.reason,
    )
    text = msgspec.json.encode(parts, order="deterministic")
    return hashlib.blake2b(text, digest_size=16).digest()


def build_refusal(check: Check) -> GymError:
    """Return the error that lists a file's problems and reports that nothing was imported."""
    lines = "1 line" if check.problem_count == 1 else f"{check.problem_count:,} lines"
    message = f"Nothing was imported: {lines} cannot be imported. {check.problems[0]}"
    return GymError("bad_labels", message, fields={"lines": check.problems})


def _label_words(row: Row) -> str:
    if row.layer == "adjudicated":
        return f"adjudicated label of {_words(row)}, version {row.version}. {SETTLED_ADVICE}"
    return f"label of {_words(row)} by {row.annotator}. {ADVICE}"


def _words(row: Row) -> str:
    words = f"step {row.step} of episode {row.episode}" if row.step else f"episode {row.episode}"
    return f"paragraph {row.paragraph} of {words}" if row.paragraph else words


def _hash_of(content: Mapping[str, Any]) -> str:
    try:
        return codebook_read(content).sha256
    except msgspec.ValidationError:
        return ""
