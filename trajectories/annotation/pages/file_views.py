"""Exports and imports of a project's labels, and the list of its jobs."""

from __future__ import annotations

from http import HTTPStatus
from typing import IO, Any, cast

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from core.storage import blobs, file_lock
from trajectories.annotation.jobs import job_request
from trajectories.annotation.pages.common import project_or_404, render_page
from trajectories.exports.files import file_store
from trajectories.lab.episode_files.views import as_file
from trajectories.models import AnnotationJob, AnnotationProject, Annotator
from trajectories.shell.access import LabRequest, lab_action, lab_page, wants_fragment

NAME_CHARS = 200
JOBS_SHOWN = 20
JOBS = "jobs"  # The id of the jobs' section on the project's page.


class ImportForm(forms.Form):
    """A file of labels, and the settings for reading it."""

    labels = forms.FileField(
        label="Labels",
        max_length=NAME_CHARS,
        help_text="The archive (.zip) of an export, or its labels as .jsonl or .csv.",
    )
    manifest = forms.FileField(
        required=False,
        label="Manifest",
        help_text="manifest.json, if you send labels without their archive. It is used to check their hash.",
    )
    annotator = forms.CharField(
        required=False,
        max_length=NAME_CHARS,
        label="Annotator",
        help_text="The annotator of all labels in the file. If empty, each label keeps the file's annotator.",
    )
    kind = forms.ChoiceField(choices=Annotator.Kind.choices, label="Kind of annotator")
    takes_other_codebooks = forms.BooleanField(
        required=False,
        label="Take labels of other codebook versions",
        help_text="Imports those that this project's codebook can express. Agreement leaves them out.",
    )

    def clean(self) -> dict[str, object]:
        for name in ("labels", "manifest"):
            file = self.cleaned_data.get(name)
            if file and file.size > settings.BLOB_MAX_BYTES:
                self.add_error(name, f"{describe_too_large(file.size)} Split it, or send its archive.")
        return self.cleaned_data


def describe_too_large(size: int) -> str:
    return f"The file has {size:,} bytes; the limit is {settings.BLOB_MAX_BYTES:,}."


@lab_action
def annotation_export(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Request an archive of all labels."""
    parameters = {"with_names": "with_names" in request.POST}
    return _request(request, project_or_404(project_id), AnnotationJob.Kind.EXPORT, parameters)


@lab_page
def annotation_import(request: LabRequest, project_id: int) -> HttpResponse:
    return _import_render(request, project_or_404(project_id), ImportForm())


@lab_action
def annotation_import_start(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Store a file and request its import."""
    project = project_or_404(project_id)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _import_render(request, project, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    data = form.cleaned_data
    with file_lock.hold_files():  # Until the job names the stored files, nothing else protects them.
        parameters = {
            "name": data["labels"].name,
            "sha256": _store(data["labels"]),
            "annotator": data["annotator"],
            "kind": data["kind"],
            "takes_other_codebooks": data["takes_other_codebooks"],
            **({"manifest": _store(data["manifest"])} if data["manifest"] else {}),
        }
        return _request(request, project, AnnotationJob.Kind.IMPORT, parameters)


@lab_page
def annotation_jobs(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Show the section of the project's page that lists its jobs."""
    project = project_or_404(project_id)
    if not wants_fragment(request):
        return redirect(f"{reverse('annotation_project', args=[project_id])}#{JOBS}")
    return render(request, "lab/annotation/_jobs.html", {"project": project, **jobs_context(project)})


def jobs_context(project: AnnotationProject) -> dict[str, Any]:
    """Return the context of ``_jobs.html``: the newest jobs, and whether any of them is still open."""
    jobs = list(project.jobs.select_related("created_by").order_by("-pk")[:JOBS_SHOWN])
    return {"jobs": jobs, "jobs_open": any(job.is_open for job in jobs)}


@lab_page
def annotation_job_file(request: LabRequest, project_id: int, job_id: int) -> HttpResponseBase:
    """Send the archive that a job wrote."""
    job = AnnotationJob.objects.filter(project_id=project_id, pk=job_id).first()
    if job is None or "sha256" not in job.result:
        raise Http404("This project has no such file.")
    try:
        file = blobs.blob_open(job.result["sha256"], storage=blobs.PRIVATE)
    except FileNotFoundError:
        raise Http404("This file is no longer stored. Export the labels again.") from None
    return as_file(FileResponse(file, content_type="application/zip"), job.result["name"])


def _request(
    request: LabRequest, project: AnnotationProject, kind: str, parameters: dict[str, Any]
) -> HttpResponseBase:
    job_request(project, kind, parameters, user_id=request.user.pk)
    return redirect(f"{reverse('annotation_project', args=[project.pk])}#{JOBS}")


def _store(file: UploadedFile[Any]) -> str:
    """Store an upload and return its hash."""
    return file_store(cast("IO[bytes]", file.file), name="", rows=0, limit=settings.BLOB_MAX_BYTES).sha256


def _import_render(
    request: LabRequest, project: AnnotationProject, form: ImportForm, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    return render_page(request, "import", "Import labels", project=project, status=status, form=form)
