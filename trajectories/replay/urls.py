"""Addresses of the researchers' pages."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import path

from gymsite.core import converters
from trajectories.replay.views import blobs, episodes, login, runs, steps, system, tasks

converters.converters_register()

urlpatterns = [
    path("login/", login.LabLoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", runs.run_list, name="runs"),
    path("runs/<id:run_id>/", runs.run_detail, name="run"),
    path("episodes/", episodes.episode_list, name="episodes"),
    path("episodes/<id:episode_id>/", episodes.episode_detail, name="episode"),
    path("episodes/<id:episode_id>/progress", episodes.episode_progress, name="episode_progress"),
    path("episodes/<id:episode_id>/steps/<id:index>", steps.step_detail, name="step"),
    path("tasks/", tasks.task_list, name="tasks"),
    path("tasks/<id:task_id>/", tasks.task_detail, name="task"),
    path("blobs/<sha256:sha256>", blobs.blob_detail, name="blob"),
    path("blobs/<sha256:sha256>/thumbnail", blobs.blob_thumbnail, name="blob_thumbnail"),
    path("system/", system.system, name="system"),
]
