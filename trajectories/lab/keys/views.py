from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from core.errors import GymError
from trajectories.lab.keys.form import KeyForm
from trajectories.models.access import ApiKey
from trajectories.record.api import auth, keys
from trajectories.shell.access import LabRequest, lab_action, lab_page


def _for_admins(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Show a page to superusers alone, since keys open everything; others get 404."""

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
    """Create a key and show it this once."""
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
    """A key's history, and the form that revokes it."""
    key = _key_or_404(key_id)
    changes = key.changes.order_by("pk")
    return render(request, "lab/keys/key.html", {"here": "system", "key": key, "changes": changes})


@lab_action
@_for_admins
def key_revoke(request: LabRequest, key_id: int) -> HttpResponseBase:
    _key_or_404(key_id)
    if request.POST.get("sure"):
        keys.key_revoke(key_id, author=request.user.get_username())
    return redirect("key", key_id=key_id)


def _key_or_404(key_id: int) -> ApiKey:
    try:
        return keys.key_get(key_id)
    except GymError as error:
        raise Http404(error.message) from error


def _list_render(
    request: LabRequest, form: KeyForm, *, made: str = "", status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    context = {"here": "system", "keys": keys.key_list(), "form": form, "made": made}
    response = render(request, "lab/keys/keys.html", context, status=status)
    response["Cache-Control"] = "no-store"  # it may show a key
    return response
