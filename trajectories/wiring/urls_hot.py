"""URLs that are requested thousands of times a second, and therefore resolved before all others."""

from __future__ import annotations

from django.urls import path

from core.web import converters
from trajectories.rollouts.episodes import api

converters.converters_register()

urlpatterns = [
    path("episodes/<id:episode_id>/steps", api.StepsView.as_view()),
    path("episodes/<id:episode_id>/submission", api.SubmissionView.as_view()),
]
