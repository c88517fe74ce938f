"""Shared parts of the annotation pages: the head, lookup of projects and units, unit lists, CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render

from core.text.csv import encode_csv
from trajectories.lab.episode_files.views import as_file
from trajectories.models import AnnotationProject, AnnotationUnit
from trajectories.shell.access import LabRequest

UNITS_SHOWN = 500


def render_page(
    request: LabRequest,
    template: str,
    title: str,
    *,
    project: AnnotationProject | None = None,
    place: str | None = None,
    tab: str = "",
    status: int = HTTPStatus.OK,
    **context: Any,
) -> HttpResponse:
    """Render a template that extends ``lab/annotation/base.html``.

    ``place`` is the page's name in the breadcrumbs: by default its title, and empty for the project itself.
    ``tab`` is the project's tab to which the page belongs.
    """
    head = {
        "here": "annotation",
        "title": title,
        "place": title.lower() if place is None else place,
        "project": project,
        "tab": tab,
    }
    return render(request, f"lab/annotation/{template}.html", head | context, status=status)


def render_units(
    request: LabRequest, title: str, units: Sequence[Any], *, template: str = "units", **context: Any
) -> HttpResponse:
    """Render a list of the units behind a figure, up to ``UNITS_SHOWN``."""
    return render_page(
        request, template, title, units=units[:UNITS_SHOWN], count=len(units), **{"place": "units"} | context
    )


def render_table(name: str, rows: Iterable[Iterable[Any]]) -> HttpResponseBase:
    """Return rows as a CSV file with this name."""
    return as_file(HttpResponse(encode_csv(rows), content_type="text/csv; charset=utf-8"), name)


def project_or_404(project_id: int) -> AnnotationProject:
    """Return the project. Raises ``Http404`` if there is none."""
    project = AnnotationProject.objects.select_related("codebook").filter(pk=project_id).first()
    if project is None:
        raise Http404(f"There is no annotation project {project_id}.")
    return project


def unit_or_404(project: AnnotationProject, unit_id: int) -> AnnotationUnit:
    """Return a unit of the project. Raises ``Http404`` if there is none."""
    unit = AnnotationUnit.objects.filter(pk=unit_id, project=project).first()
    if unit is None:
        raise Http404(f"This project has no unit {unit_id}.")
    unit.project = project  # Its codebook is already loaded.
    return unit
