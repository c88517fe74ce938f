"""URLs of the lab: the REST API and the researchers' pages."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("trajectories.wiring.urls_hot")),
    path("api/v1/", include("tasks_app.urls")),
    path("api/v1/", include("trajectories.wiring.urls_api")),
    path("", include("trajectories.wiring.urls_lab")),
]

handler400 = "trajectories.shell.access.bad_request"
handler404 = "trajectories.shell.access.not_found"
