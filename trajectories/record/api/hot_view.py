"""API views for paths that are called thousands of times a second.

The schema and the URL configuration treat them as DRF views, but they skip DRF's own handling of requests,
content negotiation and rendering. Measurements showed that these cost more than the SQL statement that such a
view runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from rest_framework.views import APIView

from core.api import responses as api
from core.errors import GymError
from trajectories.record.api.auth import Principal, principal_for


class HotView(APIView, ABC):
    """A view with one method and one scope. Subclasses implement ``handle``.

    The handler named after the method (``post``) exists only for the schema and is never called.
    """

    method: ClassVar[str] = "POST"
    scope: ClassVar[str] = "trainer"

    @property
    def scopes(self) -> Mapping[str, str]:
        return {self.method: self.scope}

    def dispatch(self, request: HttpRequest, *_args: Any, **kwargs: Any) -> HttpResponse:
        try:
            if request.method != self.method:
                return self._refusal()
            principal = principal_for(request.META.get("HTTP_AUTHORIZATION"))
            principal.require(self.scope)
            return self.handle(request, principal, **kwargs)
        except Exception as error:
            expected = api.as_gym_error(error)
            if expected is None:
                raise
            return api.gym_error_response(expected)

    def _refusal(self) -> HttpResponse:
        error = GymError("method_not_allowed", f"Use {self.method} here.", status=405)
        response = api.gym_error_response(error)
        response.headers["Allow"] = self.method
        return response

    @abstractmethod
    def handle(self, request: HttpRequest, principal: Principal, **kwargs: Any) -> HttpResponse:
        """Answer the request; ``kwargs`` come from the URL."""


def read_body(request: HttpRequest) -> bytes:
    """Read the body after checking its declared length."""
    api.check_body_size(api.read_content_length(request.META))
    return request.body
