"""Pages for annotators: their projects, the current unit, and the codebook."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse

from core.database.integers import is_id
from core.errors import GymError
from trajectories.annotation.adjudication.history import list_codebook_notes
from trajectories.annotation.codebook.registry import load_publications
from trajectories.annotation.codebook.types import Codebook, load_codebook
from trajectories.annotation.labels.answers import Answers, mirror_answers
from trajectories.annotation.labels.services import LabelConflict, Saving, find_newest_labels
from trajectories.annotation.pages.common import project_or_404, render_page
from trajectories.annotation.pages.label_form import saving_read, starts_read
from trajectories.annotation.pages.pair_unit import PairPage
from trajectories.annotation.pages.trajectory_unit import TrajectoryPage
from trajectories.annotation.pages.unit import UnitPage, summarise_label
from trajectories.annotation.queues import selectors, services
from trajectories.annotation.queues.golds import AnswerCheck, check_gold_answers
from trajectories.annotation.queues.tickets import Ticket, is_swapped, ticket_read
from trajectories.lab.step.index import thought_line
from trajectories.models import AnnotationProject, AnnotationSlot, AnnotationUnit, Annotator, Label, Step
from trajectories.models.annotation import View
from trajectories.shell.access import LabRequest, annotator_action, annotator_page, wants_fragment
from trajectories.shell.roles import is_annotator


@dataclass(frozen=True, kw_only=True)
class Feedback:
    label: Label
    checks: list[AnswerCheck]

    @property
    def why(self) -> str:
        return str((self.label.unit.gold or {}).get("why", ""))

    @property
    def right(self) -> int:
        return sum(check.is_right for check in self.checks)

    @cached_property
    def thought(self) -> str:
        """The beginning of the thought, to identify the unit; empty if the unit was not seen in full view."""
        unit = self.label.unit
        if self.label.view != View.FULL or unit.other_episode_id:
            return ""
        rows = Step.objects.filter(episode_id=unit.episode_id, index=unit.step)
        thought = rows.values_list("thought", flat=True).first() or ""
        return thought_line(thought[unit.begin : unit.end])


def read_feedback(label: Label, codebook: Codebook) -> Feedback | None:
    """Return the feedback on a label, or None if its unit is not a gold unit or was skipped."""
    if label.unit.gold is None or label.state != Label.State.DONE:
        return None
    given, right = (Answers(values=values) for values in (label.values, label.unit.gold.get("values", {})))
    if label.is_swapped:  # Compare in the order in which the form showed the pair.
        given, right = (mirror_answers(answers, codebook=codebook) for answers in (given, right))
    return Feedback(label=label, checks=check_gold_answers(given.values, right.values, codebook))


BESIDE_MAX = 200
PAGES: dict[str, type[UnitPage]] = {
    AnnotationProject.Level.STEP: UnitPage,
    AnnotationProject.Level.TRAJECTORY: TrajectoryPage,
    AnnotationProject.Level.PAIR: PairPage,
}
FEEDBACK = "lab/annotation/_feedback.html"
NOTES_SHOWN = 200


@annotator_page
def annotation(request: LabRequest) -> HttpResponse:
    """List the projects in which the user is an annotator and, for researchers, all projects."""
    mine = selectors.read_progress(selectors.list_projects(request.user))
    cursor = request.GET.get("cursor", "")
    before = int(cursor) if is_id(cursor) else None
    projects, older = ([], None) if is_annotator(request.user) else selectors.projects_page(before)
    return render_page(
        request,
        "annotation",
        "Annotation",
        mine=mine,
        projects=projects,
        older=older,
        is_first=before is None,
    )


@annotator_page
def annotation_queue(request: LabRequest, project_id: int) -> HttpResponse:
    """Show the unit of ``?slot`` or, without it, the next unit of the annotator's queue.

    With ``?fragment``, only the unit is rendered; ``?beside`` names slots that are already open on the page.
    """
    annotator = annotator_or_404(request, project_id)
    slot = _slot_requested(request, annotator)
    if slot is None:
        beside = [one for text in request.GET.get("beside", "").split(",") if (one := _public_id(text))]
        number = services.slot_next(annotator.pk, beside=beside[:BESIDE_MAX])
        slot = selectors.find_slot(annotator, pk=number) if number else None
    page = build_unit_page(annotator=annotator, slot=slot, starts=starts_read(request.GET)) if slot else None
    return _unit_render(request, annotator, page)


@annotator_action
def annotation_label(request: LabRequest, project_id: int) -> HttpResponse:
    """Store a label. Scripts get JSON; browsers without them get the next unit, or the form with errors."""
    annotator = annotator_or_404(request, project_id)
    is_script = "application/json" in request.headers.get("Accept", "")
    try:
        ticket = ticket_read(request.POST.get("ticket", ""))
        unit = _unit_of(ticket, annotator)
        codebook = load_codebook(annotator.project.codebook)
        saving = saving_read(
            request.POST,
            codebook=codebook,
            is_swapped=is_swapped(unit, annotator=annotator, is_repeat=ticket.is_repeat),
        )
        label = services.label_save(saving, ticket=ticket, unit=unit, annotator=annotator)
    except GymError as error:
        if is_script:
            return _error_json(error)
        if error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND):
            return render(request, "lab/no_access.html", {"message": error.message}, status=error.status)
        return _form_again(request, annotator, ticket, saving, unit, error)
    if is_script:
        body = {"version": label.version, "state": label.state}
        if (feedback := read_feedback(label, codebook)) is not None:
            body["feedback"] = render_to_string(
                FEEDBACK, {"feedback": feedback, "project": annotator.project}
            )
        return JsonResponse(body)
    address = reverse("annotation_queue", args=[project_id])
    return redirect(f"{address}?answered={ticket.slot}" if unit.gold else address)


@annotator_page
def annotation_codebook(request: LabRequest, project_id: int) -> HttpResponse:
    """Show the codebook of a project to its annotators and to researchers."""
    if is_annotator(request.user):
        project = annotator_or_404(request, project_id).project
    else:
        project = project_or_404(project_id)
    return render_page(
        request,
        "codebook",
        "Codebook",
        project=project,
        codebook=load_codebook(project.codebook),
        publications=load_publications(),
        notes=[]
        if is_annotator(request.user)
        else list_codebook_notes(project.codebook_id, limit=NOTES_SHOWN),
    )


def build_unit_page(*, annotator: Annotator, slot: AnnotationSlot, **rest: Any) -> UnitPage:
    """Build the page of a unit, whose class depends on the project's level."""
    return PAGES[annotator.project.level](annotator=annotator, slot=slot, **rest)


