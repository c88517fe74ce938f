"""The history of a unit: for researchers alone, since it shows names."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render

from trajectories.annotation.adjudication.history import unit_history
from trajectories.annotation.pages.head import head_context
from trajectories.annotation.pages.queue_views import project_or_404
from trajectories.models import AnnotationUnit
from trajectories.shell.access import LabRequest, lab_page


@lab_page
def annotation_history(request: LabRequest, project_id: int, unit_id: int) -> HttpResponse:
    """All versions of all labels of a unit."""
    project = project_or_404(project_id)
    unit = AnnotationUnit.objects.filter(pk=unit_id, project=project).first()
    if unit is None:
        raise Http404(f"This project has no unit {unit_id}.")
    head = head_context(f"History of unit {unit.position}", project=project, place=f"unit {unit.position}")
    context = {**head, "unit": unit, "versions": unit_history(unit)}
    return render(request, "lab/annotation/adjudication/history.html", context)
