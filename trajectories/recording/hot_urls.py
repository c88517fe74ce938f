"""The addresses that are called thousands of times a second: looked up before all others."""

from __future__ import annotations

from django.urls import path

from gymsite.core import converters
from trajectories.recording import episodes_api

converters.converters_register()

urlpatterns = [
    path("episodes/<id:episode_id>/steps", episodes_api.StepsView.as_view()),
    path("episodes/<id:episode_id>/submission", episodes_api.SubmissionView.as_view()),
]
