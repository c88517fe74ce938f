"""Login, with an end to guessing."""

from __future__ import annotations

import hashlib
from http import HTTPStatus

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse

from core import redis_client

FAILURES_MAX = 10
FORGET_AFTER_S = 300


class LabLoginView(LoginView):
    """After ten wrong passwords for one name from one address, five minutes of nothing but an answer 429.

    The count is in Redis; without it nobody is locked out, because nobody should be.
    """

    template_name = "lab/login/login.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if _failures(request) < FAILURES_MAX:
            return super().post(request, *args, **kwargs)
        unchecked = AuthenticationForm(request)
        context = self.get_context_data(form=unchecked, locked_minutes=FORGET_AFTER_S // 60)
        response = self.render_to_response(context, status=HTTPStatus.TOO_MANY_REQUESTS)
        response["Retry-After"] = str(FORGET_AFTER_S)
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        _failure_count(self.request)
        return super().form_invalid(form)


def _key(request: HttpRequest) -> str:
    who = f"{request.POST.get('username', '')}\n{request.META.get('REMOTE_ADDR', '')}"
    return f"gym:login:{hashlib.sha256(who.encode('utf-8', 'replace')).hexdigest()}"


def _failures(request: HttpRequest) -> int:
    try:
        return int(redis_client.client().get(_key(request)) or 0)
    except redis_client.Unreachable:
        return 0


def _failure_count(request: HttpRequest) -> None:
    try:
        pipeline = redis_client.client().pipeline()
        pipeline.incr(_key(request))
        pipeline.expire(_key(request), FORGET_AFTER_S)
        pipeline.execute()
    except redis_client.Unreachable:
        return