def annotator_or_404(request: LabRequest, project_id: int) -> Annotator:
    """Return the user's annotator in the project. Raises ``Http404`` if there is none."""
    annotator = selectors.find_annotator(request.user, project_id)
    if annotator is None:
        raise Http404("You are not an annotator of this project. Ask its owner to add you.")
    return annotator


def _unit_render(
    request: LabRequest, annotator: Annotator, page: UnitPage | None, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    address = reverse("annotation_queue", args=[annotator.project_id])
    context: dict[str, Any] = {
        "project": annotator.project,
        "place": "",
        "status": status,
        "annotator": annotator,
        "page": page,
        "unit_address": f"{address}?slot={page.slot.public_id}&" if page and page.slot.pk else f"{address}?",
    }
    if page is None or not wants_fragment(request):
        (context["progress"],) = selectors.read_progress([annotator])
    if wants_fragment(request):
        return render_page(request, "_unit", annotator.project.name, **context)
    codebook = load_codebook(annotator.project.codebook)
    slots = selectors.list_recent_slots(annotator)
    labels = find_newest_labels(annotator=annotator, units=[slot.unit_id for slot in slots])
    context["feedback"] = _feedback_requested(request, annotator, codebook)
    context["recent"] = [
        {"slot": slot, "words": summarise_label(labels.get((slot.unit_id, slot.is_repeat)), codebook)}
        for slot in slots
    ]
    return render_page(request, "queue", annotator.project.name, **context)


def _feedback_requested(request: LabRequest, annotator: Annotator, codebook: Codebook) -> Feedback | None:
    """Return the feedback on the gold unit whose slot ``?answered`` names, if the annotator labelled it."""
    slot = _public_id(request.GET.get("answered", ""))
    label = selectors.find_label(annotator, slot) if slot else None
    return read_feedback(label, codebook) if label else None


def _slot_requested(request: LabRequest, annotator: Annotator) -> AnnotationSlot | None:
    text = request.GET.get("slot", "")
    if not text:
        return None
    public_id = _public_id(text)
    slot = selectors.find_slot(annotator, public_id=public_id) if public_id else None
    if slot is None:
        raise Http404(f"This unit is not among the last {selectors.EDITABLE} units that you labelled.")
    return slot


def _public_id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _unit_of(ticket: Ticket, annotator: Annotator) -> AnnotationUnit:
    if ticket.annotator != annotator.pk:
        message = "This form belongs to another login or project. Open your queue again."
        raise GymError("bad_ticket", message, status=400)
    unit = AnnotationUnit.objects.filter(pk=ticket.unit, project_id=annotator.project_id).first()
    if unit is None:
        message = "This unit is no longer part of the project, so there is nothing to label."
        raise GymError("no_unit", message, status=404)
    unit.project = annotator.project  # Its codebook is already loaded.
    return unit


def _form_again(
    request: LabRequest,
    annotator: Annotator,
    ticket: Ticket,
    saving: Saving,
    unit: AnnotationUnit,
    error: GymError,
) -> HttpResponse:
    """Show the posted form with its errors, even if the unit belongs to someone else by now."""
    rows = AnnotationSlot.objects.filter(annotator=annotator, unit_id=ticket.unit, is_repeat=ticket.is_repeat)
    slot = rows.first() or AnnotationSlot(
        annotator=annotator,
        position=unit.position,
        is_repeat=ticket.is_repeat,
        view=ticket.view,
        public_id=ticket.slot,
    )
    slot.unit = unit
    page = build_unit_page(
        annotator=annotator,
        slot=slot,
        posted=saving.answers,
        errors=[error.message],
        newer=error.current if isinstance(error, LabelConflict) else None,
    )
    return _unit_render(request, annotator, page, status=HTTPStatus(error.status))


def _error_json(error: GymError) -> JsonResponse:
    body = error.as_body()
    if isinstance(error, LabelConflict):
        current = error.current
        words = summarise_label(current, load_codebook(current.codebook))
        body["current"] = {"version": current.version, "words": words}
    return JsonResponse(body, status=error.status)
