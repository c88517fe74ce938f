"""Login with a limit on failed attempts."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from ipaddress import ip_address, ip_network

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse

from core import redis_client

FAILURES_MAX = 10
LOCKED_S = 300
IPV4 = 4
IPV6_PREFIX = 64


class LabLoginView(LoginView):
    """After ten failures for one name from one address, these are answered 429 for five minutes.

    Others are not: a stranger who guesses locks out no owner of the name. Behind a proxy the address is the
    client's if the proxy is one of ``TRUSTED_PROXIES``. The count is in Redis; without Redis nobody is locked
    out.
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
    identity = f"{request.POST.get('username', '')}\n{_place(request.META.get('REMOTE_ADDR', ''))}"
    return f"gym:login:{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()}"


def _place(address: str) -> str:
    """The address; of IPv6 its network, since a single client has all addresses of a /64."""
    try:
        version = ip_address(address).version
    except ValueError:
        return address
    return address if version == IPV4 else str(ip_network((address, IPV6_PREFIX), strict=False))


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
