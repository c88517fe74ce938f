"""Addresses of the lab: the REST API and the researchers' pages."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("trajectories.urls_hot")),
    path("api/v1/", include("tasks_app.urls")),
    path("api/v1/", include("trajectories.urls_api")),
    path("", include("trajectories.lab.urls")),
]

handler400 = "trajectories.lab.access.bad_request"
handler404 = "trajectories.lab.access.not_found"
