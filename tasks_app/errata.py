"""Errata files, which dispute golds, correct them, or declare questions unanswerable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal

import msgspec
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from tasks_app import corrections, loader, record_files
from tasks_app.models import Gold as StoredGold
from tasks_app.models import Task
from tasks_app.types import UNANSWERABLE, BadRow, Record
from verifiers.children import ChildPool
from verifiers.types import Gold

GAP_REASON_CHARS = 200

Status = Literal["disputed", "corrected", "unanswerable"]


class Erratum(msgspec.Struct, frozen=True):
    """One line of an errata file.

    In JSON, ``corrected_answer`` may be a list: the reference, then other accepted answers. For a task with
    choices, an answer is a label as the source has it, or a choice's text. Without ``split``, the line
    applies to the tasks with that key in every split.
    """

    benchmark: str
    key: str | int
    status: Status
    source: str
    split: str | None = None
    corrected_answer: str | int | list[str | int] | None = None

    @property
    def answers(self) -> list[str]:
        answer = self.corrected_answer
        cells = answer if isinstance(answer, list) else [] if answer is None else [answer]
        return [text for cell in cells if (text := str(cell).strip())]


@dataclass
class ErrataReport:
    """The effects of an errata file, counted in golds.

    ``changes`` describes each change without its answer.
    """

    disputed: int = 0
    corrected: int = 0
    unanswerable: int = 0
    unchanged: int = 0
    changes: list[str] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)


@transaction.atomic
def errata_apply(records: Iterable[Record | BadRow]) -> ErrataReport:
    """Apply every valid line; the report lists the others in ``bad``. Reapplying the file changes nothing.

    A disputed gold is marked in place. A corrected gold gets a new version, which drops the wrong answer's
    solution but keeps those parts of ``extra`` that verifiers need besides the answer. The dispute that led
    to a correction no longer applies to the corrected gold. An unanswerable question is left out of gaps and
    withheld from trainers, but keeps its gold.
    """
    report = ErrataReport()
    with connection.cursor() as cursor:
        loader.turn_take(cursor)
    done: set[tuple[int, Status]] = set()
    with closing(ChildPool(1)) as pool:
        for place, erratum in _lines(records, report.bad):
            try:
                changes = _changes(erratum, done=done, pool=pool)
            except ValueError as error:
                report.bad.append(BadRow(place, str(error)))
                continue
            done.update((stored.task_id, erratum.status) for stored, _ in changes)
            for stored, corrected in changes:
                _apply(stored, corrected, erratum=erratum, report=report)
    return report


def _lines(records: Iterable[Record | BadRow], bad: list[BadRow]) -> Iterator[tuple[str, Erratum]]:
    for record in record_files.with_header(records):
        if isinstance(record, BadRow):
            bad.append(record)
            continue
        try:
            erratum = msgspec.convert(_name_fields(record.value), Erratum)
            _check_text(str(part) for part in (*msgspec.structs.astuple(erratum)[:-1], *erratum.answers))
            yield record.place, erratum
        except (msgspec.ValidationError, ValueError) as error:
            bad.append(BadRow(record.place, str(error)))


def _check_text(parts: Iterable[str]) -> None:
    """Raise ``ValueError`` for a text that Postgres cannot store."""
    text = "".join(parts)
    if "\0" in text:
        raise ValueError("the line contains a NUL character")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("the line is not valid UTF-8")


def _name_fields(value: object) -> object:
    """Normalise column names, so that ``Corrected answer`` is ``corrected_answer``, and drop empty cells."""
    if not isinstance(value, dict):
        return value
    cells = {str(name).strip().lower().replace(" ", "_"): cell for name, cell in value.items()}
    return {name: cell for name, cell in cells.items() if cell not in ("", None)}


def _changes(
    erratum: Erratum, *, done: set[tuple[int, Status]], pool: ChildPool
) -> list[tuple[StoredGold, Gold | None]]:
    """List the golds that a line applies to, each with its replacement, or with None if it is kept.

    Raises ``ValueError`` with a readable message if the line cannot be applied.
    """
    golds = _golds_meant(erratum)
    name = "/".join(str(part) for part in (erratum.benchmark, erratum.split, erratum.key) if part)
    if not golds:
        raise ValueError(f"no task {name} is loaded")
    if any((gold.task_id, erratum.status) in done for gold in golds):
        raise ValueError(f"an earlier line already marks {name} as {erratum.status}")
    if erratum.status != "corrected":
        return [(gold, None) for gold in golds]
    if not erratum.answers:
        raise ValueError("a corrected gold needs its corrected_answer")
    return [(gold, corrections.gold_corrected(gold, erratum.answers, pool=pool)) for gold in golds]


def _golds_meant(erratum: Erratum) -> list[StoredGold]:
    golds = StoredGold.objects.filter(
        is_current=True, task__benchmark=erratum.benchmark, task__key=str(erratum.key)
    )
    if erratum.split is not None:
        golds = golds.filter(task__split=erratum.split)
    return list(golds.select_related("task__benchmark").order_by("pk"))


def _apply(stored: StoredGold, corrected: Gold | None, *, erratum: Erratum, report: ErrataReport) -> None:
    if erratum.status == UNANSWERABLE:
        _unanswerable_mark(stored.task, erratum=erratum, report=report)
    elif _is_so(stored, corrected):
        report.unchanged += 1
    elif corrected is None:
        _dispute(stored, erratum)
        report.disputed += 1
        report.changes.append(f"{stored.task}: the gold is disputed.")
    else:
        version = _correct(stored, corrected, source=erratum.source)
        report.corrected += 1
        report.changes.append(f"{stored.task}: the gold is corrected; version {version} is current.")


def _unanswerable_mark(task: Task, *, erratum: Erratum, report: ErrataReport) -> None:
    if UNANSWERABLE in task.tags:
        report.unchanged += 1
        return
    reason = f"unanswerable: {erratum.source}"[:GAP_REASON_CHARS]
    Task.objects.filter(pk=task.pk).update(
        tags=[*task.tags, UNANSWERABLE], gap_eligible=False, gap_reason=reason, updated_at=timezone.now()
    )
    report.unanswerable += 1
    report.changes.append(f"{task}: the question is unanswerable.")


def _is_so(stored: StoredGold, corrected: Gold | None) -> bool:
    if corrected is None:
        return stored.status != StoredGold.Status.VALID
    is_same = (stored.answer, (*stored.accepted,)) == (corrected.answer, corrected.accepted)
    return stored.status != StoredGold.Status.DISPUTED and is_same


def _dispute(stored: StoredGold, erratum: Erratum) -> None:
    source = "; ".join(part for part in (stored.source, f"disputed by {erratum.source}") if part)
    stored.status, stored.source = StoredGold.Status.DISPUTED, source[: loader.SOURCE_MAX_CHARS]
    stored.save(update_fields=["status", "source"])


def _correct(stored: StoredGold, corrected: Gold, *, source: str) -> int:
    """Retire the gold, write the next version, and return its number."""
    StoredGold.objects.filter(pk=stored.pk).update(is_current=False)
    newest = StoredGold.objects.filter(task=stored.task_id).aggregate(newest=Max("version"))["newest"]
    written = StoredGold.objects.create(
        task_id=stored.task_id,
        version=newest + 1,
        status=StoredGold.Status.CORRECTED,
        answer=corrected.answer,
        accepted=list(corrected.accepted),
        extra=corrected.extra,
        source=source[: loader.SOURCE_MAX_CHARS],
    )
    return written.version
