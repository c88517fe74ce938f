"""Addresses of an episode as a file."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.export import views

urlpatterns = [
    path("episodes/<id:episode_id>/export.html", views.episode_as_html, name="episode_as_html"),
    path("episodes/<id:episode_id>/export.json", views.episode_as_json, name="episode_as_json"),
]
