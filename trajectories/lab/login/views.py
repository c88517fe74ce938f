"""Login with a limit on failed attempts."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse

from trajectories.lab.login import attempts


class LabLoginView(LoginView):
    """The login page. After ten attempts in five minutes for one name from one address, or a hundred from one
    address, further attempts are answered with 429.

    Attempts from other addresses are still accepted, so a stranger who guesses passwords cannot lock out the
    name's owner. Behind a proxy, the client's address counts if the proxy is in ``TRUSTED_PROXIES``.
    """

    template_name = "lab/login/login.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if attempts.attempt_count(request):
            return super().post(request, *args, **kwargs)
        form = AuthenticationForm(request)
        context = self.get_context_data(form=form, locked_minutes=attempts.LOCKED_S // 60)
        response = self.render_to_response(context, status=HTTPStatus.TOO_MANY_REQUESTS)
        response["Retry-After"] = str(attempts.LOCKED_S)
        return response

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        attempts.success_note(self.request)
        return super().form_valid(form)
