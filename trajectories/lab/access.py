"""Who may see the lab's pages: people who have logged in, and no one else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_POST, require_safe
from django_htmx.middleware import HtmxDetails

GOLD_PERMISSION = "tasks_app.view_gold"


class LabRequest(HttpRequest):
    """A request that has passed the lab's middleware."""

    htmx: HtmxDetails
    user: User | AnonymousUser


def lab_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A page to read: no other method, login required, what is not there answered with the lab's own page."""
    return require_safe(_guarded(view))


def lab_deed(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """What a person has done: POST only, login required, Django's token against forged requests."""
    return require_POST(_guarded(view))


def _guarded(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    @wraps(view)
    def page(request: LabRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_login(request)
        try:
            response = view(request, *args, **kwargs)
        except Http404 as missing:
            context = {"message": str(missing), "episode_id": getattr(missing, "episode_id", None)}
            response = render(request, "lab/not_found.html", context, status=404)
        if "Cache-Control" not in response.headers:
            # Fragment and page share an address, and both belong to one person.
            patch_cache_control(response, private=True, no_cache=True)
            patch_vary_headers(response, ("HX-Request",))
        return response

    return page


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler for addresses that lead nowhere; it tells strangers nothing else."""
    return render(request, "lab/not_found.html", {"message": ""}, status=404)


def sees_golds(user: User | AnonymousUser) -> bool:
    """Golds and what was parsed from them: staff, or people with the permission to view golds."""
    return user.is_staff or user.has_perm(GOLD_PERMISSION)


def wants_fragment(request: LabRequest) -> bool:
    """Whether htmx asks for the part of the page that changes, and not for the page (history included)."""
    return bool(request.htmx) and not request.htmx.boosted and not request.htmx.history_restore_request


def _to_login(request: LabRequest) -> HttpResponse:
    here = request.htmx.current_url_abs_path if request.htmx else request.get_full_path()
    address = f"{settings.LOGIN_URL}?{urlencode({'next': here or '/'})}"
    if request.htmx:
        # A redirect would be followed in silence and put the login form into the middle of the page.
        response = HttpResponse(status=401)
        response["HX-Redirect"] = address
        return response
    return redirect(address)
