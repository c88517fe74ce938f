from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django import forms
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from core.errors import GymError
from trajectories.models.access import DEFAULT_PROJECT, ApiKey, Scope
from trajectories.record.api import auth
from trajectories.shell.access import LabRequest, lab_action, lab_page

NAME_CHARS = 100
SPLITS_CHARS = 1_000
SCOPES = {
    Scope.READ: "read: runs, episodes, reports",
    Scope.TRAINER: "trainer: opens runs and episodes, records steps; includes read",
    Scope.GOLDS: "golds: sees the answers",
    Scope.GUIDANCE: "guidance: opens episodes with a part of the solution, and sees it",
    Scope.ADMIN: "admin: everything",
}


class SplitsField(forms.CharField):
    """A field of several names, separated by commas or spaces."""

    def clean(self, value: Any) -> list[str]:
        text: str = super().clean(value)
        return list(dict.fromkeys(text.replace(",", " ").split()))


class KeyForm(forms.Form):
    name = forms.CharField(max_length=NAME_CHARS, label="Name", help_text="The holder, for this list.")
    scopes = forms.MultipleChoiceField(
        choices=list(SCOPES.items()),
        initial=[Scope.TRAINER],
        label="Scopes",
        widget=forms.CheckboxSelectMultiple,
    )
    project = forms.CharField(
        max_length=64,
        initial=DEFAULT_PROJECT,
        label="Project",
        help_text="The key sees and changes only what belongs to it. A new name starts a new project.",
    )
    splits = SplitsField(required=False, max_length=SPLITS_CHARS, label="Splits", help_text="Empty for all.")


def _for_admins(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Show a page to superusers only, because API keys give access to everything; others get 404."""

    @wraps(view)
    def page(request: LabRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise Http404
        return view(request, *args, **kwargs)

    return page


@lab_page
@_for_admins
def key_list(request: LabRequest) -> HttpResponse:
    return _list_render(request, KeyForm())


@lab_action
@_for_admins
def key_create(request: LabRequest) -> HttpResponse:
    """Create a key and show it; it cannot be shown again."""
    form = KeyForm(request.POST)
    if form.is_valid():
        try:
            key = auth.key_create(**form.cleaned_data, author=request.user.get_username())
        except GymError as error:
            form.add_error("project", error.message)
        else:
            return _list_render(request, KeyForm(), made=key)
    return _list_render(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@lab_page
@_for_admins
def key_detail(request: LabRequest, key_id: int) -> HttpResponse:
    """Show a key's history and the form for revoking it."""
    key = _key_or_404(key_id)
    changes = key.changes.order_by("pk")
    return render(request, "lab/keys/key.html", {"here": "system", "key": key, "changes": changes})


@lab_action
@_for_admins
def key_revoke(request: LabRequest, key_id: int) -> HttpResponseBase:
    _key_or_404(key_id)
    if request.POST.get("sure"):
        auth.key_revoke(key_id, author=request.user.get_username())
    return redirect("key", key_id=key_id)


def _key_or_404(key_id: int) -> ApiKey:
    try:
        return auth.key_get(key_id)
    except GymError as error:
        raise Http404(error.message) from error


def _list_render(
    request: LabRequest, form: KeyForm, *, made: str = "", status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    context = {"here": "system", "keys": auth.key_list(), "form": form, "made": made}
    response = render(request, "lab/keys/keys.html", context, status=status)
    response["Cache-Control"] = "no-store"  # the page may show a key
    return response
