"""Addresses of the page of an episode."""

from __future__ import annotations

from django.urls import path

from trajectories.lab.episode import views

urlpatterns = [
    path("episodes/<id:episode_id>/", views.episode_detail, name="episode"),
    path("episodes/<id:episode_id>/progress", views.episode_progress, name="episode_progress"),
    path("episodes/<id:episode_id>/prompt", views.episode_prompt, name="episode_prompt"),
]
