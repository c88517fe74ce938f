"""Long-running work on a project's labels, and its progress."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from trajectories.annotation.jobs.selectors import are_open, jobs_of
from trajectories.annotation.pages.queue_views import project_or_404
from trajectories.models import AnnotationProject
from trajectories.shell.access import LabRequest, lab_page, wants_fragment

ANCHOR = "jobs"


@lab_page
def annotation_jobs(request: LabRequest, project_id: int) -> HttpResponseBase:
    """The part of the project's page that lists its jobs."""
    project = project_or_404(project_id)
    if not wants_fragment(request):
        return redirect(f"{reverse('annotation_project', args=[project_id])}#{ANCHOR}")
    return render(request, "lab/annotation/_jobs.html", {"project": project, **jobs_context(project)})


def jobs_context(project: AnnotationProject) -> dict[str, Any]:
    """Return the context of ``_jobs.html``."""
    jobs = jobs_of(project)
    return {"jobs": jobs, "jobs_open": are_open(jobs)}
