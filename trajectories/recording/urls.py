"""Addresses of the REST API, under ``/api/v1/``."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt

from gymsite.core import converters
from trajectories.recording import blobs_api, episodes_api, runs_api, system_api, trajectories_api

converters.converters_register()

urlpatterns = [
    path("health", system_api.HealthView.as_view()),
    path("capacity", system_api.CapacityView.as_view()),
    path("heartbeat", system_api.HeartbeatView.as_view()),
    path("schema", system_api.SchemaView.as_view(), name="api_schema"),
    path("docs", system_api.DocsView.as_view()),
    path("tasks/stats", trajectories_api.TaskStatsView.as_view()),
    path("runs", runs_api.RunsView.as_view()),
    path("runs/<id:run_id>", runs_api.RunView.as_view()),
    path("runs/<id:run_id>/policy", runs_api.PolicyView.as_view()),
    path("runs/<id:run_id>/metrics", runs_api.MetricsView.as_view()),
    path("runs/<id:run_id>/cancel", runs_api.CancelView.as_view()),
    path("runs/<id:run_id>/groups", runs_api.GroupsView.as_view()),
    path("runs/<id:run_id>/behaviour", runs_api.BehaviourView.as_view()),
    path("runs/<id:run_id>/twins", runs_api.TwinsView.as_view()),
    path("runs/<id:run_id>/trajectories", trajectories_api.RunTrajectoriesView.as_view()),
    path("groups/<id:group_id>/refill", episodes_api.RefillView.as_view()),
    path("episodes", trajectories_api.EpisodesView.as_view()),
    path("episodes/<id:episode_id>", trajectories_api.EpisodeView.as_view()),
    path("episodes/<id:episode_id>/close", episodes_api.CloseView.as_view()),
    path("episodes/<id:episode_id>/resume", episodes_api.ResumeView.as_view()),
    path("episodes/<id:episode_id>/trajectory", trajectories_api.TrajectoryView.as_view()),
    path("blobs/missing", blobs_api.BlobsMissingView.as_view()),
    path("blobs/<sha256:sha256>", blobs_api.BlobView.as_view()),
    re_path("^.*$", csrf_exempt(system_api.not_found)),
]
