"""Addresses of the lab: the REST API and the researchers' pages."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("api/v1/", include("trajectories.recording.hot_urls")),
    path("api/v1/", include("tasks_app.urls")),
    path("api/v1/", include("trajectories.recording.urls")),
    path("", include("trajectories.replay.urls")),
]

handler404 = "trajectories.replay.access.not_found"
