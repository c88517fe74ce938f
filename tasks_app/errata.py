"""Corrections of golds by people, from a file: marked as disputed, or a new version with the right answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from django.db import connection, transaction
from django.db.models import Max

from tasks_app import loading, reading
from tasks_app.models import Gold
from tasks_app.registry import benchmarks
from tasks_app.types import BadRow, Record

Status = Literal["disputed", "corrected"]


class Erratum(msgspec.Struct, frozen=True):
    """One line. ``corrected_answer`` may be a list in JSON: the reference, then what is accepted beside it.

    Without ``split`` it is about the task of that key in every split.
    """

    benchmark: str
    key: str | int
    status: Status
    source: str
    split: str | None = None
    corrected_answer: str | int | list[str | int] | None = None

    @property
    def is_dispute(self) -> bool:
        return self.status == "disputed"

    @property
    def answers(self) -> list[str]:
        given = self.corrected_answer
        cells = given if isinstance(given, list) else [] if given is None else [given]
        return [text for cell in cells if (text := str(cell).strip())]


@dataclass
class ErrataReport:
    """What a file of errata did, counted in golds; ``told`` has a line for each change, without answers."""

    disputed: int = 0
    corrected: int = 0
    unchanged: int = 0
    told: list[str] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)


@transaction.atomic
def errata_apply(records: Iterable[Record | BadRow]) -> ErrataReport:
    """Apply every line that can be; the others are in the report's ``bad``. Applying again changes nothing.

    A disputed gold is marked where it is. A corrected one gives a new version, which loses the solution of
    the wrong answer and keeps ``extra``, where verifiers look for more than the answer. A gold that is
    corrected already is not disputed by the dispute that led to it.
    """
    report = ErrataReport()
    with connection.cursor() as cursor:
        loading.turn_take(cursor)
    done: set[tuple[int, Status]] = set()
    for place, erratum in _lines(records, report.bad):
        golds = _golds_meant(erratum)
        problem = _problem(golds, erratum, done)
        if problem:
            report.bad.append(BadRow(place, problem))
            continue
        done.update((gold.task_id, erratum.status) for gold in golds)
        for gold in golds:
            _apply(gold, erratum, report)
    return report


def _lines(records: Iterable[Record | BadRow], bad: list[BadRow]) -> Iterator[tuple[str, Erratum]]:
    for record in reading.with_header(records):
        if isinstance(record, BadRow):
            bad.append(record)
            continue
        try:
            erratum = msgspec.convert(_named(record.value), Erratum)
            _check_text(str(part) for part in (*msgspec.structs.astuple(erratum)[:-1], *erratum.answers))
            yield record.place, erratum
        except (msgspec.ValidationError, ValueError) as error:
            bad.append(BadRow(record.place, str(error)))


def _check_text(parts: Iterable[str]) -> None:
    """Raises ``ValueError`` for what Postgres cannot be asked about."""
    text = "".join(parts)
    if "\0" in text:
        raise ValueError("the line holds a NUL character")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("the line is not valid UTF-8")


def _named(value: object) -> object:
    """With ``Corrected answer`` read as ``corrected_answer``, and empty cells as left out."""
    if not isinstance(value, dict):
        return value
    cells = {str(name).strip().lower().replace(" ", "_"): cell for name, cell in value.items()}
    return {name: cell for name, cell in cells.items() if cell not in ("", None)}


def _golds_meant(erratum: Erratum) -> list[Gold]:
    golds = Gold.objects.filter(
        is_current=True, task__benchmark=erratum.benchmark, task__key=str(erratum.key)
    )
    if erratum.split is not None:
        golds = golds.filter(task__split=erratum.split)
    return list(golds.select_related("task").order_by("pk"))


def _problem(golds: list[Gold], erratum: Erratum, done: set[tuple[int, Status]]) -> str | None:
    """Why a line cannot be applied, in words; None when it can."""
    name = "/".join(str(part) for part in (erratum.benchmark, erratum.split, erratum.key) if part)
    if not golds:
        return f"no task {name} is loaded"
    if any((gold.task_id, erratum.status) in done for gold in golds):
        return f"an earlier line says already that {name} is {erratum.status}"
    if not erratum.is_dispute and not erratum.answers:
        return "a corrected gold needs its corrected_answer"
    return None


def _apply(gold: Gold, erratum: Erratum, report: ErrataReport) -> None:
    if _is_so(gold, erratum):
        report.unchanged += 1
    elif erratum.is_dispute:
        _dispute(gold, erratum)
        report.disputed += 1
        report.told.append(f"{gold.task}: the gold is disputed.")
    else:
        version = _correct(gold, erratum)
        report.corrected += 1
        report.told.append(f"{gold.task}: the gold is corrected, version {version} is current.")


def _is_so(gold: Gold, erratum: Erratum) -> bool:
    if erratum.is_dispute:
        return gold.status != Gold.Status.VALID
    return gold.status != Gold.Status.DISPUTED and [gold.answer, *gold.accepted] == erratum.answers


def _dispute(gold: Gold, erratum: Erratum) -> None:
    said = "; ".join(part for part in (gold.source, f"disputed by {erratum.source}") if part)
    gold.status, gold.source = Gold.Status.DISPUTED, said[: loading.SOURCE_MAX_CHARS]
    gold.save(update_fields=["status", "source"])


def _correct(gold: Gold, erratum: Erratum) -> int:
    """Retire the gold and write the next version; answers its number."""
    Gold.objects.filter(pk=gold.pk).update(is_current=False)
    answer, *accepted = erratum.answers
    newest = Gold.objects.filter(task=gold.task_id).aggregate(newest=Max("version"))["newest"]
    corrected = Gold.objects.create(
        task_id=gold.task_id,
        version=newest + 1,
        status=Gold.Status.CORRECTED,
        answer=answer,
        accepted=accepted,
        extra=_without_enrichment(gold, erratum),
        source=erratum.source[: loading.SOURCE_MAX_CHARS],
    )
    return corrected.version


def _without_enrichment(gold: Gold, erratum: Erratum) -> dict[str, Any]:
    """What was found out about the wrong answer does not hold for the right one."""
    enrichment = benchmarks.get(erratum.benchmark).enrichment
    keys = enrichment.keys if enrichment else ()
    return {key: value for key, value in gold.extra.items() if key not in keys}
