"""Import of label files. Labels are only added, and importing a file a second time changes nothing."""

from __future__ import annotations

from typing import IO, Any

from django.db import transaction

from core.errors import GymError
from core.storage import blobs
from trajectories.annotation.columns import OWN
from trajectories.annotation.imports.checks import Check, ImportSettings, Placement, build_refusal
from trajectories.annotation.imports.files import files_open
from trajectories.models import AnnotationJob, AnnotationUnit, Annotator, CodebookVersion, Label
from trajectories.record.due_work import Progress

NO_SUCH_ANSWERS = "They belong to another codebook version, and this project's codebook lacks their answers."


def labels_import(job: AnnotationJob, progress: Progress) -> dict[str, Any]:
    """Import a job's file. The job's ``parameters`` name the stored file and the settings for reading it."""
    parameters = job.parameters
    manifest = parameters.get("manifest")
    with files_open(
        name=parameters["name"],
        open_=lambda: _open(parameters["sha256"]),
        manifest_open=(lambda: _open(manifest)) if manifest else None,
    ) as (files, description):
        settings = ImportSettings(
            annotator=parameters.get("annotator", ""),
            kind=parameters.get("kind", Annotator.Kind.PERSON),
            takes_other_codebooks=bool(parameters.get("takes_other_codebooks")),
        )
        check = Check(project=job.project, files=files, manifest=description, settings=settings)
        return file_import(check, progress, job=job)


def file_import(check: Check, progress: Progress, *, job: AnnotationJob | None = None) -> dict[str, Any]:
    """Check all lines, then store the new labels. Raises ``GymError`` that lists the wrong lines, if any.

    A resumed ``job`` also counts the labels that it added before.
    """
    total = sum(len(batch) for batch in check.rows())
    if check.problems:
        raise build_refusal(check)
    if not total and not check.left_out:
        raise GymError("no_labels", "The file has no labels.")
    left_out, check.left_out = check.left_out, 0
    done, added = 0, job.result.get("added", 0) if job else 0
    for batch in check.rows():
        done += len(batch)
        new = [one for one in batch if one.is_new]
        if new:
            added = _store(new, check=check, before=added, job=job)
            # Report progress only here, since reporting may interrupt the job: an interruption before
            # anything is stored would make the job start from the same point again and again.
            progress(done, total)
    progress(total, total)
    return {
        "labels": total,
        "added": added,
        "left_out": left_out,
        "problem": f"Labels left out: {left_out:,}. {NO_SUCH_ANSWERS}" if left_out else "",
    }


@transaction.atomic
def _store(placements: list[Placement], *, check: Check, before: int, job: AnnotationJob | None) -> int:
    """Store the labels; return how many the import has added so far, including ``before`` earlier ones."""
    for sha256 in {placement.row.codebook for placement in placements} - {check.project.codebook_id}:
        CodebookVersion.objects.get_or_create(pk=sha256, defaults={"content": check.codebooks[sha256]})
    _settled_check(placements)
    labels = [_label_of(placement, annotator=_annotator_of(placement, check)) for placement in placements]
    # Another worker may store the same labels at the same time.
    Label.objects.bulk_create(labels, ignore_conflicts=True)
    added = before + Label.objects.filter(key__in=[placement.key for placement in placements]).count()
    if job:
        AnnotationJob.objects.filter(pk=job.pk).update(result={"added": added})
    return added


def _settled_check(placements: list[Placement]) -> None:
    """Lock the units with new adjudicated labels; refuse the import if one was adjudicated in the meantime.

    The lock is needed because the database makes version numbers unique only per annotator.
    """
    new = {
        (placement.unit, placement.row.version)
        for placement in placements
        if placement.row.layer == "adjudicated"
    }
    units = AnnotationUnit.objects.filter(pk__in={unit for unit, _ in new}).order_by("pk")
    if not new or not units.select_for_update():
        return
    rows = Label.objects.filter(unit__in=units, layer=Label.Layer.ADJUDICATED)
    if new.intersection(rows.values_list("unit_id", "version")):
        message = (
            "A unit in the file was adjudicated during the import. Import the file again to see which one."
        )
        raise GymError("settled_meanwhile", message, status=409)


def _annotator_of(placement: Placement, check: Check) -> Annotator:
    name = placement.row.annotator
    if name not in check.people:
        entries = check.manifest.annotators if check.manifest else []
        settings = next((entry.settings for entry in entries if entry.name == name), {})
        check.people[name], _ = Annotator.objects.get_or_create(
            project=check.project,
            name=name,
            defaults={"kind": placement.row.annotator_kind, "settings": settings},
        )
    return check.people[name]


def _label_of(placement: Placement, *, annotator: Annotator) -> Label:
    row = placement.row
    own = {name: getattr(row, name) for name in OWN if name != "created_at" or row.created_at}
    return Label(
        unit_id=placement.unit, annotator=annotator, codebook_id=row.codebook, key=placement.key, **own
    )


def _open(sha256: str) -> IO[bytes]:
    try:
        return blobs.blob_open(sha256, storage=blobs.PRIVATE)
    except FileNotFoundError as error:
        raise GymError("no_file", "The file is no longer stored. Send it again.") from error
