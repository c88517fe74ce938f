"""Access control for the lab's pages, which require a login."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe
from django_htmx.middleware import HtmxDetails

from trajectories.models.access import Scope
from trajectories.record.api.auth import Principal
from trajectories.shell.roles import is_annotator

GOLD_PERMISSION = "tasks_app.view_gold"


class LabRequest(HttpRequest):
    """A request that has passed the lab's middleware."""

    htmx: HtmxDetails
    user: User | AnonymousUser


def lab_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view as a page: GET or HEAD only, login required, and 404 shown as a lab page."""
    return require_safe(_guarded(view))


def annotator_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view as a page that annotators may open too; the view checks what they may see."""
    return require_safe(_guarded(view, is_for_annotators=True))


def annotator_action(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view as an action that annotators may take too."""
    return _require_post(_guarded(view, is_for_annotators=True))


def lab_action(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view as an action: POST only, login required."""
    return _require_post(_guarded(view))


def _require_post(action: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate an action so that a GET of its address, as after a login, redirects to the page around it."""

    @wraps(action)
    def answer(request: LabRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST":
            return action(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            return redirect(_page_around(request.path))
        return HttpResponseNotAllowed(["GET", "HEAD", "POST"])

    answer.is_action = True  # type: ignore[attr-defined]
    return answer


def _page_around(path: str) -> str:
    """Return the address of the nearest page above an action's address."""
    above = path.rstrip("/")
    while above:
        above = above.rpartition("/")[0]
        for address in (above, f"{above}/"):
            if _is_page(address):
                return address
    return "/"


def _is_page(address: str) -> bool:
    try:
        return not getattr(resolve(address).func, "is_action", False)
    except Resolver404:
        return False


def _guarded(
    view: Callable[..., HttpResponseBase], *, is_for_annotators: bool = False
) -> Callable[..., HttpResponseBase]:
    @wraps(view)
    def page(request: LabRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_login(request)
        if not is_for_annotators and is_annotator(request.user):
            return _to_annotation(request)
        try:
            response = view(request, *args, **kwargs)
        except Http404 as missing:
            context = {"message": str(missing), "episode_id": getattr(missing, "episode_id", None)}
            response = render(request, "lab/not_found.html", context, status=404)
        if "Cache-Control" not in response.headers:
            # A fragment and its page have the same address, and both are private.
            patch_cache_control(response, private=True, no_cache=True)
            patch_vary_headers(response, ("HX-Request",))
        return response

    return page


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Handle requests that Django refuses to parse, as plain text: a page would parse the request again."""
    text = "This request cannot be read: its address is too long, or it has too many fields.\n"
    return HttpResponse(text, status=HTTPStatus.BAD_REQUEST, content_type="text/plain; charset=utf-8")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Handle unknown addresses for Django, with a page that gives strangers no other information."""
    return render(request, "lab/not_found.html", {"message": ""}, status=404)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Handle forms without a valid CSRF token for Django, for example after a login in another tab."""
    user = request.user
    is_login = request.path == settings.LOGIN_URL
    if is_login and user.is_authenticated:
        return redirect(request.get_full_path())  # the login page redirects users who are logged in
    here = request.get_full_path() if is_login else _page_around(f"{request.path.rstrip('/')}/form")
    context = {"here_url": here, "is_without_cookie": not request.COOKIES.get(settings.CSRF_COOKIE_NAME)}
    return render(request, "lab/form_refused.html", context, status=HTTPStatus.FORBIDDEN)


def sees_golds(user: User | AnonymousUser) -> bool:
    """Return True if a user is staff or has permission to see golds and what was parsed from them."""
    return user.is_staff or user.has_perm(GOLD_PERMISSION)


def build_principal(user: User | AnonymousUser) -> Principal:
    """Return an API principal for the logged-in user, with the scope ``guidance`` if they may see golds."""
    scopes = {Scope.TRAINER} | ({Scope.GUIDANCE} if sees_golds(user) else set())
    return Principal(
        key_id=0, name=user.get_username(), scopes=frozenset(scopes), splits=frozenset(), project=None
    )


def page_render(
    request: LabRequest, name: str, context: dict[str, Any], *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    """Render the page ``lab/<folder>/<page>.html``, or its fragment ``_<page>.html`` if requested."""
    folder, _, page = name.partition("/")
    prefix = "_" if wants_fragment(request) else ""
    return render(request, f"lab/{folder}/{prefix}{page}.html", context, status=status)


def part_render(
    request: LabRequest, name: str, context: dict[str, Any], *, heading: str, crumb: str, script: str = ""
) -> HttpResponse:
    """Render ``lab/<folder>/_<part>.html`` of an episode or step, alone if requested, otherwise in a page.

    ``context`` has ``episode`` and ``run``. For a part of a step it also has ``step``, and a ``script`` is
    needed.
    """
    folder, _, part = name.partition("/")
    template = f"lab/{folder}/_{part}.html"
    if wants_fragment(request):
        return render(request, template, context)
    shell = {"heading": heading, "crumb": crumb, "script": script, "template": template}
    return render(request, "lab/shared/part.html", {**context, "part": shell})


def wants_fragment(request: LabRequest) -> bool:
    """Return True if htmx or ``?fragment`` requests only the part of a page that changes."""
    if "fragment" in request.GET:
        return True
    return bool(request.htmx) and not request.htmx.boosted and not request.htmx.history_restore_request


def _to_annotation(request: LabRequest) -> HttpResponse:
    """Redirect annotators from the start page to their queues, and refuse them all other pages."""
    if request.path == reverse("runs"):
        return redirect("annotation")
    return render(request, "lab/no_access.html", status=HTTPStatus.FORBIDDEN)


def _to_login(request: LabRequest) -> HttpResponse:
    here = request.htmx.current_url_abs_path if request.htmx else request.get_full_path()
    address = f"{settings.LOGIN_URL}?{urlencode({'next': here or '/'})}"
    if request.htmx:
        # htmx would silently follow a redirect and put the login form into the middle of the page.
        response = HttpResponse(status=401)
        response["HX-Redirect"] = address
        return response
    return redirect(address)
