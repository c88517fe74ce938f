"""Pages for researchers: creating a project, its progress, its people and their quotas."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

from django.contrib.auth.models import User
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect

from core.database.integers import INT_MAX, is_id
from core.errors import GymError
from palaestra.protocol.arms import ARMS
from trajectories.annotation.codebook.types import load_codebook
from trajectories.annotation.pages.common import project_or_404, render_page
from trajectories.annotation.pages.file_views import jobs_context
from trajectories.annotation.pages.project_form import ProjectForm
from trajectories.annotation.projects import services
from trajectories.annotation.projects.sample import Stratum
from trajectories.annotation.projects.services import Plan
from trajectories.annotation.queues import golds, selectors
from trajectories.lab.search.request import SearchRequest
from trajectories.lab.search.selectors import search_counts, search_episode_ids
from trajectories.models import AnnotationProject
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.models.annotation import View
from trajectories.shell.access import LabRequest, lab_action, lab_page
from trajectories.shell.forms import OF_PROJECT

QUOTA_PREFIX = "quota-"
# Separates the parts of a stratum's name (stratum.sql).
PARTS_BETWEEN = " · "
# Form fields that a plan has under the same names.
PLANNED = (
    *("name", "steps", "seed", "by", "is_equal", "overlap_people", "reservation_minutes", "shows_setup"),
    "own_fields",
)
FILES_AGAIN = "Choose the files again, because browsers do not keep them when a form is shown again."


@lab_page
def annotation_new(request: LabRequest) -> HttpResponse:
    """Show the form for a new project on the episodes of the search in the URL."""
    return _form_render(request, ProjectForm(), SearchRequest(request.GET))


@lab_action
def annotation_create(request: LabRequest) -> HttpResponseBase:
    search = SearchRequest(QueryDict(request.POST.get("search", "")))
    form = ProjectForm(request.POST, request.FILES)
    if form.is_valid() and not (search.query_error or search.errors):
        try:
            project = _project_create(form, search, user=request.user if request.user.pk else None)
        except GymError as error:
            form.add_error(None, error.message)
        else:
            return redirect("annotation_project", project_id=project)
    if request.FILES and not form.has_error("own_fields"):
        form.add_error("own_fields", FILES_AGAIN)
    return _form_render(request, form, search, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@lab_page
def annotation_project(request: LabRequest, project_id: int) -> HttpResponse:
    """Show a project's progress, its people, and the strata that it was drawn from."""
    return _project_render(request, project_or_404(project_id))


@lab_action
def annotation_quotas(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Store each annotator's quota; an empty quota means no limit."""
    project = project_or_404(project_id)
    quotas: dict[int, int | None] = {}
    for name, text in request.POST.items():
        annotator, text = name.removeprefix(QUOTA_PREFIX), str(text).strip()
        if not name.startswith(QUOTA_PREFIX) or not is_id(annotator):
            continue
        if text and not (is_id(text) and int(text) <= INT_MAX):
            return _project_render(request, project, error="A quota must be a number of units, or empty.")
        quotas[int(annotator)] = int(text) if text else None
    services.quotas_set(project, quotas)
    return redirect("annotation_project", project_id=project_id)


def _in_words(stratum: Stratum) -> Stratum:
    """Return the stratum with the arm in its name replaced by the arm's label.

    The name joins an arm, an outcome and a benchmark.
    """
    parts = stratum.name.split(PARTS_BETWEEN)
    return replace(
        stratum, name=PARTS_BETWEEN.join(ARMS[part].label if part in ARMS else part for part in parts)
    )


def _project_render(request: LabRequest, project: AnnotationProject, *, error: str = "") -> HttpResponse:
    # Machines, and people whose labels were imported, are given no units.
    people = project.annotators.filter(user__isnull=False).select_related("project").order_by("pk")
    codebook = load_codebook(project.codebook)
    scores = golds.score_annotators(project, codebook)
    others = User.objects.filter(is_active=True).exclude(annotators__project=project)
    return render_page(
        request,
        "project",
        project.name,
        project=project,
        place="",
        tab="overview",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        units=project.units.count(),
        views=[View(name) for name in project.views],
        strata=[_in_words(Stratum(**stratum)) for stratum in project.strata],
        people=selectors.read_progress(list(people)),
        others=others.order_by("username"),
        labels_here=people.filter(user_id=request.user.pk or 0).exists(),
        **jobs_context(project),
        error=error,
        golds=golds.list_golds(project).count(),
        score_fields=codebook.fields,
        gold_scores=[(person.name, scores[person.pk]) for person in people if person.pk in scores],
    )


@lab_action
def annotation_people(request: LabRequest, project_id: int) -> HttpResponseBase:
    """Add an annotator to a project."""
    project = project_or_404(project_id)
    name = request.POST.get("user", "").replace("\0", "")
    user = User.objects.filter(is_active=True, username=name).first()
    if user is not None:
        try:
            services.annotator_add(project, user)
        except GymError as error:
            return _project_render(request, project, error=error.message)
    return redirect("annotation_project", project_id=project_id)


def _form_render(
    request: LabRequest, form: ProjectForm, search: SearchRequest, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    address = search.address()
    return render_page(
        request,
        "new",
        "New annotation project",
        place="new project",
        status=status,
        form=form,
        search=search,
        address=address,
        query=address.partition("?")[2],
        errors=[error for error in (search.query_error, *search.errors) if error],
        counts=search_counts(search.search),
    )


def _project_create(form: ProjectForm, search: SearchRequest, *, user: object) -> int:
    data = form.cleaned_data
    plan = Plan(
        project=data.get(OF_PROJECT, DEFAULT_PROJECT),
        source=search.address(),
        episodes=list(search_episode_ids(search.search)),
        overlap_share=data["overlap"] / 100,
        repeat_share=data["repeats"] / 100,
        kind=data["kind"] or "step",
        views=list(dict.fromkeys(data["views"])),
        **{name: data[name] for name in PLANNED},
    )
    creator = user if isinstance(user, User) else None
    return services.project_create(plan, people=list(data["people"]), creator=creator).pk
