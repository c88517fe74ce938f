"""Login with a limit on failed attempts."""

from __future__ import annotations

import hashlib
from http import HTTPStatus

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse

from core import redis_client

FAILURES_MAX = 10
LOCKED_S = 300


class LabLoginView(LoginView):
    """After ten failures for one name from one address, every attempt is answered 429 for five minutes.

    The count is in Redis; without Redis nobody is locked out.
    """

    template_name = "lab/login/login.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if _failures(request) < FAILURES_MAX:
            return super().post(request, *args, **kwargs)
        form = AuthenticationForm(request)
        context = self.get_context_data(form=form, locked_minutes=LOCKED_S // 60)
        response = self.render_to_response(context, status=HTTPStatus.TOO_MANY_REQUESTS)
        response["Retry-After"] = str(LOCKED_S)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        _failure_record(self.request)
        return super().form_invalid(form)


def _key(request: HttpRequest) -> str:
    identity = f"{request.POST.get('username', '')}\n{request.META.get('REMOTE_ADDR', '')}"
    return f"gym:login:{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()}"


def _failures(request: HttpRequest) -> int:
    try:
        return int(redis_client.client().get(_key(request)) or 0)
    except redis_client.Unreachable:
        return 0


def _failure_record(request: HttpRequest) -> None:
    try:
        pipeline = redis_client.client().pipeline()
        pipeline.incr(_key(request))
        pipeline.expire(_key(request), LOCKED_S)
        pipeline.execute()
    except redis_client.Unreachable:
        return
